use crate::{Many, Some};
struct Own;
impl Many for Own { type Item = u8; }
impl Some for Own { fn f(i: Self::Item) {} }
//                                ^ -> #Own.Item, src/lib.rs#Many.Item
