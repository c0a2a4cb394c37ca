use crate::b::Hidden;
pub use crate::b::Shown;
#[cfg(test)]
mod tests {
    use super::*;
    fn t() { Hidden; }
    //       ^ -> src/b.rs#Hidden
}
