pub struct Hidden;
pub struct Shown;
mod c { use crate::a::*; fn f(_: Hidden, _: Shown) {} }
//                               ^ -> nothing
//                                          ^ -> #Shown
