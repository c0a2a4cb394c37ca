"""C and C++: what names stand for through includes, namespaces, classes and declared types."""

from __future__ import annotations

from support.marked import check

HEADER = (
    "#pragma once\n#include <memory>\n#include <vector>\nnamespace app {\n"
    "class Base {\n public:\n  virtual void /*=base*//*=base2*/go();\n protected:\n  int /*=field*/count_;\n};\n"
    "class Widget : public Base {\n public:\n  static Widget* /*=make*/make();\n"
    "  void /*=draw*//*=d2*//*=d3*//*=d4*//*=d5*//*=d6*/draw(int x);\n"
    "  std::unique_ptr<Base> child_;\n  std::vector<Widget> parts;\n};\n"
    "namespace inner { int /*=free*//*=used*/helper(); enum class Color { /*=red*/Red }; enum Old { /*=old*/kOne }; }\n"
    "}\n"
)


def test_members_through_declared_types() -> None:
    check(
        {
            "include/app/widget.h": HEADER,
            "src/main.cc": '#include "app/widget.h"\nint main() {\n  app::Widget w; w./*draw*/draw(1);\n'
            "  auto p = new app::Widget(); p->/*d2*/draw(1);\n"
            "  auto q = app::Widget::/*make*/make(); q->/*d3*/draw(1);\n"
            "  for (auto& part : w.parts) part./*d4*/draw(1);\n"
            "  auto u = std::make_unique<app::Widget>(); u->/*d5*/draw(1); u.get()->/*d6*/draw(1);\n"
            "  w.child_->/*base*/go(); static_cast<app::Base*>(p)->/*base2*/go();\n}\n",
        }
    )


def test_a_definition_outside_of_its_class_is_the_same_thing() -> None:
    check(
        {
            "w.h": "namespace app {\nclass Widget {\n  void /*=1*//*=2*/draw();\n  int /*=3*/n_;\n};\n}\n",
            "w.cc": '#include "w.h"\nnamespace app {\n/*=1*//*=2*/void Widget::draw() { /*3*/n_ = 1; }\n}\n',
            "user.cc": '#include "w.h"\nvoid f(app::Widget& w, app::Widget* p) { w./*1*/draw(); p->/*2*/draw(); }\n',
            "stranger.cc": "namespace app { class Other; void draw(); }\nvoid g(app::Other& o) { o./*none*/draw(); }\n",
        }
    )


def test_names_of_namespaces() -> None:
    check(
        {
            "include/app/widget.h": HEADER,
            "a.cc": '#include "app/widget.h"\nnamespace app {\nint a() { return inner::/*free*/helper(); }\n'
            "auto b() { return inner::Color::/*red*/Red; }\nint c = inner::/*old*/kOne;\n}\n",
            "b.cc": '#include "app/widget.h"\nusing namespace app::inner;\nint b() { return /*used*/helper(); }\n',
            "c.cc": "int c() { return app::inner::/*unseen*/helper(); }\n",
        }
    )


def test_a_base_that_nobody_has_seen_may_have_the_name() -> None:
    check(
        {
            "a.hpp": "void helper();\nstruct Known { void /*=2*/own(); };\n",
            "b.cc": '#include "a.hpp"\n#include <far.h>\n'
            "struct Far : Elsewhere { void f() { /*1*/helper(); } };\n"
            "struct Near : Known { void f() { /*2*/own(); } };\n",
        }
    )


def test_c_fields_through_structs_and_typedefs() -> None:
    check(
        {
            "list.h": "typedef struct node {\n  struct node *next;\n  int /*=1*//*=2*/value;\n} node;\n"
            "node *list_head(void);\nint /*=3*/list_size(node *n);\n",
            "list.c": '#include "list.h"\nint /*=3*/list_size(node *n) { return n->next->/*1*/value; }\n',
            "main.c": '#include "list.h"\nint main(void) { return list_head()->/*2*/value + /*3*/list_size(0); }\n',
        }
    )


def test_where_an_overload_is_defined_it_means_no_other() -> None:
    check(
        {
            "a.hpp": "struct Out {\n  void /*=2*/put(int n);\n  void /*=2*//*1*/put(char c);\n};\n",
            "b.cc": '#include "a.hpp"\nvoid f(Out& out) { out./*2*/put(1); }\n',
        }
    )
