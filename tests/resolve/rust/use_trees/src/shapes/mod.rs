mod round;
pub use self::round::{Circle, helper as aid};
use super::util::{self, deep::*};
fn b() { aid(); inner(); util::help(); }
//       ^ -> src/shapes/round.rs#helper
//              ^ -> src/util.rs#deep.inner
//                             ^ -> src/util.rs#help
