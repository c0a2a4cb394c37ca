"""Small repositories in which symbols are called directly, through interfaces and by construction."""

from __future__ import annotations

from typing import NamedTuple

Place = tuple[str, int]
Calls = dict[Place, str]
"""Places of calls, each with the symbol that it goes through, or nothing."""


class Case(NamedTuple):
    files: dict[str, str | bytes]
    calls: dict[str, Calls]
    """Symbol -> the calls that are expected."""


CASES = {
    "python": Case(
        {
            "loader.py": (
                "from abc import ABC, abstractmethod\n\n\nclass Loader(ABC):\n    def __init__(self, root):\n"
                "        self.root = root\n\n    @abstractmethod\n    def load(self, name): ...\n\n\n"
                "class FileLoader(Loader):\n    def __init__(self, root):\n        super().__init__(root)\n\n"
                "    def load(self, name):\n        return name\n\n    def __enter__(self):\n        return self\n\n"
                "    def __exit__(self, *args): ...\n\n\nclass Plain:\n    pass\n"
            ),
            "use.py": (
                "from loader import FileLoader as Files, Loader, Plain\n\n\ndef run(loader: Loader):\n"
                "    return loader.load('a')\n\n\ndef make():\n    files = Files('x')\n    files.load('b')\n"
                "    with files as opened:\n        return Plain(), Plain\n"
            ),
        },
        {
            "FileLoader.load": {("use.py", 5): "Loader.load", ("use.py", 10): ""},
            "Loader.load": {("use.py", 5): ""},
            "FileLoader": {("use.py", 9): ""},
            "loader.py#Loader": {("loader.py", 14): "Loader.__init__"},
            "FileLoader.__enter__": {("use.py", 11): ""},
            "Plain": {("use.py", 12): ""},
        },
    ),
    "java": Case(
        {
            "a/Loader.java": "package a;\npublic interface Loader {\n  String load(String name);\n}\n",
            "a/FileLoader.java": (
                "package a;\npublic class FileLoader implements Loader {\n  public FileLoader(String root) {}\n"
                "  public FileLoader() { this(null); }\n  public String load(String name) { return name; }\n}\n"
            ),
            "a/Slow.java": ('package a;\nclass Slow extends FileLoader {\n  Slow() { super("s"); }\n}\n'),
            "a/Use.java": (
                'package a;\nclass Use {\n  String run(Loader loader) {\n    return loader.load("a");\n  }\n'
                '  void make() {\n    new FileLoader("x").load("b");\n    FileLoader f;\n  }\n}\n'
            ),
        },
        {
            "FileLoader.load": {("a/Use.java", 4): "Loader.load", ("a/Use.java", 7): ""},
            "a/FileLoader.java#FileLoader": {
                ("a/Use.java", 7): "",
                ("a/FileLoader.java", 4): "FileLoader.FileLoader",
                ("a/Slow.java", 3): "FileLoader.FileLoader",
            },
        },
    ),
    "go": Case(
        {
            "go.mod": "module m\n",
            "a/a.go": (
                "package a\n\ntype Loader interface{ Load(name string) int }\n\ntype File struct{ root string }\n\n"
                "func New() *File {\n\treturn &File{}\n}\n\nfunc (f *File) Load(name string) int { return 1 }\n"
            ),
            "c/c.go": 'package c\n\nimport "m/a"\n\nfunc Make() *a.File {\n\treturn new(a.File)\n}\n',
            "b/b.go": (
                'package b\n\nimport "m/a"\n\nfunc Run(l a.Loader) {\n\tl.Load("a")\n}\n\nfunc Make() {\n'
                '\tf := a.New()\n\tf.Load("b")\n\tgo f.Load("c")\n\t_ = f.Load\n}\n'
            ),
        },
        {
            "File.Load": {("b/b.go", 6): "Loader.Load", ("b/b.go", 11): "", ("b/b.go", 12): ""},
            "File": {("a/a.go", 8): "", ("c/c.go", 6): ""},
            "New": {("b/b.go", 10): ""},
        },
    ),
    "rust": Case(
        {
            "Cargo.toml": '[package]\nname = "m"\nversion = "0.1.0"\n',
            "src/lib.rs": "pub mod loader;\npub mod usage;\n",
            "src/loader.rs": (
                "pub trait Loader {\n    fn load(&self) -> i32;\n}\npub struct File {\n    pub x: i32,\n}\n"
                "impl Loader for File {\n    fn load(&self) -> i32 {\n        1\n    }\n}\n"
            ),
            "src/usage.rs": (
                "use crate::loader::{File, Loader};\npub fn run(l: &dyn Loader) -> i32 {\n    l.load()\n}\n"
                "pub fn make() {\n    let f = File { x: 1 };\n    f.load();\n}\n"
            ),
        },
        {
            "File.load": {("src/usage.rs", 3): "Loader.load", ("src/usage.rs", 7): ""},
            "src/loader.rs#File": {("src/usage.rs", 6): ""},
        },
    ),
    "typescript": Case(
        {
            "tsconfig.json": "{}",
            "loader.ts": (
                "export interface Loader {\n  load(name: string): string;\n}\nexport class File implements Loader {\n"
                "  constructor(root: string) {}\n  load(name: string) {\n    return name;\n  }\n}\n"
            ),
            "use.ts": (
                'import { File as F, Loader } from "./loader";\nexport function run(l: Loader) {\n'
                '  return l.load("a");\n}\nexport function make() {\n  const f = new F("x");\n  f.load("b");\n'
                "  return f.load;\n}\n"
            ),
        },
        {
            "File.load": {("use.ts", 3): "Loader.load", ("use.ts", 7): ""},
            "loader.ts#File": {("use.ts", 6): ""},
        },
    ),
    "ruby": Case(
        {
            "a.rb": (
                "class Base\n  def load(name)\n  end\n\n  def go\n    load('a')\n  end\nend\n\n"
                "class FileLoader < Base\n  def initialize(root)\n  end\n\n  def load(name)\n  end\nend\n\n"
                "FileLoader.new('x').load('b')\n"
            )
        },
        {
            "FileLoader.load": {("a.rb", 6): "Base.load", ("a.rb", 18): ""},
            "FileLoader": {("a.rb", 18): ""},
        },
    ),
    "cpp": Case(
        {
            "a.h": (
                "class Base {\n public:\n  virtual int load(int n) = 0;\n};\nclass Impl : public Base {\n public:\n"
                "  Impl(int n);\n  int load(int n) override;\n};\n"
            ),
            "a.cpp": '#include "a.h"\nImpl::Impl(int n) {}\nint Impl::load(int n) { return n; }\n',
            "use.cpp": (
                '#include "a.h"\nint run(Base& b) {\n  return b.load(1);\n}\nint make() {\n  Impl impl(1);\n'
                "  return impl.load(2);\n}\n"
            ),
        },
        {
            "a.cpp#Impl.load": {("use.cpp", 3): "Base.load", ("use.cpp", 7): ""},
            "a.h#Impl": {("use.cpp", 6): ""},
            "a.cpp#Impl.Impl": {("use.cpp", 6): "Impl"},
        },
    ),
    "cpp_made": Case(
        {
            "a.cpp": (
                "#include <memory>\nstruct Made {\n  Made(int n);\n  int run();\n};\nint f() {\n"
                "  auto p = std::make_unique<Made>(1);\n  return p->run();\n}\n"
            ),
        },
        {"a.cpp#Made": {("a.cpp", 7): ""}, "Made.run": {("a.cpp", 8): ""}},
    ),
    "csharp": Case(
        {
            "A.cs": (
                "class Made {\n  public Made(int n) {}\n  public void Run() {}\n}\nclass Same : Made {\n"
                "  public Same() : base(1) {}\n  Made field = new(2);\n  Made Get() => new(3);\n"
                "  void F() {\n    Made local = new(4) { };\n    local.Run();\n  }\n}\n"
            ),
        },
        {
            "A.cs#Made": {
                ("A.cs", 6): "Made.Made",
                ("A.cs", 7): "",
                ("A.cs", 8): "",
                ("A.cs", 10): "",
            },
            "Made.Run": {("A.cs", 11): ""},
        },
    ),
    "cpp_nested": Case(
        {
            "a.h": "class Impl {\n public:\n  void run(int n);\n private:\n  struct State;\n};\n",
            "a.cpp": (
                '#include "a.h"\nstruct Impl::State {\n  explicit State(int n) {}\n  int step() { return 1; }\n};\n'
                "void Impl::run(int n) {\n  State state(n);\n  state.step();\n}\n"
            ),
        },
        {"a.cpp#Impl.State.State": {("a.cpp", 7): "Impl.State"}, "State.step": {("a.cpp", 8): ""}},
    ),
    "cpp_namespace": Case(
        {
            "a.h": "namespace app {\nclass Widget {\n public:\n  int draw(int n);\n};\n}\n",
            "a.cpp": '#include "a.h"\nnamespace app {\nint Widget::draw(int n) { return n; }\n}\n',
            "use.cpp": '#include "a.h"\nint run(app::Widget& w) {\n  return w.draw(1);\n}\n',
        },
        {"a.cpp#app.Widget.draw": {("use.cpp", 3): ""}, "a.h#app.Widget.draw": {("use.cpp", 3): ""}},
    ),
}
