#[path = "odd/place.rs"]
mod named;
wrap! { mod hidden; }
fn a() { named::f(); crate::hidden::g(); }
//              ^ -> src/odd/place.rs#f
//                                  ^ -> src/hidden.rs#g
