"""Roles by path, head and attributes: many ecosystems, and names that only look like a rule."""

from __future__ import annotations

import time

import pytest

from codeplane.git.attributes import DOCUMENTATION, GENERATED, VENDORED, AttributeValue
from codeplane.languages.role_headers import HEAD_BYTES, find_header
from codeplane.languages.role_paths import Role, find_test_folder, find_test_roots, is_generated, match_test_name
from codeplane.languages.roles import Scope, decide_role_of_text, in_scope, role_beside

PATHS: dict[Role, str] = {
    Role.TEST: """
        tests/test_cart.py  pkg/tests/factories.py  pkg/test_cart.py  pkg/cart_test.py  conftest.py  app/tests.py
        context_test.go  internal/e2e/run.go  test/e2e/setup.go
        src/__tests__/Cart.tsx  src/cart.test.ts  src/cart.spec.js  src/cart.test-d.ts  app/app.e2e-spec.ts
        cypress/integration/base.js  packages/core/test/render.ts  packages/core/src/__mocks__/fs.js  web/login.cy.ts
        src/test/java/org/acme/Helper.java  src/test/resources/data.json  core/src/CartTest.java  core/CartIT.java
        shared/src/commonTest/kotlin/Help.kt  core/CartSpec.scala  CartSuite.scala
        tests/smoke.rs  src/parser/tests.rs  src/parser_test.rs  crates/a/tests/data/x.txt
        spec/cart_spec.rb  spec/support/matchers.rb  test/helper.rb  components/cart_spec.rb  engines/a/spec/models/x.rb
        Shop.Tests/CartBuilder.cs  src/Shop.UnitTests/Helper.cs  Shop/CartTests.cs  Shop.Tests.Common/Base.cs
        tests/CartTest.php  src/CartTest.php  src/CartCest.php  Zend/tests/a.phpt
        src/cart_test.cc  src/cart_unittest.cc  test_cart.c  t/basic.t  Tests/ShopTests/Help.swift  CartTests.swift
        lib/cart_test.dart  test/cart_test.exs  cart_SUITE.erl  src/CartSpec.hs  run.bats  cart.feature
        integration-tests/run.py  test-shrinker/src/main/java/com/acme/Main.java  integration/hello/src/main.ts
        spec/data/carts.json  spec/CartSpec.hs  .github/scripts/tests/a.sh  .github/scripts/test_plan.py
        third_party/zlib/tests/x.c  tests/proto/cart_pb2.py  tests/fixtures/cart.json  docs/tests/test_links.py
    """,
    Role.FIXTURE: "testdata/cert.pem internal/command/testdata/apply/main.tf shop/fixtures/carts.json "
    "src/__snapshots__/a.snap src/__fixtures__/a.ts identity/.snapshots/TestList.json src/snapshots/a__b.snap",
    Role.DOCS: "README.md docs/conf.py docs/ref/models.txt LICENSE LICENSE-MIT COPYING doc/index.html src/site/faq.fml "
    "packages/core/docs/guide.ts shop/notes.rst CHANGES third_party/zlib/README.md .github/SECURITY.md CITATION.cff "
    "po/el.po locale/de/LC_MESSAGES/shop.pot guides/start.cheatmd",
    Role.EXAMPLE: "examples/hello/main.go sample/01-cats/src/main.ts crates/a/examples/x.rs benches/parse.rs "
    "demos/blog/blog.py docs_src/first.py src/Button.stories.tsx benchmarks/run.py",
    Role.TOOL: "scripts/release.py tools/gen.go .github/workflows/ci.yml hack/verify.sh "
    ".github/actions/test_all/action.yaml .devcontainer/post_create.sh",
    Role.GENERATED: "shop/cart_pb2.py api/cart.pb.go Cart.g.cs Cart.designer.cs static/app.min.js "
    "src/cart.generated.ts package-lock.json Cargo.lock go.sum uv.lock src/generated/Api.java zz_generated.deepcopy.go",
    Role.VENDORED: "third_party/zlib/inflate.c shop/_vendor/six.py vendor/jquery/x.js deps/lua/lua.c "
    "astropy/extern/ply.py",
    Role.CONFIG: "mypy.toml config/app.yaml src/locale.json .eslintrc .gitignore webpack.config.js app/settings.ini "
    "spec/swagger.json",
    Role.BUILD: "Makefile CMakeLists.txt cmake/find.cmake build.gradle.kts setup.py pyproject.toml Cargo.toml build.rs "
    "package.json pom.xml requirements-dev.txt Dockerfile Rakefile shop.gemspec Shop/Shop.csproj BUILD.bazel go.mod "
    "Shop.slnx cart.rockspec deno.json pnpm-workspace.yaml",
    Role.SOURCE: """
        src/_pytest/fixtures.py  testing.go  contest.py  latest/index.js  django/test/client.py  django/test/utils.py
        lib/rack/mock.rb  lib/rack/test/methods.rb  lib/action_dispatch/testing/test_process.rb
        src/main/java/junit/framework/TestCase.java  src/main/java/org/springframework/test/Context.java
        spring-test/src/main/java/org/springframework/Mock.java  prometheus/testutil/promlint.go  flask/testing.py
        packages/cli/src/commands/test/index.ts  cmd/go/internal/test/run.go  django/core/management/commands/test.py
        packages/zone.js/lib/zone-spec/sync-test.ts  doc/man_docs.go  app/docs/router.py  openapi/spec/schema.py
        src/app/app.config.ts  src/main/java/org/example/App.java  license.py  shop/templates/mail/welcome.txt
        app/api/deps/auth.py  src/Edit.java  UNIT.java  pkg/spec/types.go  src/attestation.rs  Dockerfile_parser.py
        spec/api.go  spec/cart.proto  schema.graphql  index.html  shop/tools/hammer.py
    """,
}
CASES = [(path, role) for role, paths in PATHS.items() for path in paths.split()]


@pytest.mark.parametrize(("path", "role"), CASES)
def test_role_by_path(path: str, role: Role) -> None:
    assert decide_role_of_text(path, b"").role is role


def test_every_role_has_a_case() -> None:
    assert set(PATHS) == set(Role)


@pytest.mark.parametrize(
    ("scope", "roles"),
    [
        ("runtime", set(Role) - {Role.TEST, Role.FIXTURE, Role.DOCS}),
        ("docs", {Role.TEST, Role.FIXTURE, Role.DOCS}),
        ("mixed", set(Role)),
    ],
)
def test_roles_in_each_scope(scope: Scope, roles: set[Role]) -> None:
    assert {role for role in Role if in_scope(role, scope)} == roles


def test_siblings_named_like_tests_make_a_test_directory() -> None:
    seen = ["tornado/test/util.py", "tornado/test/web_test.py", "django/test/client.py"]
    roots = find_test_roots(seen)
    roles = [decide_role_of_text(path, b"").role for path in seen]
    assert roles == [Role.SOURCE, Role.TEST, Role.SOURCE]
    among = [role_beside(path, role, roots) for path, role in zip(seen, roles, strict=True)]
    assert among == [Role.TEST, Role.TEST, Role.SOURCE]
    assert role_beside("tornado/test/README", Role.DOCS, roots) == Role.DOCS
    assert find_test_folder("tornado/test/util.py", roots) == "tornado/test"


def test_find_test_folder_returns_the_outermost() -> None:
    assert find_test_folder("Shop/Tests/unit/tests/x.cs") == "Shop/Tests"
    assert find_test_folder("shop/cart.py") is None


@pytest.mark.parametrize(
    ("path", "glob"),
    [
        ("a/b_test.go", "**/*_test.go"),
        ("a/test_b.py", "**/test_*.py"),
        ("a/b.spec.ts", "**/*.spec.*"),
        ("a/BTest.java", "**/*Test.java"),
        ("a/tests/b.py", None),
        ("src/main/a/BTest.java", None),
    ],
)
def test_test_names_beside_sources(path: str, glob: str | None) -> None:
    assert match_test_name(path) == glob


@pytest.mark.parametrize("path", ["tests/cart_pb2.py", "docs/generated/x.md", "yarn.lock", "a/b.min.js"])
def test_is_generated_ignores_other_roles(path: str) -> None:
    assert is_generated(path)
    assert not is_generated("shop/cart.py")


def test_unusual_paths_have_a_role() -> None:
    for path in (
        "",
        "/",
        "a",
        ".",
        "..",
        "tests",
        "a//b",
        "\udcff/\udcfe.py",
        "x" * 5000,
        "/".join("t" * 2000),
        "é/ß.md",
    ):
        assert decide_role_of_text(path, b"\xff").role in Role


EVIDENCE = [
    ("pkg/tests/factories.py", "folder tests/"),
    ("Shop/Src/Test/java/A.java", "folder src/Test/"),
    ("a/b_test.go", "name *_test.go"),
    ("conftest.py", "name conftest.py"),
    ("shop/fixtures/a.json", "folder fixtures/"),
    ("docs/conf.py", "folder docs/"),
    ("src/site/faq.fml", "folder site/"),
    ("notes.rst", "extension .rst"),
    ("LICENSE-MIT", "name LICENSE-MIT"),
    ("examples/a.py", "folder examples/"),
    ("src/Button.stories.tsx", "name *.stories.*"),
    ("scripts/a.py", "folder scripts/"),
    ("a/cart.pb.go", "name *.pb.go"),
    ("go.sum", "name go.sum"),
    ("src/Generated/a.py", "folder Generated/"),
    ("web/vendor/a.js", "folder vendor/"),
    ("Makefile", "name Makefile"),
    ("a/find.cmake", "name *.cmake"),
    ("requirements-dev.txt", "name *requirements*.txt"),
    ("app.yaml", "extension .yaml"),
    (".eslintrc", "name .*"),
    ("vite.config.ts", "name vite.config.ts"),
    ("shop/cart.py", ""),
]


@pytest.mark.parametrize(("path", "evidence"), EVIDENCE)
def test_roles_have_evidence(path: str, evidence: str) -> None:
    assert decide_role_of_text(path, b"").evidence == evidence


LICENSE = "/*\n * Copyright 2020 Acme.\n * You may use this file under the terms of the License.\n */\n"
WRITTEN = [
    (
        "a.go",
        "// Code generated by protoc-gen-go. DO NOT EDIT.\n",
        "line 1: Code generated by protoc-gen-go. DO NOT EDIT.",
    ),
    (
        "a.go",
        f"{LICENSE}\n// Code generated by mockgen; DO NOT EDIT.\n",
        "line 6: Code generated by mockgen; DO NOT EDIT.",
    ),
    (
        "a.go",
        '// Code generated by "stringer -type=X"; DO NOT EDIT.\n',
        'line 1: Code generated by "stringer -type=X"; DO NOT',
    ),
    ("a.js", "/**\n * @flow\n * @generated SignedSource<<1>>\n */\n", "line 3: @generated SignedSource<<1>>"),
    ("a.ts", "/* eslint-disable */ // @generated by protobuf-ts\n", "line 1: @generated by protobuf-ts"),
    ("a.rs", "// This file is @generated by prost-build.\n", "line 1: This file is @generated by prost-build."),
    ("a.cs", "\ufeff//------\n// <auto-generated>\n", "line 2: <auto-generated>"),
    ("a.java", "/*\n * This file is generated by jOOQ.\n */\npackage a;\n", "line 2: This file is generated by jOOQ."),
    ("a.java", "// Generated from Expr.g4 by ANTLR 4.9\n", "line 1: Generated from Expr.g4 by ANTLR 4.9"),
    (
        "a.py",
        "#!/usr/bin/env python\n# This file was automatically generated by SWIG.\n",
        "line 2: This file was automatically",
    ),
    (
        "a.py",
        "# Generated by the protocol buffer compiler.  DO NOT EDIT!\n",
        "line 1: Generated by the protocol buffer compiler.",
    ),
    ("a.rb", "# Autogenerated by Thrift Compiler (0.9.3)\n", "line 1: Autogenerated by Thrift Compiler (0.9.3)"),
    (
        "a.ts",
        "/**\n * NOTE: This class is auto generated by OpenAPI Generator\n",
        "line 2: NOTE: This class is auto generated",
    ),
    (
        "a.php",
        "<?php\n/**\n * Generated by: https://openapi-generator.tech\n */\n",
        "line 3: Generated by: https://openapi",
    ),
    ("a.c", "/* A Bison parser, made by GNU Bison 3.0.4.  */\n", "line 1: A Bison parser, made by GNU Bison 3.0.4."),
    (
        "a.c",
        '#line 2 "a.c"\n#define YY short int\n/* A lexical scanner generated by flex */\n',
        "line 3: A lexical scanner",
    ),
    ("a.c", "/* Generated by Cython 0.29 */\n", "line 1: Generated by Cython 0.29"),
    (
        "a.h",
        "#ifndef A_H\n#define A_H\n// Do not edit this file.\n// It was generated from a.xml.\n",
        "line 4: It was generated",
    ),
    ("a.dart", "// GENERATED CODE - DO NOT MODIFY BY HAND\n", "line 1: GENERATED CODE - DO NOT MODIFY BY HAND"),
    ("a.xml", "<?xml version='1.0'?>\n<!-- This file is auto-generated. -->\n", "line 2: This file is auto-generated."),
    ("a.sql", "-- Automatically generated by the exporter\n", "line 1: Automatically generated by the exporter"),
    (
        "a_ui.py",
        "# WARNING! All changes made in this file will be lost!\n",
        "line 1: WARNING! All changes made in this file will",
    ),
    ("configure", "#! /bin/sh\n# Generated by GNU Autoconf 2.69.\n", "line 2: Generated by GNU Autoconf 2.69."),
    ("Makefile.in", "# Makefile.in generated by automake 1.16.\n", "line 1: Makefile.in generated by automake 1.16."),
    (
        "requirements.txt",
        "#\n# This file is autogenerated by pip-compile\n",
        "line 2: This file is autogenerated by pip-compile",
    ),
    ("a.js", "/*! lib */\n!function(a,b){" + "a=b(c,d);e.f=g;" * 60, "minified: lines of 915 bytes"),
    ("a.css", "a{b:c;d:e}" * 90, "minified: lines of 900 bytes"),
]


@pytest.mark.parametrize(("path", "text", "evidence"), WRITTEN)
def test_generated_headers_are_detected(path: str, text: str, evidence: str) -> None:
    decision = decide_role_of_text(path, text.encode())
    assert decision.role is Role.GENERATED
    assert decision.evidence.startswith(evidence)


BY_HAND = [
    ("a.c", LICENSE + "int main() {}\n"),
    (
        "gen.go",
        'package gen\n\n// Code generated by x. DO NOT EDIT.\nconst head = "// Code generated by x. DO NOT EDIT."\n',
    ),
    ("gen.py", 'HEAD = """\n# Code generated by x. DO NOT EDIT.\n"""\n'),
    ("gen.py", '"""This file was automatically generated."""\n'),
    ("gen.go", '// Gen writes files that begin with "Code generated by gen. DO NOT EDIT."\npackage gen\n'),
    ("gen.py", "# Writes the generated files. Do not edit the generated files by hand.\n"),
    ("gen.sh", "# Parses output that is generated by protoc.\n"),
    ("a.c", '#define HEAD "@generated"\n'),
    ("a.go.tmpl", "// Code generated by x. DO NOT EDIT.\n"),
    ("a.go", "// Code generated by {{.Tool}}. DO NOT EDIT.\npackage a\n"),
    ("a.py", "# Generated by Django 3.2 on 2021-01-01\n"),
    ("a.py", "# The changelog is automatically generated from commits.\n"),
    ("a.py", "# Ids are generated here. Do not change their order.\n"),
    ("a.js", "const data = '" + "QUJDREVG" * 200),
    ("a.js", "export const terms = '" + "a long text that people wrote in one line; " * 40),
    ("a.js", "a=1;b=2;" * 20),
    ("a.py", "f(1,2);g(3,4);" * 100),
]


@pytest.mark.parametrize(("path", "text"), BY_HAND)
def test_mentions_of_generated_code_are_not_headers(path: str, text: str) -> None:
    assert decide_role_of_text(path, text.encode()) == decide_role_of_text(path, b"")


def test_tests_and_docs_take_precedence_over_generated() -> None:
    head = b"// Code generated by mockgen. DO NOT EDIT.\n"
    assert decide_role_of_text("a_test.go", head) == (Role.TEST, "name *_test.go")
    assert decide_role_of_text("docs/api.md", b"<!-- This file is generated. -->") == (Role.DOCS, "folder docs/")
    assert decide_role_of_text("vendor/a.go", head).role is Role.GENERATED


def test_only_the_head_is_read() -> None:
    padding = "# word\n" * (HEAD_BYTES // 7)
    assert find_header("a.py", f"# @generated\n{padding}".encode()) == "line 1: @generated"
    assert find_header("a.py", f"{padding}# @generated\n".encode()) is None


def test_evidence_is_one_plain_line() -> None:
    found = find_header("a.py", b"# @generated \x1b[31m\xff" + b"x" * 500)
    assert found is not None and found.isprintable() and len(found) <= 120


@pytest.mark.parametrize(
    "sign", ["!", "a:", "generated ", "this file is ", "changes to this file ", "do not edit ", "/*"]
)
def test_adversarial_heads_take_linear_time(sign: str) -> None:
    begun = time.process_time()
    find_header("a.js", ("// generated " + sign * HEAD_BYTES).encode())
    assert time.process_time() - begun < 5.0


def _stated(*words: str) -> dict[str, AttributeValue]:
    return {word.lstrip("-"): AttributeValue(not word.startswith("-"), f".gitattributes {word}") for word in words}


@pytest.mark.parametrize(
    ("path", "words", "role", "evidence"),
    [
        ("lib/a.js", (VENDORED,), Role.VENDORED, ".gitattributes linguist-vendored"),
        ("vendor/a.js", (GENERATED,), Role.GENERATED, ".gitattributes linguist-generated"),
        ("lib/a.js", (DOCUMENTATION,), Role.DOCS, ".gitattributes linguist-documentation"),
        ("tests/a.py", (DOCUMENTATION,), Role.DOCS, ".gitattributes linguist-documentation"),
        ("vendor/a.js", (f"-{VENDORED}",), Role.SOURCE, ".gitattributes -linguist-vendored"),
        ("vendor/generated/a.js", (f"-{GENERATED}",), Role.VENDORED, "folder vendor/"),
        ("a.pb.go", (f"-{GENERATED}",), Role.SOURCE, ".gitattributes -linguist-generated"),
        ("docs/a.py", (f"-{DOCUMENTATION}",), Role.SOURCE, ".gitattributes -linguist-documentation"),
        ("docs/a.yaml", (f"-{DOCUMENTATION}", GENERATED), Role.GENERATED, ".gitattributes linguist-generated"),
        ("tests/a.py", (GENERATED, VENDORED), Role.TEST, "folder tests/"),
        ("shop/a.py", (f"-{VENDORED}",), Role.SOURCE, ""),
    ],
)
def test_attributes_override_names(path: str, words: tuple[str, ...], role: Role, evidence: str) -> None:
    assert decide_role_of_text(path, b"", _stated(*words)) == (role, evidence)


def test_attributes_override_headers() -> None:
    head = b"// Code generated by hand. DO NOT EDIT.\n"
    assert decide_role_of_text("a.go", head, _stated(f"-{GENERATED}")).role is Role.SOURCE
