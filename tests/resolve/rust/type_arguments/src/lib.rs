pub struct Json<T>(pub T);
pub struct User { name: u8 }
impl User { fn save(&self) {} }
impl<T> Json<T> { fn inner(self) -> T { self.0 } }
fn f(Json(user): Json<User>, other: Json<User>, third: Json<User>) {
    user.name;
    //   ^ -> #User.name
    other.0.save();
    //      ^ -> #User.save
    third.inner().save();
    //            ^ -> #User.save
}
