mod other;
use other::thing;
macro_rules! my { ($e:expr) => { $e } }
fn f() { my!(thing()); }
//           ^ -> nothing
