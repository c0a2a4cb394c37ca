"""What a file is there for, by its path: many ecosystems, and names that only look like those of tests."""

from __future__ import annotations

import time

import pytest

from codeplane.languages.roles import (
    Role,
    Scope,
    find_test_folder,
    find_test_roots,
    in_scope,
    is_generated,
    match_test_name,
    role_among,
    role_of,
)

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
        third_party/zlib/tests/x.c  tests/proto/cart_pb2.py  tests/fixtures/cart.json  docs/tests/test_links.py
    """,
    Role.FIXTURE: "testdata/cert.pem internal/command/testdata/apply/main.tf shop/fixtures/carts.json "
    "src/__snapshots__/a.snap src/__fixtures__/a.ts",
    Role.DOCS: "README.md docs/conf.py docs/ref/models.txt LICENSE LICENSE-MIT COPYING doc/index.html src/site/faq.fml "
    "packages/core/docs/guide.ts shop/notes.rst CHANGES third_party/zlib/README.md .github/SECURITY.md",
    Role.EXAMPLE: "examples/hello/main.go sample/01-cats/src/main.ts crates/a/examples/x.rs benches/parse.rs "
    "demos/blog/blog.py docs_src/first.py src/Button.stories.tsx benchmarks/run.py",
    Role.TOOL: "scripts/release.py tools/gen.go .github/workflows/ci.yml hack/verify.sh",
    Role.GENERATED: "shop/cart_pb2.py api/cart.pb.go Cart.g.cs Cart.designer.cs static/app.min.js "
    "src/cart.generated.ts package-lock.json Cargo.lock go.sum uv.lock src/generated/Api.java zz_generated.deepcopy.go",
    Role.VENDORED: "third_party/zlib/inflate.c shop/_vendor/six.py vendor/jquery/x.js deps/lua/lua.c "
    "astropy/extern/ply.py",
    Role.CONFIG: "mypy.toml config/app.yaml src/locale.json .eslintrc .gitignore webpack.config.js app/settings.ini",
    Role.BUILD: "Makefile CMakeLists.txt cmake/find.cmake build.gradle.kts setup.py pyproject.toml Cargo.toml build.rs "
    "package.json pom.xml requirements-dev.txt Dockerfile Rakefile shop.gemspec Shop/Shop.csproj BUILD.bazel go.mod",
    Role.SOURCE: """
        src/_pytest/fixtures.py  testing.go  contest.py  latest/index.js  django/test/client.py  django/test/utils.py
        lib/rack/mock.rb  lib/rack/test/methods.rb  lib/action_dispatch/testing/test_process.rb
        src/main/java/junit/framework/TestCase.java  src/main/java/org/springframework/test/Context.java
        spring-test/src/main/java/org/springframework/Mock.java  prometheus/testutil/promlint.go  flask/testing.py
        packages/cli/src/commands/test/index.ts  cmd/go/internal/test/run.go  django/core/management/commands/test.py
        packages/zone.js/lib/zone-spec/sync-test.ts  doc/man_docs.go  app/docs/router.py  openapi/spec/schema.py
        src/app/app.config.ts  src/main/java/org/example/App.java  license.py  shop/templates/mail/welcome.txt
        app/api/deps/auth.py  src/Edit.java  UNIT.java  pkg/spec/types.go  src/attestation.rs  Dockerfile_parser.py
        schema.graphql  index.html  shop/tools/hammer.py
    """,
}
CASES = [(path, role) for role, paths in PATHS.items() for path in paths.split()]


@pytest.mark.parametrize(("path", "role"), CASES)
def test_a_path_says_what_a_file_is_for(path: str, role: Role) -> None:
    assert role_of(path) is role


def test_every_role_is_given() -> None:
    assert set(PATHS) == set(Role)


@pytest.mark.parametrize(
    ("scope", "roles"),
    [
        ("runtime", set(Role) - {Role.TEST, Role.FIXTURE, Role.DOCS}),
        ("docs", {Role.TEST, Role.FIXTURE, Role.DOCS}),
        ("mixed", set(Role)),
    ],
)
def test_what_a_scope_holds(scope: Scope, roles: set[Role]) -> None:
    assert {role for role in Role if in_scope(role, scope)} == roles


def test_neighbours_called_like_tests_make_a_folder_one_of_tests() -> None:
    seen = ["tornado/test/util.py", "tornado/test/web_test.py", "django/test/client.py"]
    roots = find_test_roots(seen)
    assert [role_of(path) for path in seen] == [Role.SOURCE, Role.TEST, Role.SOURCE]
    assert [role_among(path, roots) for path in seen] == [Role.TEST, Role.TEST, Role.SOURCE]
    assert find_test_folder("tornado/test/util.py", roots) == "tornado/test"


def test_a_test_folder_is_the_outermost_as_it_is_written() -> None:
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
def test_how_a_test_beside_the_sources_is_recognised(path: str, glob: str | None) -> None:
    assert match_test_name(path) == glob


@pytest.mark.parametrize("path", ["tests/cart_pb2.py", "docs/generated/x.md", "yarn.lock", "a/b.min.js"])
def test_what_is_generated_is_so_whatever_else_it_is(path: str) -> None:
    assert is_generated(path)
    assert not is_generated("shop/cart.py")


def test_odd_paths_have_a_role() -> None:
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
        assert role_of(path) in Role


def test_roles_are_cheap() -> None:
    paths = [f"src/part{number % 50}/module_{number}.py" for number in range(5000)]
    role_of.cache_clear()
    begun = time.perf_counter()
    for path in paths:
        role_of(path)
    assert time.perf_counter() - begun < 1.0
