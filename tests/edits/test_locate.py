"""Text edits by example, and against a naive model."""

from __future__ import annotations

import os
import random

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.disk.encoding import find_line_ending
from codeplane.edits.line_endings import with_endings, with_final_newline
from codeplane.edits.splice import MAX_SITES, edit_text
from codeplane.edits.text_edit import Replacement
from edits.naive import Refused, naive, random_case

_REFUSALS = {
    ErrorCode.EDIT_AMBIGUOUS: "ambiguous",
    ErrorCode.EDIT_NOT_FOUND: "missing",
    ErrorCode.EDIT_OVERLAP: "overlap",
    ErrorCode.ARGUMENT_INVALID: "invalid",
}


def edited(text: str, *edits: Replacement) -> str:
    return edit_text(text, edits, find_line_ending(text.encode())).text


def refusal(text: str, *edits: Replacement) -> CodePlaneError:
    with pytest.raises(CodePlaneError) as caught:
        edited(text, *edits)
    return caught.value


@pytest.mark.parametrize(
    ("text", "edit", "result"),
    [
        ("a\nb\nc\n", Replacement("x", None, 2, 2), "a\nx\nc\n"),
        ("a\nb\nc\n", Replacement("x\n", None, 2, 2), "a\nx\nc\n"),
        ("a\nb\nc\n", Replacement("x\n\n", None, 2, 2), "a\nx\n\nc\n"),
        ("a\nb\nc\n", Replacement("", None, 2, 3), "a\n"),
        ("a\nb\nc\n", Replacement("x", None, 1, 0), "x\na\nb\nc\n"),
        ("a\nb\n", Replacement("x", None, 3, 2), "a\nb\nx\n"),
        ("a\nb", Replacement("x", None, 3, 2), "a\nb\nx"),
        ("a\nb", Replacement("x\n", None, 2, 2), "a\nx"),
        ("a\nb", Replacement("", None, 2, 2), "a\n"),
        ("", Replacement("x\n", None, 1, 0), "x\n"),
        ("a\r\nb\r\n", Replacement("x\ny", None, 2, 2), "a\r\nx\r\ny\r\n"),
        ("a\nb\n", Replacement("x\r\ny", None, 2, 2), "a\nx\ny\n"),
        ("a\r\nb\nc\r\n", Replacement("x\ny", None, 2, 2), "a\r\nx\ny\nc\r\n"),
        ("a\rb\rc\r", Replacement("x\ny", "b"), "a\rx\ry\rc\r"),
        ("one two\n", Replacement("2", "two"), "one 2\n"),
        ("a\r\nb\r\nc\r\n", Replacement("x\n", "b\nc\n"), "a\r\nx\r\n"),
        ("a\nb\nc\n", Replacement("x", "c", 1), "a\nb\nx\n"),
        ("a\nb\na\n", Replacement("x", "a", 3), "a\nb\nx\n"),
    ],
)
def test_edit(text: str, edit: Replacement, result: str) -> None:
    assert edited(text, edit) == result


@pytest.mark.parametrize(
    ("text", "edits", "after"),
    [
        ("", [Replacement("x", None, 1, 0)], ["1"]),
        ("", [Replacement("x\ny\n", None, 1, 0)], ["1-2"]),
        ("a\nb", [Replacement("", None, 2, 2)], ["2-1"]),
        ("a\nb", [Replacement("", "b")], ["2-1"]),
        ("a\nb", [Replacement("c\nd", None, 3, 2)], ["3-4"]),
        ("a\nb\n", [Replacement("", None, 1, 2)], ["1-0"]),
        ("a b\nc\n", [Replacement("", "a "), Replacement("x\ny", None, 2, 2)], ["1", "2-3"]),
    ],
)
def test_new_lines_of_sites(text: str, edits: list[Replacement], after: list[str]) -> None:
    found = edit_text(text, edits, find_line_ending(text.encode()))
    assert [str(site.after) for site in found.sites] == after


@pytest.mark.parametrize("end", [1, 0])
def test_old_text_with_an_empty_range_is_invalid(end: int) -> None:
    assert refusal("a\nb\nc\n", Replacement("x", "b", 2, end)).code is ErrorCode.ARGUMENT_INVALID


def test_moved_lines_are_found_and_reported() -> None:
    found = edit_text("new\nnew\na\nb\n", [Replacement("x\ny\n", "a\nb\n", 1, 2)], "lf")
    assert found.text == "new\nnew\nx\ny\n"
    site = found.sites[0]
    assert (str(site.requested), str(site.before), str(site.after)) == ("1-2", "3-4", "3-4")


def test_edits_refer_to_the_original_text() -> None:
    found = edit_text("1\n2\n3\n4\n", [Replacement("c", None, 4, 4), Replacement("a\na\na", None, 1, 1)], "lf")
    assert found.text == "a\na\na\n2\n3\nc\n"
    assert [str(site.after) for site in found.sites] == ["6", "1-3"]


@pytest.mark.parametrize("edit", [Replacement("x", "a"), Replacement("x", "a", 2)])
def test_several_matches_are_ambiguous(edit: Replacement) -> None:
    error = refusal("a\nb\na\n", edit)
    assert error.code is ErrorCode.EDIT_AMBIGUOUS
    assert error.details == {"lines": [1, 3], "total": 2}
    assert "(lines 1, 3)" in error.message and "start_line=1" in str(error.remedy)


@pytest.mark.parametrize(
    ("text", "old", "line", "result"),
    [
        ("a\nb\na\n", "a", 3, "a\nb\nx\n"),
        ("a\nb\nc\na\n", "a", 2, "x\nb\nc\na\n"),
        ("a\nb\nc\na\n", "a", 3, "a\nb\nc\nx\n"),
        ("a\nb\na\n", "a", 99, "a\nb\nx\n"),
        ("one two\n", "two", 1, "one x\n"),
        ("one two\n", "two", 7, "one x\n"),
        ("return xyz\n\n\nreturn x\n", "return x", 2, "return xyz\n\n\nx\n"),
        ("return xyz\n\n\nreturn x\n", "return x", 1, "xyz\n\n\nreturn x\n"),
        ("a\r\nb\r\na\r\n", "a", 3, "a\r\nb\r\nx\r\n"),
        ("a\n" * 300 + "b\n" + "a\n" * 300, "a", 450, "a\n" * 300 + "b\n" + "a\n" * 148 + "x\n" + "a\n" * 151),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_start_line_picks_the_nearest_match(text: str, old: str, line: int, result: str) -> None:
    assert edited(text, Replacement("x", old, line)) == result


def test_two_matches_in_the_hinted_line_are_ambiguous() -> None:
    error = refusal("a = a\nb\n", Replacement("x", "a", 1))
    assert error.code is ErrorCode.EDIT_AMBIGUOUS
    assert "2 times (line 1)" in error.message and "start_line" not in str(error.remedy)


@pytest.mark.parametrize(
    ("text", "old", "new", "result", "count"),
    [
        ("a b a\nba\n", "a", "x", "x b x\nbx\n", 3),
        ("aaaa\n", "aa", "b", "bb\n", 2),
        ("aaa\n", "aa", "aaa", "aaaa\n", 1),
        ("a\r\nb\r\na\r\nb", "a\nb", "c\nd", "c\r\nd\r\nc\r\nd", 2),
        ("x\n" * 5000, "x\n", "", "", 5000),
        ("  a\n  b\n\ta\n\tb\n", "a\nb\n", "a\n  c\nb\n", "  a\n    c\n  b\n\ta\n\t\tc\n\tb\n", 2),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_replace_all(text: str, old: str, new: str, result: str, count: int) -> None:
    found = edit_text(text, [Replacement(new, old, replace_all=True)], find_line_ending(text.encode()))
    assert (found.text, found.counts) == (result, (count,))
    assert len(found.sites) == min(count, MAX_SITES)


def test_replace_all_of_a_missing_text_is_refused() -> None:
    assert refusal("a\n", Replacement("x", "b", replace_all=True)).code is ErrorCode.EDIT_NOT_FOUND


def test_replace_all_overlapping_another_edit_is_refused() -> None:
    edits = (Replacement("x", "a", replace_all=True), Replacement("y", "b a"))
    assert refusal("a\nb a\n", *edits).code is ErrorCode.EDIT_OVERLAP


def test_overlapping_matches_are_ambiguous() -> None:
    assert refusal("aaa\n", Replacement("x", "aa")).code is ErrorCode.EDIT_AMBIGUOUS


METHOD = "class C:\n    def f(self):\n        if self.x:\n            return 1\n\n        return 2\n"
TABBED = METHOD.replace("    ", "\t")
CLOSED = "\tfunc() {\n\t\tx()\n\t}\n"


@pytest.mark.parametrize(
    ("text", "old", "new", "result"),
    [
        pytest.param(
            METHOD,
            "if self.x:\n    return 1\n",
            "if self.y:\n    return 3\n\nelse:\n    pass\n",
            METHOD.replace("self.x", "self.y").replace("return 1\n", "return 3\n\n        else:\n            pass\n"),
            id="dedented",
        ),
        pytest.param(
            METHOD,
            "  if self.x:\n      return 1",
            "  if self.y:\n      return 1",
            METHOD.replace("self.x", "self.y"),
            id="shifted to the left",
        ),
        pytest.param(
            METHOD,
            "                if self.x:\n                    return 1",
            "                if self.y:\n                    return 1",
            METHOD.replace("self.x", "self.y"),
            id="shifted to the right",
        ),
        pytest.param(
            METHOD,
            "            if self.x:\n                return 1",
            "            if self.x:\n                return 1\n        print()",
            METHOD.replace("return 1\n", "return 1\n    print()\n"),
            id="a new line is indented less than the old ones",
        ),
        pytest.param(
            TABBED,
            "if self.x:\n    return 1\n",
            "if self.x:\n    if self.y:\n        return 1\n",
            TABBED.replace("\t\t\treturn 1\n", "\t\t\tif self.y:\n\t\t\t\treturn 1\n"),
            id="spaces for tabs",
        ),
        pytest.param(
            METHOD,
            "\t\tif self.x:\n\t\t\treturn 1\n",
            "\t\tif self.x:\n\t\t\treturn 3\n",
            METHOD.replace("return 1", "return 3"),
            id="tabs for spaces",
        ),
        pytest.param(
            CLOSED,
            "    func() {\n        x()\n    }\n",
            "    func() {\n        if y {\n            x()\n        }\n    }\n",
            "\tfunc() {\n\t\tif y {\n\t\t\tx()\n\t\t}\n\t}\n",
            id="spaces for tabs, with the first level",
        ),
        pytest.param(
            "\tone()\n\ttwo()\n",
            "one()\ntwo()\n",
            "if a {\n    one()\n}\n/**\n * c\n */\n",
            "\tif a {\n\t\tone()\n\t}\n\t/**\n\t * c\n\t */\n",
            id="a level that the old text does not show",
        ),
        pytest.param("x = 1\n", "    x = 1", "    x = 2", "x = 2\n", id="one line indented too far"),
        pytest.param("  a\n   \n  b\n", "a\n\nb", "c\n\nd", "  c\n\n  d\n", id="blank lines match blank lines"),
        pytest.param("  a\r\n  b\r\n", "a\nb\n", "c\nd\n", "  c\r\n  d\r\n", id="CRLF"),
        pytest.param("x\n  a\n  b", "a\nb\n", "c\nd\n", "x\n  c\n  d", id="no final newline"),
        pytest.param("x\na", "a\n", "b\n", "x\nb", id="no final newline, same indentation"),
    ],
)
def test_text_with_another_indentation_is_matched_and_reindented(text: str, old: str, new: str, result: str) -> None:
    assert edited(text, Replacement(new, old)) == result


def test_reindenting_is_reported() -> None:
    found = edit_text("  a\n  b\n", [Replacement("c", "a\nb")], "lf")
    assert found.sites[0].reindented
    assert not edit_text("  a\n  b\n", [Replacement("c", "a\n  b")], "lf").sites[0].reindented


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        pytest.param("if x:\n    run()\n", "if x:\n  run()", "y", id="another width"),
        pytest.param("    if x:\n        run()\n", "if x:\nrun()", "y", id="all levels removed"),
        pytest.param("  a\n b\n", "a\nb", "y", id="levels differ"),
        pytest.param("  a \n  b\n", "a\nb", "y", id="trailing space"),
        pytest.param("a\nb\n", "  a\n  b", "c\nd", id="a new line would be left of the margin"),
    ],
)
def test_other_differences_in_white_space_are_not_matched(text: str, old: str, new: str) -> None:
    error = refusal(text, Replacement(new, old))
    assert error.code is ErrorCode.EDIT_NOT_FOUND and error.details["similar_lines"] == "1-2"
    excerpt = error.details["excerpt"]
    assert isinstance(excerpt, list) and "white space" in excerpt[0]


def test_exact_match_wins_over_reindented_match() -> None:
    assert edited("  a\n  b\na\nb\n", Replacement("x", "a\nb")) == "  a\n  b\nx\n"


def test_several_places_with_another_indentation_are_ambiguous_without_a_hint() -> None:
    text = "  a\n  b\nc\n    a\n    b\n"
    assert refusal(text, Replacement("x", "a\nb")).details == {"lines": [1, 4], "total": 2}
    assert edited(text, Replacement("x\ny", "a\nb", 5)) == "  a\n  b\nc\n    x\n    y\n"


def test_a_block_moved_with_its_indentation_gives_the_same_result() -> None:
    """Indenting old and new text by the same rule must not change the result."""
    chance = random.Random(5)
    body = "".join(f"{'    ' * chance.randrange(4)}line {number}\n" for number in range(40))
    for _ in range(300):
        first = chance.randrange(38)
        old = body.splitlines(keepends=True)[first : first + chance.randrange(2, 5)]
        new = [line.replace("line", "new") for line in old] + [old[-1].replace("line", "extra")]
        expected = edited(body, Replacement("".join(new), "".join(old)))
        margin = min(len(line) - len(line.lstrip()) for line in old)
        for shift in (lambda line, cut=margin: line[cut:], lambda line: f"  {line}", lambda line: f"\t{line}"):
            assert edited(body, Replacement("".join(map(shift, new)), "".join(map(shift, old)))) == expected
        tabs = [line.replace("    ", "\t") for line in old], [line.replace("    ", "\t") for line in new]
        assert edited(body, Replacement("".join(tabs[1]), "".join(tabs[0]))) == expected


def test_whole_lines_are_not_found_within_a_line() -> None:
    error = refusal("one two\n", Replacement("x", "two", 1, whole_lines=True))
    assert error.code is ErrorCode.EDIT_NOT_FOUND
    assert edited("xa\na\n", Replacement("b", "a", 1, whole_lines=True)) == "xa\nb\n"
    assert refusal("a\nb\na\n", Replacement("x", "a", 2, whole_lines=True)).code is ErrorCode.EDIT_AMBIGUOUS


@pytest.mark.parametrize(("start", "end"), [(0, 1), (1, 4), (5, 5), (3, 1), (-1, 1)])
def test_lines_out_of_range_are_invalid(start: int, end: int) -> None:
    assert refusal("a\nb\nc\n", Replacement("x", None, start, end)).code is ErrorCode.ARGUMENT_INVALID


def test_edits_of_the_same_lines_are_refused() -> None:
    error = refusal("a\nb\nc\n", Replacement("x", None, 1, 2), Replacement("y", "b"))
    assert error.code is ErrorCode.EDIT_OVERLAP


NEAR = "a = 1\nbeta = 2\ngamma = 3\nd = 4\n\ndef total(items):\n    return sum(items)\n"


@pytest.mark.parametrize(
    ("old", "lines", "excerpt"),
    [
        ("beta = 2\ngamma = 0\nd = 4\n", "2-4", [" 2\tbeta = 2", "-\tgamma = 0", "+3\tgamma = 3", " 4\td = 4"]),
        ("gamma = 33", "3", ["-\tgamma = 33", "+3\tgamma = 3"]),
        (
            "def total(items):\n    return sum(item.price)\n",
            "6-7",
            [" 6\tdef total(items):", "-\t    return sum(item.price)", "+7\t    return sum(items)"],
        ),
        ("def total(items):\n    log()\n    return sum(items)", "6-7", [" 6\tdef total(items):", "-\t    log()"]),
        ("a = 1\ngamma = 3\n", "1-3", [" 1\ta = 1", "+2\tbeta = 2", " 3\tgamma = 3"]),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_a_miss_shows_the_nearest_lines_and_what_differs(old: str, lines: str, excerpt: list[str]) -> None:
    error = refusal(NEAR, Replacement("x", old))
    assert error.code is ErrorCode.EDIT_NOT_FOUND
    shown = error.details["excerpt"]
    assert error.details["nearest_lines"] == lines and isinstance(shown, list)
    assert shown[0] == f"nearest: line{'s' if '-' in lines else ''} {lines} (- old_text, + file)"
    assert shown[1 : 1 + len(excerpt)] == excerpt


@pytest.mark.parametrize("old", ["zz = unlike(anything)", "\n\n\n\n\n", "}", "é" * 50])
def test_a_miss_without_similar_lines_shows_none(old: str) -> None:
    error = refusal(NEAR, Replacement("x", old))
    assert error.code is ErrorCode.EDIT_NOT_FOUND and error.details == {}
    assert refusal("", Replacement("x", old)).details == {}


def test_the_excerpt_of_a_miss_is_bounded() -> None:
    text = "".join(f"value_{number} = {number}\n" for number in range(500))
    error = refusal(text, Replacement("x", text.replace("= ", "== ") + "y" * 10_000))
    excerpt = error.details["excerpt"]
    assert isinstance(excerpt, list)
    assert len(excerpt) <= 26 and max(map(len, excerpt)) <= 210


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    ("text", "old"),
    [
        ("a\n" * 500_000, "a\n" * 10_000 + "b\n"),
        (" a\n" * 500_000, "a\n" * 10_000 + "b\n"),
        ("x" * 8_000_000, "x" * 100_000 + "y"),
        ("word " * 1_000_000, "word other"),
        ("\t" * 1_000_000, "    a"),
    ],
    ids=["lines", "indented lines", "one line", "words", "tabs"],
)
def test_miss_in_a_huge_file_is_bounded(text: str, old: str) -> None:
    assert refusal(text, Replacement("x", old)).code is ErrorCode.EDIT_NOT_FOUND
    assert refusal(text, Replacement("x", old, 17)).code is ErrorCode.EDIT_NOT_FOUND


def test_many_candidates_are_counted_up_to_a_bound() -> None:
    error = refusal("a\n" * 50_000, Replacement("x", "a\n" * 10_000))
    assert error.details["total"] == 100


def test_unchanged_lines_keep_their_endings() -> None:
    mixed = "a\r\nb\nc\r\nd\n"
    for shown in (mixed, mixed.replace("\r\n", "\n")):
        assert edited(mixed, Replacement(shown, shown)) == mixed
        assert edited(mixed, Replacement(shown, shown, 1)) == mixed
        assert edited(mixed, Replacement(shown.replace("c", "x"), shown)) == "a\r\nb\nx\r\nd\n"
        assert edited(mixed, Replacement(shown.replace("b", "x"), shown, 1)) == "a\r\nx\nc\r\nd\n"
    assert edited(mixed, Replacement("x\ny\n", None, 1, 2)) == "x\r\ny\nc\r\nd\n"
    assert edited(mixed, Replacement("x\ny\nz\n", None, 1, 1)) == "x\r\ny\r\nz\r\nb\nc\r\nd\n"


def test_cr_only_text_keeps_one_ending() -> None:
    assert edited("a\rb\r", Replacement("a\rx\r", "a\rb\r", 1)) == "a\rx\r"
    assert edited("a\rb\r", Replacement("a\nx\n", None, 1, 1)) == "a\rx\r"


def test_with_endings() -> None:
    assert with_endings("a\nb\r\n", "crlf") == "a\r\nb\r\n"
    assert with_endings("a\r\nb\n", "lf") == "a\nb\n"
    assert with_endings("a\r\nb\n", "mixed") == "a\r\nb\n"


def test_with_final_newline() -> None:
    assert with_final_newline("a", True, "crlf") == "a\r\n"
    assert with_final_newline("a\r\n", False, "crlf") == "a"
    assert with_final_newline("a\n", True, "lf") == "a\n"
    assert with_final_newline("", True, "lf") == ""


def _agree(cases: int, seed: int) -> None:
    chance = random.Random(seed)
    done = 0
    for number in range(cases):
        text, edits = random_case(chance)
        kind = find_line_ending(text.encode())
        try:
            expected = naive(text, edits, kind)
        except Refused as refused:
            expected = f"refused: {refused}"
        try:
            found = edit_text(text, edits, kind).text
            done += 1
        except CodePlaneError as error:
            found = f"refused: {_REFUSALS[error.code]}"
        if found.startswith("refused") and expected.startswith("refused") and len(edits) > 1:
            # The order of several refusals does not matter.
            continue
        assert found == expected, f"seed {seed}, case {number}: {text!r} {edits}"
    assert done > cases / 4


def test_edits_equal_a_naive_model() -> None:
    _agree(20_000, 8)


@pytest.mark.sweep
@pytest.mark.timeout(3600)
def test_edits_equal_a_naive_model_in_many_cases() -> None:
    """`CPL_ROUNDS=1000000 CPL_SEED=1 pytest -m sweep -s tests/edits/test_locate.py`"""
    seed = int(os.environ.get("CPL_SEED", "1"))
    rounds = int(os.environ.get("CPL_ROUNDS", "1000000"))
    print(f"seed {seed}, {rounds} cases")
    _agree(rounds, seed)
