"""Go beyond the file. Sources say themselves what is expected: `//= mark` names its line, `//> name mark` says that the
first `name` of its line stands for what is defined on the marked lines (`-` for nothing that is known)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from codeplane.facts.model import Tier
from support.resolving import resolve

_MARK = re.compile(r"//= (\S+)")
_CLAIM = re.compile(r"//> (.+)$")
_MODULE = {"go.mod": "module example.org/app\n\ngo 1.22\n"}


class Claim(NamedTuple):
    path: str
    line: int
    column: int
    name: str
    marks: tuple[str, ...]


def _claims(files: Mapping[str, str]) -> Iterator[Claim]:
    for path, text in files.items():
        for number, line in enumerate(text.split("\n"), 1):
            said = _CLAIM.search(line)
            for claim in said[1].split(";") if said else ():
                name, *marks = claim.split()
                found = re.search(rf"\b{re.escape(name)}\b", line)
                assert found is not None
                yield Claim(path, number, found.start(), name, tuple(mark for mark in marks if mark != "-"))


def check(files: Mapping[str, str], tier: Tier = Tier.STRONG) -> None:
    files = {**_MODULE, **files}
    marks = {
        mark: (path, number)
        for path, text in files.items()
        for number, line in enumerate(text.split("\n"), 1)
        for mark in _MARK.findall(line)
    }
    links = resolve(files, tier)
    claims = list(_claims(files))
    assert claims
    wrong = [
        f"{claim.path}:{claim.line} {claim.name}: expected {claim.marks}, found {found}"
        for claim in claims
        if (found := links.get((claim.path, claim.line, claim.column), []))
        != sorted(marks[mark] for mark in claim.marks)
    ]
    assert not wrong, "\n".join(wrong)


def test_files_of_a_package_share_names_and_methods() -> None:
    check(
        {
            "a.go": "package app\n"
            "type Mux struct { //= Mux\n"
            "\tpath string //= path\n"
            "}\n"
            'func New() *Mux { return &Mux{path: ""} } //= New //> path path\n'
            "const Limit = 3 //= Limit\n",
            "b.go": "package app\nfunc (m *Mux) Use() string { //= Use //> Mux Mux\n\treturn m.path //> path path\n}\n",
            "c.go": "package app\n"
            "func run() {\n"
            "\tm := New() //> New New\n"
            "\tm.Use() //> Use Use\n"
            "\tf := m.Use //> Use Use\n"
            "\tg := (*Mux).Use //> Mux Mux; Use Use\n"
            "\t_, _ = f, g\n"
            "\tvar n Mux //> Mux Mux\n"
            '\tn.path = "" //> path path\n'
            "\tMux(n).Use() //> Use Use\n"
            "\t_ = Limit //> Limit Limit\n"
            "}\n",
            "other/a.go": "package other\nfunc f() { New() } //> New -\n",
            "main.go": "package main\nfunc main() { New() } //> New -\n",
        }
    )


def test_imports_by_module_path_alias_real_name_and_dot() -> None:
    check(
        {
            "lib/lib.go": "package lib\nfunc Do() {} //= Do\ntype T struct{ F int } //= T\n",
            "lib/doc.go": "// Package lib is a library.\npackage lib\n",
            "go-odd/odd.go": "package strange\nfunc Say() {} //= Say\n",
            "all/all.go": "package all\nfunc Every() {} //= Every\n",
            "use/use.go": "package use\n"
            'import (\n\t"example.org/app/lib"\n\tother "example.org/app/lib"\n\t"example.org/app/go-odd"\n'
            '\t. "example.org/app/all"\n\t"elsewhere.org/lib2"\n)\n'
            "func f(t lib.T) {\n"
            "\tlib.Do() //> Do Do\n"
            "\tother.Do() //> Do Do\n"
            "\tstrange.Say() //> Say Say\n"
            "\tEvery() //> Every Every\n"
            "\tlib2.Do() //> Do -\n"
            "\t_ = other.T{F: t.F} //> F T; T T\n"
            "}\n",
        }
    )


def test_a_method_called_like_a_package_is_not_the_package() -> None:
    check(
        {
            "lib/lib.go": "package lib\nfunc Do() {} //= Do\n",
            "a.go": 'package app\nimport "example.org/app/lib"\ntype T struct{}\n'
            "func (T) lib() {}\n"
            "func f() { lib.Do() } //> lib -; Do Do\n",
        }
    )


def test_modules_of_one_repository() -> None:
    lib = "package lib\nfunc Do() {} //= %s\n"
    use = 'package use\nimport "%s/lib"\nfunc f() { lib.Do() } //> Do %s\n'
    check(
        {
            "lib/lib.go": lib % "own",
            "sub/go.mod": "module example.org/app/sub\n",
            "sub/lib/lib.go": lib % "sub",
            "sub/use/use.go": use % ("example.org/app/sub", "sub"),
            "sub/far/use.go": use % ("example.org/app", "-"),
            "linked/go.mod": "module linked\n\nreplace (\n\texample.org/app v1.2.3 => ../ // here\n)\n",
            "linked/use.go": use % ("example.org/app", "own"),
            "pair/go.work": "go 1.22\n\nuse (\n\t./one\n\t./two\n)\n",
            "pair/one/go.mod": "module one.org/one\n",
            "pair/one/lib/lib.go": lib % "one",
            "pair/two/go.mod": "module two.org/two\n",
            "pair/two/use.go": use % ("one.org/one", "one"),
            "pair/three/go.mod": "module three.org/three\n",
            "pair/three/use.go": use % ("one.org/one", "-"),
        }
    )


def test_tests_inside_and_outside_of_their_package() -> None:
    check(
        {
            "lib/lib.go": "package lib\nfunc hidden() {} //= hidden\nfunc Open() {} //= Open\n",
            "lib/in_test.go": "package lib\nvar Hidden = hidden //= Exported //> hidden hidden\n",
            "lib/out_test.go": 'package lib_test\nimport "example.org/app/lib"\n'
            "func f() {\n"
            "\tlib.Open() //> Open Open\n"
            "\tlib.Hidden() //> Hidden Exported\n"
            "\thidden() //> hidden -\n"
            "\thelper() //> helper helper\n"
            "}\n",
            "lib/more_test.go": "package lib_test\nfunc helper() {} //= helper\n",
        }
    )


def test_what_is_built_for_several_systems_has_several_definitions() -> None:
    check(
        {
            "a_linux.go": "package app\nfunc open() {} //= linux\ntype H struct{ fd int } //= fd1\n",
            "a_windows.go": "package app\nfunc open() {} //= windows\ntype H struct{ fd int } //= fd2\n",
            "a.go": "package app\nfunc f(h H) {\n\topen() //> open linux windows\n\t_ = h.fd //> fd fd1 fd2\n}\n",
        }
    )


def test_embedding_the_nearest_first() -> None:
    check(
        {
            "base/base.go": "package base\n"
            "type Base struct{ Name string } //= Base //= Name\n"
            "func (b *Base) Close() {} //= Base.Close\n",
            "a.go": "package app\n"
            'import (\n\t"io"\n\t"example.org/app/base"\n)\n'
            "type Deep struct{ id, far int } //= id\n"
            "func (Deep) Close() {}\n"
            "func (Deep) Write() {} //= Write\n"
            "type Mid struct{ Deep } //= Mid.Deep\n"
            "type Outer struct {\n"
            "\tMid //= Outer.Mid\n"
            "\t*base.Base //= Outer.Base //> Base Base\n"
            "}\n"
            "type Twice struct {\n\tDeep\n\tOther\n}\n"
            "type Other struct{ id int }\n"
            "type Foreign struct {\n\tio.Writer\n\tMid\n}\n",
            "b.go": "package app\n"
            "func f(o *Outer, t Twice, w Foreign) {\n"
            "\to.Close() //> Close Base.Close\n"
            "\t_ = o.id //> id id\n"
            "\t_ = o.Base.Name //> Base Outer.Base; Name Name\n"
            "\t_ = o.Mid.Deep.id //> Mid Outer.Mid; Deep Mid.Deep; id id\n"
            "\t_ = Outer{Mid: Mid{}} //> Mid Outer.Mid\n"
            "\t_ = t.id //> id -\n"
            "\tw.Write() //> Write -\n"
            "\t_ = w.far //> far id\n"
            "}\n",
        }
    )


def test_interfaces_and_what_they_embed() -> None:
    check(
        {
            "a.go": "package app\n"
            "type Closer interface {\n\tClose() error //= Close\n}\n"
            "type File interface {\n\tCloser\n\tOpen(name string) File //= Open\n}\n"
            "type file struct{}\n"
            "func (file) Close() error { return nil }\n",
            "b.go": "package app\n"
            "func f(x File) {\n"
            '\tx.Open("").Close() //> Open Open; Close Close\n'
            "\tvar c Closer = file{}\n"
            "\tc.Close() //> Close Close\n"
            "\tg := func(c Closer) Closer { return c }\n"
            "\tg(nil).Close() //> Close Close\n"
            "}\n",
        }
    )


def test_named_types_of_lists_functions_and_other_types() -> None:
    check(
        {
            "a.go": "package app\n"
            "type Node struct{ key int } //= key\n"
            "func (n Node) Show() {} //= Show\n"
            "type Nodes []*Node\n"
            "func (ns Nodes) Sort() Nodes { return ns } //= Sort\n"
            "type Index map[Node]Nodes\n"
            "type Make func(int) (*Node, error)\n"
            "func (m Make) Twice() {} //= Twice\n"
            "type Copy Node\n"
            "type Same = Node\n"
            "type Flag int\n"
            "func (f Flag) On() {} //= On\n"
            "const (\n\tA Flag = iota\n\tB // two\n\t// three\n\tC\n)\n",
            "b.go": "package app\n"
            "func f(ns Nodes, by Index, m Make, c Copy, s Same, ch <-chan Node) {\n"
            "\tns.Sort()[0].Show() //> Sort Sort; Show Show\n"
            "\tfor _, n := range ns {\n\t\tn.Show() //> Show Show\n\t}\n"
            "\tfor k, v := range by {\n"
            "\t\tk.Show() //> Show Show\n"
            "\t\tv.Sort() //> Sort Sort\n"
            "\t}\n"
            "\tfor n := range ch {\n\t\tn.Show() //> Show Show\n\t}\n"
            "\tif n, ok := by[Node{}]; ok {\n\t\tn.Sort() //> Sort Sort\n\t}\n"
            "\tn, err := m(1)\n"
            "\tn.Show() //> Show Show\n"
            "\terr.Show() //> Show -\n"
            "\tm.Twice() //> Twice Twice\n"
            "\t_ = c.key //> key key\n"
            "\tc.Show() //> Show -\n"
            "\ts.Show() //> Show Show\n"
            "\tC.On() //> On On\n"
            "\t(A | B).On() //> On On\n"
            "\t(<-ch).Show() //> Show Show\n"
            "\tns = append(ns, ns[1:]...)\n"
            "\tappend(ns, nil).Sort() //> Sort Sort\n"
            "\tx := new(Node)\n"
            "\tx.Show() //> Show Show\n"
            "\tmake(Nodes, 3).Sort() //> Sort Sort\n"
            "}\n",
        }
    )


def test_keys_of_literals() -> None:
    check(
        {
            "a.go": "package app\n"
            "type P struct{ X int } //= X\n"
            "type Line struct {\n\tFrom, To P //= From\n}\n"
            "type Table map[string]int\n"
            'const Key = "k" //= Key\n',
            "b.go": "package app\n"
            "var lines = []*Line{{From: P{}}} //> From From\n"
            "var byName = map[string]P{\n"
            "\tKey: {X: 1}, //> Key Key; X X\n"
            "}\n"
            'var deep = map[string][]P{"": {{X: 1}}} //> X X\n'
            "var table = Table{Key: 1} //> Key Key\n"
            "var tests = []struct {\n\tname string\n\tp P\n}{\n"
            '\t{name: "", p: P{X: 1}}, //> X X\n'
            "}\n"
            "func f() {\n"
            "\tfor _, tt := range tests {\n"
            "\t\t_ = tt.p.X //> X X\n"
            "\t}\n"
            "\tlines[0].To.X = byName[Key].X //> To From; X X\n"
            "}\n",
        }
    )


def test_assertions_and_switches_over_types() -> None:
    check(
        {
            "a.go": "package app\n"
            "type A struct{ a int } //= a\n"
            "type B struct{ b int } //= b\n"
            "type Any interface{ Is() } //= Is\n",
            "b.go": "package app\n"
            "func f(x Any) {\n"
            "\tif v, ok := x.(*A); ok {\n\t\t_ = v.a //> a a\n\t}\n"
            "\tx.(B).b = 1 //> b b\n"
            "\tx.(error).Is() //> Is -\n"
            "\tswitch v := x.(type) {\n"
            "\tcase *A:\n\t\t_ = v.a //> a a\n"
            "\tcase B:\n\t\t_ = v.b //> b b\n\t\t_ = v.a //> a -\n"
            "\tcase nil, error:\n\t\tv.Is() //> Is Is\n"
            "\tdefault:\n\t\tv.Is() //> Is Is\n"
            "\t}\n"
            "}\n",
        }
    )


def test_a_variable_is_of_the_type_that_it_is_declared_with() -> None:
    check(
        {
            "a.go": "package app\n"
            "type Face interface{ Run() } //= Face.Run\n"
            "type Impl struct{}\n"
            "func (Impl) Run() {} //= Impl.Run\n"
            "func two() (*Impl, error) { return nil, nil }\n"
            "func named() (first *Impl, _ error) { return }\n"
            "var global = Impl{}\n"
            "var first, second = two()\n",
            "b.go": 'package app\nimport "os"\n'
            "func f(all ...Impl) (out Face) {\n"
            "\tvar x Face\n"
            "\tx = Impl{}\n"
            "\tx.Run() //> Run Face.Run\n"
            "\ty := os.Args\n"
            "\ty = Impl{}\n"
            "\ty.Run() //> Run -\n"
            "\tout.Run() //> Run Face.Run\n"
            "\tall[0].Run() //> Run Impl.Run\n"
            "\tglobal.Run() //> Run Impl.Run\n"
            "\tfirst.Run() //> Run Impl.Run\n"
            "\tsecond.Run() //> Run -\n"
            "\tn, err := named()\n"
            "\tn.Run() //> Run Impl.Run\n"
            "\terr.Run() //> Run -\n"
            "\ta, b := Impl{}, x\n"
            "\ta.Run() //> Run Impl.Run\n"
            "\tb.Run() //> Run Face.Run\n"
            "\tfunc() Impl { return a }().Run() //> Run Impl.Run\n"
            "\treturn nil\n"
            "}\n",
        }
    )


def test_generic_types_and_functions() -> None:
    check(
        {
            "a.go": "package app\n"
            "type Item struct{ id int } //= id\n"
            "func (i Item) Show() {} //= Show\n"
            "type Shower interface{ Show() } //= Shower.Show\n"
            "type Stack[T any] struct {\n\titems []T //= items\n\tnext *Stack[T] //= next\n\tmake func() T\n}\n"
            "func (s *Stack[E]) Pop() (E, bool) { return s.items[0], true } //= Pop //> items items\n"
            "type Pair[K comparable, V any] struct {\n\tKey K //= Key\n\tValue V //= Value\n}\n"
            "func NewStack[T any](items ...T) *Stack[T] { return nil }\n"
            "func Map[T, U any](in []T, f func(T) U) []U { return nil }\n"
            "func First[S ~[]E, E any](s S) E { return s[0] }\n"
            "func Show[T Shower](t T) {\n\tt.Show() //> Show Shower.Show\n}\n"
            "type Items []Item\n",
            "b.go": "package app\n"
            'import "sync/atomic"\n'
            "func f(p atomic.Pointer[Item], all Items) {\n"
            "\ts := NewStack[Item]()\n"
            "\tx, _ := s.next.Pop() //> next next; Pop Pop\n"
            "\tx.Show() //> Show Show\n"
            "\ts.make().Show() //> Show Show\n"
            "\ty, _ := NewStack(x).Pop()\n"
            "\ty.Show() //> Show Show\n"
            "\tq := Pair[string, Item]{Value: x} //> Value Value\n"
            "\tq.Value.Show() //> Value Value; Show Show\n"
            "\tMap([]int{1}, func(int) Item { return x })[0].Show() //> Show Show\n"
            "\tFirst(all).Show() //> Show Show\n"
            "\tp.Load().Show() //> Show Show\n"
            "}\n",
        }
    )


def test_types_of_a_function_and_records_inside_of_types() -> None:
    check(
        {
            "a.go": "package app\ntype Config struct {\n\tHTTP struct {\n\t\tPort int //= Port\n\t}\n}\n",
            "b.go": "package app\n"
            "func f(c Config) {\n"
            "\t_ = c.HTTP.Port //> Port Port\n"
            "\ttype local struct {\n\t\tfield int //= field\n\t}\n"
            "\tv := local{field: 1} //> field field\n"
            "\t_ = v.field //> field field\n"
            "}\n",
        }
    )


def test_directories_that_the_go_tool_passes_over_are_less_certain() -> None:
    files = {
        "lib/lib.go": "package lib\nfunc Do() {} //= Do\n",
        "_examples/main.go": 'package main\nimport "example.org/app/lib"\n'
        "func main() {\n\tlib.Do() //> Do %s\n\thelp() //> help help\n}\n",
        "_examples/help.go": "package main\nfunc help() {} //= help\n",
    }
    check({path: text.replace("%s", "-") for path, text in files.items()})
    check({path: text.replace("%s", "Do") for path, text in files.items()}, Tier.ANCHORED)


def test_types_that_go_in_circles_come_to_an_end() -> None:
    check(
        {
            "a.go": "package app\n"
            "type A = B\ntype B = A\n"
            "type C D\ntype D C\n"
            "type E struct{ *F }\n"
            "type F struct{ *E }\n"
            "type G[T any] struct{ *G[[]T] }\n"
            "var v = w\nvar w = v\n",
            "b.go": "package app\n"
            "func f(a A, c C, e E, g G[int]) {\n"
            "\t_ = a.x //> x -\n\t_ = c.x //> x -\n\t_ = e.x //> x -\n\t_ = g.x //> x -\n\t_ = v.x //> x -\n"
            "\tfor range c {\n\t}\n"
            "}\n",
        }
    )


def test_long_chains_and_long_lists_hide_nothing() -> None:
    texts = '"" +\n\t' * 1500 + '""'
    constants = "".join(f"\tC{number}\n" for number in range(1500))
    check(
        {
            "a.go": "package app\n"
            f"const text = {texts}\n"
            "type Flag int\n"
            "func (f Flag) On() {} //= On\n"
            f"const (\n\tC Flag = iota\n{constants})\n",
            "b.go": "package app\nfunc f() { C1499.On() } //> On On\n",
        }
    )
