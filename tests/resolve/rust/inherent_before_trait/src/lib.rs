pub trait Listed { fn all(); }
pub struct Id;
impl Id { fn all() {} }
impl Listed for Id { fn all() { Self::all() } }
//                                    ^ -> #Id.all@3
