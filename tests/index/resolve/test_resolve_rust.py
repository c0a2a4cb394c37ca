"""Rust: what names stand for across modules, crates, `impl` blocks, traits and patterns."""

from __future__ import annotations

from support.marked import check

CRATE = {"Cargo.toml": '[package]\nname = "app"\n'}


def test_modules_and_use_trees() -> None:
    check(
        CRATE
        | {
            "src/lib.rs": "mod shapes;\npub mod /*=s*/util;\npub use shapes::Circle;\n"
            "fn a() { /*c1*/Circle::/*n1*/new(); crate::/*s*/util::/*h1*/help(); }\n",
            "src/shapes/mod.rs": "mod round;\npub use self::round::{Circle, helper as aid};\n"
            "use super::util::{self, deep::*};\n"
            "fn b() { /*h2*/aid(); /*d1*/inner(); util::/*h1b*/help(); }\n",
            "src/shapes/round.rs": "use crate::util::/*h1c*/help;\n"
            "pub struct /*=c1*/Circle;\nimpl Circle { pub fn /*=n1*/new() -> Self { /*h1d*/help(); Circle } }\n"
            "pub fn /*=h2*/helper() {}\n",
            "src/util.rs": "pub fn /*=h1*//*=h1b*//*=h1c*//*=h1d*/help() {}\n"
            "pub mod deep { pub fn /*=d1*/inner() {} }\n",
        }
    )


def test_a_module_of_another_path_and_one_that_a_macro_declares() -> None:
    check(
        CRATE
        | {
            "src/lib.rs": '#[path = "odd/place.rs"]\nmod named;\nwrap! { mod hidden; }\n'
            "fn a() { named::/*1*/f(); crate::hidden::/*2*/g(); }\n",
            "src/odd/place.rs": "pub fn /*=1*//*=3*/f() {}\n",
            "src/hidden.rs": "pub fn /*=2*/g() { crate::named::/*3*/f(); }\n",
        }
    )


def test_a_glob_takes_what_is_public() -> None:
    check(
        CRATE
        | {
            "src/lib.rs": "mod a;\nmod b;\n",
            "src/a.rs": "use crate::b::Hidden;\npub use crate::b::Shown;\n#[cfg(test)]\nmod tests {\n"
            "    use super::*;\n    fn t() { /*own*/Hidden; }\n}\n",
            "src/b.rs": "pub struct /*=own*/Hidden;\npub struct /*=2*/Shown;\n"
            "mod c { use crate::a::*; fn f(_: /*1*/Hidden, _: /*2*/Shown) {} }\n",
        }
    )


def test_crates_of_a_workspace() -> None:
    check(
        {
            "core/Cargo.toml": '[package]\nname = "my-core"\n',
            "core/src/lib.rs": "pub struct /*=1*//*=2*/Engine;\nimpl Engine { pub fn /*=3*/run(&self) {} }\n",
            "app/Cargo.toml": '[package]\nname = "app"\n[dependencies]\nmy-core = { path = "../core" }\n'
            'renamed = { package = "my-core", path = "../core" }\n',
            "app/src/main.rs": "use my_core::/*1*/Engine;\nfn f(e: &renamed::/*2*/Engine) { e./*3*/run(); }\n",
            "other/Cargo.toml": '[package]\nname = "other"\n',
            "other/src/lib.rs": "use my_core::/*none*/Engine;\n",
        }
    )


def test_methods_of_impl_blocks_and_fields_of_the_same_name() -> None:
    check(
        CRATE
        | {
            "src/lib.rs": "mod more;\npub struct Node { /*=f*//*=l*//*=s*/path: Path, next: Option<Box<Node>> }\n"
            "pub struct Path;\nimpl Path { fn /*=j*//*=j2*/join(&self) -> Path { Path } }\n"
            "impl Node {\n"
            "    pub fn /*=m*/path(&self) -> &Path { &self./*f*/path }\n"
            "    fn make(path: Path) -> Self { let n = Node { /*s*/path, next: None }; n./*m*/path()./*j*/join(); n }\n"
            "    fn walk(&self) { if let Some(n) = &self.next { n./*o*/outside(); } }\n"
            "    fn lit() -> Self { Node { /*l*/path: Path, next: None } }\n"
            "}\n",
            "src/more.rs": "use crate::Node;\nuse crate::Node as N;\nimpl Node { pub fn /*=o*/outside(&self) {} }\n"
            "fn f(list: Vec<N>) { for n in list.iter() { n.path()./*j2*/join(); } }\n",
        }
    )


def test_traits_their_defaults_and_bounds() -> None:
    check(
        CRATE
        | {
            "src/lib.rs": "pub trait Base { fn /*=b*/base(&self) {} }\n"
            "pub trait Draw: Base {\n    type Out;\n    fn /*=d*//*=d2*//*=d3*/draw(&self);\n"
            "    fn /*=t*//*=t2*/twice(&self) { self./*d*/draw(); }\n}\n"
            "pub struct Dot;\nimpl Draw for Dot { type Out = u8; fn /*=i*/draw(&self) {} }\nimpl Base for Dot {}\n"
            "fn a(dot: Dot) { dot./*i*/draw(); dot./*t*/twice(); }\n"
            "fn b<T: Draw>(t: &T) { t./*d2*/draw(); t./*b*/base(); }\n"
            "fn c(x: Box<dyn Draw>) { x./*d3*/draw(); }\n"
            "struct Holder<D> { held: D }\n"
            "impl<D> Holder<D> where D: Draw { fn go(&self) { self.held./*t2*/twice(); } }\n",
        }
    )


def test_two_impls_of_one_trait_are_not_told_apart() -> None:
    check(
        CRATE
        | {
            "src/lib.rs": "pub struct Id;\nimpl From<u8> for Id { fn from(_: u8) -> Self { Id } }\n"
            "impl From<u16> for Id { fn from(_: u16) -> Self { Id } }\nimpl Id { fn /*=2*/get(&self) {} }\n"
            "fn f() { let id = Id::/*1*/from(1u8); id./*2*/get(); }\n",
        }
    )


def test_a_function_of_the_type_comes_before_that_of_a_trait() -> None:
    check(
        CRATE
        | {
            "src/lib.rs": "pub trait Listed { fn all(); }\npub struct Id;\nimpl Id { fn /*=1*/all() {} }\n"
            "impl Listed for Id { fn all() { Self::/*1*/all() } }\n",
        }
    )


def test_patterns_take_values_apart() -> None:
    check(
        CRATE
        | {
            "src/lib.rs": "pub struct Foo;\nimpl Foo { fn /*=r1*//*=r2*//*=r3*//*=r4*//*=r5*//*=r6*/run(&self) {} }\n"
            "pub enum Shape { /*=v*/Round(u8, Foo), Square { /*=k*/side: Foo, tag: u8 }, Empty }\n"
            "struct Pair(Foo, u8);\nfn pair() -> (Foo, u8) { todo!() }\nfn fails() -> Result<Foo, u8> { todo!() }\n"
            "fn f(s: Shape, p: Pair) -> Result<(), u8> {\n"
            "    match s {\n"
            "        Shape::/*v*/Round(_, f) => f./*r1*/run(),\n"
            "        Shape::Square { /*k*/side: x, .. } => x./*r2*/run(),\n"
            "        Shape::Empty => {}\n"
            "    }\n"
            "    let Pair(f, _) = p;\n    f./*r3*/run();\n"
            "    let (a, _) = pair();\n    a./*r4*/run();\n"
            "    fails()?./*r5*/run();\n"
            "    fails().map(|found| found./*r6*/run());\n"
            "    Ok(())\n}\n",
        }
    )


def test_pointers_answer_for_themselves_where_they_can() -> None:
    check(
        CRATE
        | {
            "src/lib.rs": "use std::sync::{Arc, Mutex};\npub struct Foo;\n"
            "impl Clone for Foo { fn clone(&self) -> Foo { Foo } }\nimpl Foo { fn /*=2*//*=3*/run(&self) {} }\n"
            "fn f(a: Arc<Foo>, m: &Mutex<Foo>) { a./*1*/clone()./*2*/run(); m.lock().unwrap()./*3*/run(); }\n",
        }
    )


def test_type_arguments_stand_for_type_parameters() -> None:
    check(
        CRATE
        | {
            "src/lib.rs": "pub struct Json<T>(pub T);\npub struct User { /*=1*/name: u8 }\n"
            "impl User { fn /*=2*//*=3*/save(&self) {} }\nimpl<T> Json<T> { fn inner(self) -> T { self.0 } }\n"
            "fn f(Json(user): Json<User>, other: Json<User>, third: Json<User>) {\n"
            "    user./*1*/name;\n    other.0./*2*/save();\n    third.inner()./*3*/save();\n}\n",
        }
    )


def test_names_in_macro_calls_stay_unresolved() -> None:
    check(
        CRATE
        | {
            "src/lib.rs": "mod other;\nuse other::thing;\nmacro_rules! my { ($e:expr) => { $e } }\n"
            "fn f() { my!(/*1*/thing()); }\n",
            "src/other.rs": "pub fn thing() {}\n",
        }
    )


def test_a_file_that_defines_nothing_has_references() -> None:
    check(CRATE | {"src/lib.rs": "#![allow(/*1*/dead_code)]\nsome::make!(/*2*/thing);\n"})


def test_types_that_a_trait_asks_for() -> None:
    check(
        CRATE
        | {
            "src/lib.rs": "mod b;\npub trait Many { type /*=1*//*=2*//*=3*/Item; }\n"
            "pub trait Some: Many { fn f(i: Self::Item); }\n"
            "fn take<M: Many</*1*/Item = u8>>(_: M) {}\nfn more<S: Some</*2*/Item = u8>>(_: S) {}\n",
            "src/b.rs": "use crate::{Many, Some};\nstruct Own;\nimpl Many for Own { type /*=3*/Item = u8; }\n"
            "impl Some for Own { fn f(i: Self::/*3*/Item) {} }\n",
        }
    )
