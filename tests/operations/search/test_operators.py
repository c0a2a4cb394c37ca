"""Query operators: where they are parsed, where they are text, and what is rejected."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.languages.registry import languages
from codeplane.operations.search.operators import PREFIX_MAX_CHARS, ParsedQuery, find_language_filter, parse_query


def fields(query: str) -> dict[str, object]:
    """Return the parsed query without default fields."""
    parsed = parse_query(query)
    named = {name: getattr(parsed, name) for name in ("languages", "paths", "excluded_paths", "must", "exclude")}
    return {"text": parsed.text, **{name: value for name, value in named.items() if value}}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("retry backoff", {"text": "retry backoff"}),
        ("  retry\tbackoff ", {"text": "retry\tbackoff"}),
        ("lang:go retry", {"text": "retry", "languages": ("go",)}),
        (
            "lang:py path:src/ -path:src/gen must:sleep exclude:mock retry",
            {
                "text": "retry",
                "languages": ("python",),
                "paths": ("src/",),
                "excluded_paths": ("src/gen",),
                "must": ("sleep",),
                "exclude": ("mock",),
            },
        ),
        ("must:a must:b must:a x", {"text": "x", "must": ("a", "b")}),
        ("lang:ts lang:typescript lang:go x", {"text": "x", "languages": ("typescript", "go")}),
        ("lang:py,go x", {"text": "x", "languages": ("python", "go")}),
        ('must:"two words" x', {"text": "x", "must": ("two words",)}),
        (r'must:"say \"hi\" c:\\temp \d" x', {"text": "x", "must": (r'say "hi" c:\temp \d',)}),
        ('path:"a b/*.py"', None),
        ("must:only", {"text": "", "must": ("only",)}),
        ("must:only lang:go", {"text": "", "must": ("only",), "languages": ("go",)}),
        ("find lang:go", {"text": "find lang:go"}),
        ("lang:go find path:src", {"text": "find path:src", "languages": ("go",)}),
        (r"\lang:go x", {"text": "lang:go x"}),
        (r"must:a \must:b exclude:c", {"text": "must:b exclude:c", "must": ("a",)}),
        (r"\d+ lang:go", {"text": r"\d+ lang:go"}),
        (r"\\lang:go", {"text": r"\\lang:go"}),
        ("Lang:go x", {"text": "Lang:go x"}),
        ("xpath:a x", {"text": "xpath:a x"}),
        ("--path:a x", {"text": "--path:a x"}),
        ("lang::go x", None),
        ("http://x/path:1", {"text": "http://x/path:1"}),
        ("must:a:b x", {"text": "x", "must": ("a:b",)}),
        ('must:say"hi" x', {"text": "x", "must": ('say"hi"',)}),
        ("must:é\u2003x", {"text": "x", "must": ("é",)}),
        ("", {"text": ""}),
        ("   ", {"text": ""}),
    ],
)
def test_operators_are_parsed(query: str, expected: dict[str, object] | None) -> None:
    if expected is None:
        with pytest.raises(CodePlaneError):
            parse_query(query)
    else:
        assert fields(query) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("lang: go", "a value"),
        ("path:", "a value"),
        ('must:"" x', "a value"),
        ('must:"  " x', "a value"),
        ('must:"no end', 'closing "'),
        (r'must:"no end\" x', 'closing "'),
        ('must:"a"b x', "a space"),
        ("path:src lang:go", "words after"),
        ("exclude:x", "words after"),
        ("lang:pyhton x", "python"),
        ("lang:qqqq x", "rust"),
        ("lang:nope x", "c, clojure"),
        ("lang:x x", "c, clojure"),
    ],
)
def test_malformed_operator_is_rejected_with_example(query: str, expected: str) -> None:
    with pytest.raises(CodePlaneError) as raised:
        parse_query(query)
    error = raised.value
    assert error.code is ErrorCode.ARGUMENT_INVALID
    assert error.expected is not None and expected in error.expected
    assert error.received and error.example


def test_suggested_example_parses() -> None:
    with pytest.raises(CodePlaneError, match="must:"):
        parse_query('must:"no end')
    assert parse_query('\\must:"no end').text == 'must:"no end'


def test_operators_are_parsed_at_the_start_only() -> None:
    long = "must:" + "a" * (PREFIX_MAX_CHARS - 7)
    assert len(long) == PREFIX_MAX_CHARS - 2
    assert parse_query(f"{long} must:b x").must == (long[5:], "b")
    assert parse_query(f"{long}aa must:b x") == ParsedQuery(
        "must:b x", must=(long[5:] + "aa",), summary=parse_query(f"{long}aa must:b x").summary
    )
    assert parse_query(" " * PREFIX_MAX_CHARS + "must:b").text == "must:b"


def test_summary_lists_parsed_operators() -> None:
    assert parse_query('lang:rs -path:"a b" find it').summary == {
        "prefix_chars": 20,
        "lang": ["rust"],
        "path": [],
        "exclude_path": ["a b"],
        "must": [],
        "exclude": [],
        "escaped": False,
    }
    assert parse_query(" find it").summary["prefix_chars"] == 0
    assert parse_query(r"\must:x").summary["escaped"] is True


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("py", "python"),
        ("TS", "typescript"),
        ("jsx", "javascript"),
        ("golang", "go"),
        ("rs", "rust"),
        ("c#", "csharp"),
        ("C++", "cpp"),
        ("kt", "kotlin"),
        ("rb", "ruby"),
        ("sh", "bash"),
        ("yml", "yaml"),
        ("md", "markdown"),
        ("json_yaml", "json_yaml"),
    ],
)
def test_language_aliases(alias: str, name: str) -> None:
    assert find_language_filter(alias).name == name


def test_every_indexed_language_has_a_filter() -> None:
    for language in languages():
        assert language.name in find_language_filter(language.name).languages


_PIECES = st.sampled_from(
    [
        "lang:",
        "path:",
        "-path:",
        "must:",
        "exclude:",
        "\\",
        '"',
        " ",
        "\t",
        "go",
        "py",
        "a b",
        "é",
        "\udc80",
        "\0",
        "\n",
    ]
)
QUERIES = st.one_of(st.text(max_size=300), st.lists(_PIECES | st.text(max_size=5), max_size=40).map("".join))


@settings(max_examples=300)
@given(QUERIES)
@example('must:"')
@example("\\")
@example("\ud800lang:go")
def test_arbitrary_query_parses_or_is_rejected(query: str) -> None:
    try:
        parsed = parse_query(query)
    except CodePlaneError as error:
        assert error.code is ErrorCode.ARGUMENT_INVALID
        return
    assert query.strip().endswith(parsed.text)
    assert parse_query(query) == parsed
    if not parsed.summary["prefix_chars"] and not parsed.summary["escaped"]:
        assert parsed.text == query.strip()


@settings(max_examples=100)
@given(st.text(min_size=1).filter(lambda value: value.strip() != ""))
def test_any_value_can_be_quoted(value: str) -> None:
    quoted = value.replace("\\", "\\\\").replace('"', '\\"')
    assert parse_query(f'must:"{quoted}" x').must == (value,)
