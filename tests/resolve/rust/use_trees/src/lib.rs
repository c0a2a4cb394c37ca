mod shapes;
pub mod util;
pub use shapes::Circle;
fn a() { Circle::new(); crate::util::help(); }
//       ^ -> src/shapes/round.rs#Circle
//               ^ -> src/shapes/round.rs#Circle.new
//                             ^ -> #util
//                                   ^ -> src/util.rs#help
