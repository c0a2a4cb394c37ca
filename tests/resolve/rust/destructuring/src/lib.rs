pub struct Foo;
impl Foo { fn run(&self) {} }
pub enum Shape { Round(u8, Foo), Square { side: Foo, tag: u8 }, Empty }
struct Pair(Foo, u8);
fn pair() -> (Foo, u8) { todo!() }
fn fails() -> Result<Foo, u8> { todo!() }
fn f(s: Shape, p: Pair) -> Result<(), u8> {
    match s {
        Shape::Round(_, f) => f.run(),
        //     ^ -> #Shape.Round
        //                      ^ -> #Foo.run
        Shape::Square { side: x, .. } => x.run(),
        //              ^ -> #Shape.Square.side
        //                                 ^ -> #Foo.run
        Shape::Empty => {}
    }
    let Pair(f, _) = p;
    f.run();
    //^ -> #Foo.run
    let (a, _) = pair();
    a.run();
    //^ -> #Foo.run
    fails()?.run();
    //       ^ -> #Foo.run
    fails().map(|found| found.run());
    //                        ^ -> #Foo.run
    Ok(())
}
