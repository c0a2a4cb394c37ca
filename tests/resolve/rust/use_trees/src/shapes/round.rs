use crate::util::help;
//               ^ -> src/util.rs#help
pub struct Circle;
impl Circle { pub fn new() -> Self { help(); Circle } }
//                                   ^ -> src/util.rs#help
pub fn helper() {}
