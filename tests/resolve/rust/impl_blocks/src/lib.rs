mod more;
pub struct Node { path: Path, next: Option<Box<Node>> }
pub struct Path;
impl Path { fn join(&self) -> Path { Path } }
impl Node {
    pub fn path(&self) -> &Path { &self.path }
    //                                  ^ -> #Node.path@2
    fn make(path: Path) -> Self { let n = Node { path, next: None }; n.path().join(); n }
    //                                           ^ -> #Node.path@2
    //                                                                 ^ -> #Node.path@6
    //                                                                        ^ -> #Path.join
    fn walk(&self) { if let Some(n) = &self.next { n.outside(); } }
    //                                               ^ -> src/more.rs#Node.outside
    fn lit() -> Self { Node { path: Path, next: None } }
    //                        ^ -> #Node.path@2
}
