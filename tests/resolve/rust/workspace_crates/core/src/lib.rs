pub struct Engine;
impl Engine { pub fn run(&self) {} }
