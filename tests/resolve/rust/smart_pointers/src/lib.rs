use std::sync::{Arc, Mutex};
pub struct Foo;
impl Clone for Foo { fn clone(&self) -> Foo { Foo } }
impl Foo { fn run(&self) {} }
fn f(a: Arc<Foo>, m: &Mutex<Foo>) { a.clone().run(); m.lock().unwrap().run(); }
//                                    ^ -> nothing
//                                            ^ -> #Foo.run
//                                                                     ^ -> #Foo.run
