pub struct Id;
impl From<u8> for Id { fn from(_: u8) -> Self { Id } }
impl From<u16> for Id { fn from(_: u16) -> Self { Id } }
impl Id { fn get(&self) {} }
fn f() { let id = Id::from(1u8); id.get(); }
//                    ^ -> nothing
//                                  ^ -> #Id.get
