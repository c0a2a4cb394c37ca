mod b;
pub trait Many { type Item; }
pub trait Some: Many { fn f(i: Self::Item); }
fn take<M: Many<Item = u8>>(_: M) {}
//              ^ -> #Many.Item
fn more<S: Some<Item = u8>>(_: S) {}
//              ^ -> #Many.Item
