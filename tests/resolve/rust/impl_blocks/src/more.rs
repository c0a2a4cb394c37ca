use crate::Node;
use crate::Node as N;
impl Node { pub fn outside(&self) {} }
fn f(list: Vec<N>) { for n in list.iter() { n.path().join(); } }
//                                                   ^ -> src/lib.rs#Path.join
