pub fn g() { crate::named::f(); }
//                         ^ -> src/odd/place.rs#f
