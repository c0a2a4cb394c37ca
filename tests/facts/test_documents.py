"""Documents and data: limits hold, and embedded code is kept separate from the document."""

from __future__ import annotations

import time

import pytest

from codeplane.facts.documents import MAX_PARTS, MAX_SITES
from codeplane.facts.extract import extract
from codeplane.facts.model import Def, Extraction, Ref, Tier
from codeplane.languages.keys import MAX_KEYS
from codeplane.languages.matrix import supported, text_only
from codeplane.languages.registry import detect, find


def read(path: str, text: str | bytes) -> Extraction:
    language = detect(path)
    assert language is not None
    return extract(language.name, path, text.encode() if isinstance(text, str) else text)


def paths(extraction: Extraction) -> list[str]:
    return [row.lexical_path for row in extraction.facts.defs]


def named(extraction: Extraction, name: str) -> list[Def]:
    return [row for row in extraction.facts.defs if row.name == name]


def test_scripts_of_one_page_do_not_see_each_other() -> None:
    page = read("a.html", "<script>var x = 1</script>\n<script>x; var y = 2; y</script>\n")
    refs = [Ref(*row) for row in page.facts.refs]
    second = [row for row in refs if row.start_line == 2]
    assert [page.facts.names[row.name] for row in second] == ["x", "y", "y"]
    assert second[0].bind is None and second[0].tier == Tier.UNKNOWN
    assert second[1].bind == second[2].bind is not None


def test_rows_of_parts_refer_to_their_own_part() -> None:
    script = "import {{ a }} from './{0}'; export function f{0}() {{ return a }}"
    page = read("a.html", "".join(f"<script type=module>{script.format(n)}</script>\n" for n in range(3)))
    facts = page.facts
    assert [row.source_literal for row in facts.imports] == ["./0", "./1", "./2"]
    assert [facts.defs[row.definition or 0].name for row in facts.exports] == ["f0", "f1", "f2"]
    for ref in (Ref(*row) for row in facts.refs):
        if facts.names[ref.name] == "a" and ref.bind is not None:
            target = facts.binds[ref.bind].target
            assert target is not None and facts.imports[target].start_line == ref.start_line
    assert {facts.scopes[row.scope].kind for row in facts.defs} == {"part"}


def test_equal_definitions_in_two_fences_have_different_ids() -> None:
    fence = "```python\ndef f(a): pass\n```\n"
    both = named(read("a.md", f"# A\n{fence}\ntext\n{fence}"), "f")
    assert len({row.def_uid for row in both}) == 2
    moved = named(read("a.md", f"intro\n\n# A\nmore\n\n{fence}\ntext\n{fence}"), "f")
    assert [row.def_uid for row in moved] == [row.def_uid for row in both]
    elsewhere = named(read("a.md", f"# B\n{fence}"), "f")
    assert elsewhere[0].def_uid not in {row.def_uid for row in both}


def test_samples_export_nothing_and_may_be_broken() -> None:
    page = read(
        "a.md",
        "# A\n```python\ndef f(a): ...\nimport x\n__all__ = ['f']\nclass (:\n```\n```js\nexport * from 'y'\n```\n",
    )
    assert paths(page) == ["A", "A.f", "A.__all__"]
    assert (page.facts.exports, page.facts.reexports, page.problems) == ([], [], ())


def test_syntax_errors_in_scripts_are_problems_of_the_page() -> None:
    page = read("a.html", "<p>\n<script>\nfunction f( {\n</script>\n<p id=a>\n")
    assert [problem.line for problem in page.problems] == [3]
    assert "a" in paths(page)


def test_nested_documents_are_not_expanded() -> None:
    cell = '{"cells": [{"cell_type": "markdown", "source": "# A\\n```python\\ndef f(): pass\\n```\\n"}]}'
    assert paths(read("a.ipynb", cell)) == ["cell 1", "cell 1.A"]


def test_parts_are_bounded() -> None:
    page = read("a.html", "<script>f()</script>\n" * (MAX_PARTS + 5))
    assert len(page.facts.scopes) == 1 + MAX_PARTS
    assert [(problem.code, problem.line) for problem in page.problems] == [("cut", MAX_PARTS + 1)]


def test_definitions_are_bounded() -> None:
    sheet = read("a.css", "".join(f".c{n} {{ x: y }}\n" for n in range(20_000)))
    assert len(sheet.facts.defs) == MAX_SITES
    assert [(problem.code, problem.line) for problem in sheet.problems] == [("cut", MAX_SITES + 1)]


@pytest.mark.parametrize("path", ["a.json", "a.yaml", "a.toml"])
def test_top_level_keys_are_kept_first(path: str) -> None:
    pairs = [(f"outer{n}", f"inner{n}") for n in range(MAX_KEYS // 2 + 50)]
    text = {
        "a.json": "{" + ", ".join(f'"{a}": {{"{b}": 1}}' for a, b in pairs) + "}",
        "a.yaml": "".join(f"{a}:\n  {b}: 1\n" for a, b in pairs),
        "a.toml": "".join(f"[{a}]\n{b} = 1\n" for a, b in pairs),
    }[path]
    found = paths(read(path, text))
    assert len(found) == MAX_KEYS
    assert [a for a, _ in pairs] == [name for name in found if "." not in name]
    assert found[:2] == ["outer0", "outer0.inner0"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("package-lock.json", '{"packages": {"a": {"version": "1"}}}'),
        ("pnpm-lock.yaml", "packages:\n  a:\n    version: 1\n"),
    ],
)
def test_lock_files_keep_top_level_keys_only(path: str, text: str) -> None:
    assert paths(read(path, text)) == ["packages"]


def test_columns_count_characters_not_bytes() -> None:
    source = "<p>größe</p><script>let ä = 'ö', b = ä</script>\n"
    refs = [Ref(*row) for row in read("a.html", source).facts.refs]
    assert [source[ref.start_col : ref.end_col] for ref in refs] == ["ä", "b", "ä"]


def test_components_are_named_after_file_or_folder() -> None:
    assert paths(read("src/Button.vue", "")) == ["Button"]
    assert paths(read("src/menu/index.svelte", "<script>let a</script>")) == ["menu", "menu.a"]


HOSTILE = {
    "tags": ("a.html", b"<div id=a>" * 10_000),
    "end tags": ("a.html", b"</div>" * 100_000),
    "attributes": ("a.html", b"<a id=b c=" * 50_000),
    "open scripts": ("a.svelte", b"<script>" * 100_000),
    "sequences": ("a.yaml", b"- " * 10_000 + b"a\n"),
    "indentation": ("a.yaml", b"".join(b" " * n + b"a:\n" for n in range(1400))),
    "blanks": ("a.yaml", b"a" + b" " * 500_000 + b"b\n"),
    "quotations": ("a.md", b"> " * 10_000 + b"a\n"),
    "lists": ("a.md", b"- " * 10_000 + b"a\n"),
    "hashes": ("a.md", b"# a" + b" #" * 200_000 + b" x"),
    "links": ("a.md", b"# " + b"[" * 300_000),
    "rules": ("a.css", b".a{color:red}" * 20_000),
    "blocks": ("a.scss", b".a{" * 10_000),
    "selectors": ("a.css", b".a " * 200_000 + b"{}"),
    "one line": ("a.json", b"{" + b",".join(b'"k%d":{"v":"\xc3\xa9"}' % n for n in range(40_000)) + b"}"),
    "arrays": ("a.json", b"[" * 10_000),
    "objects": ("a.json", b'{"a":' * 10_000),
    "dotted keys": ("a.toml", b"a." * 200_000),
    "routines": ("a.sql", b"CREATE FUNCTION f() BEGIN x;\n" * 30_000),
    "statements": ("a.sql", b"CREATE PROC a\n" * 60_000),
    "messages": ("a.proto", b"message A {" * 10_000),
    "types": ("a.graphql", b"type A {\n" * 100_000),
    "stages": ("a.dockerfile", b"FROM a AS b\nENV A=1\n" * 20_000),
    "cells": ("a.ipynb", b'{"cells":[' + b",".join([b'{"cell_type":"code","source":"x = 1"}'] * 20_000) + b"]}"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_documents_take_linear_time(case: str) -> None:
    path, text = HOSTILE[case]
    read(path, b"")
    started = time.process_time()
    found = read(path, text[: 1 << 20])
    # Each takes well below a second; a quadratic one takes minutes.
    assert time.process_time() - started < 5
    assert max((len(name) for name in paths(found)), default=0) < 10_000


def test_detection_by_file_name() -> None:
    names = {"Dockerfile.dev": "dockerfile", "Dockerfile": "dockerfile", "a.TF": "hcl", "Dockerfile.py": "python"}
    for path, name in names.items():
        language = detect(path)
        assert language is not None and language.name == name
    assert [language and language.name for language in map(find, ("py", "Python", "nothing"))] == ["python"] * 2 + [
        None
    ]


def test_matrix_lists_every_language_once() -> None:
    names = [row.name for row in supported()]
    assert names == sorted(set(names))
    assert {"html", "python"} <= set(names)
    claimed = {extension for row in supported() for extension in row.extensions}
    assert claimed.isdisjoint(name for row in text_only() for name in row.files)
