pub fn help() {}
pub mod deep { pub fn inner() {} }
