pub trait Base { fn base(&self) {} }
pub trait Draw: Base {
    type Out;
    fn draw(&self);
    fn twice(&self) { self.draw(); }
    //                     ^ -> #Draw.draw
}
pub struct Dot;
impl Draw for Dot { type Out = u8; fn draw(&self) {} }
impl Base for Dot {}
fn a(dot: Dot) { dot.draw(); dot.twice(); }
//                   ^ -> #Dot.draw
//                               ^ -> #Draw.twice
fn b<T: Draw>(t: &T) { t.draw(); t.base(); }
//                       ^ -> #Draw.draw
//                                 ^ -> #Base.base
fn c(x: Box<dyn Draw>) { x.draw(); }
//                         ^ -> #Draw.draw
struct Holder<D> { held: D }
impl<D> Holder<D> where D: Draw { fn go(&self) { self.held.twice(); } }
//                                                         ^ -> #Draw.twice
