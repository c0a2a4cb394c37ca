"""Regular expression substitution."""

from __future__ import annotations

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.disk.encoding import find_line_ending
from codeplane.edits.splice import edit_text
from codeplane.edits.text_edit import Replacement
from codeplane.operations.write_source.substitution import Substitution


def substituted(pattern: str, new: str, text: str) -> str:
    edit = Replacement("", pattern=Substitution(pattern, new))
    return edit_text(text, [edit], find_line_ending(text.encode())).text


def refusal(pattern: str, new: str, text: str = "abc\n") -> CodePlaneError:
    with pytest.raises(CodePlaneError) as caught:
        substituted(pattern, new, text)
    return caught.value


@pytest.mark.parametrize(
    ("pattern", "new", "text", "result"),
    [
        ("a", "b", "banana\n", "bbnbnb\n"),
        (r"(\w+)\.size\(\)", r"len(\1)", "x = a.size() + b.size()\n", "x = len(a) + len(b)\n"),
        (r"(a)|(b)", r"<\1\2>", "ab\n", "<a><b>\n"),
        (r"\w+", r"[\0]", "one two\n", "[one] [two]\n"),
        (r"a", r"\\", "a\n", "\\\n"),
        (r"a", r"x\ny\tz", "a\n", "x\ny\tz\n"),
        (r"a", "$1", "a\n", "$1\n"),
        ("^", "# ", "a\n\nb\n", "# a\n# \n# b\n"),
        ("^", "# ", "a\nb", "# a\n# b"),
        ("$", ";", "a\nb\n", "a;\nb;\n"),
        (r"[ \t]+$", "", "a  \nb\t\n", "a\nb\n"),
        (r"\s+$", "", "a  \n\nb\n", "a\n\nb\n"),
        (r"a\nb", "c", "a\nb\na\r\nb\n", "c\nc\n"),
        ("(?s)a.*b", "x", "a\n1\nb\n", "x\n"),
        ("(?i)A", "x", "aA\n", "xx\n"),
        ("A", "x", "aA\n", "ax\n"),
        ("é", "e", "né é\n", "ne e\n"),
        ("日", "x", "日本日\n", "x本x\n"),
        (r"\d", "x", "1٣\n", "xx\n"),
        ("a$", "b", "a\r\na\r\n", "b\r\nb\r\n"),
        ("b", "x\ny", "a\r\nb\r\n", "a\r\nx\r\ny\r\n"),
        ("nothing", "x", "a\n", "a\n"),
        ("a", "aa", "aa", "aaaa"),
        (".*", "x", "", ""),
        ("^$", "x", "a\n\nb\n", "a\nx\nb\n"),
    ],
    ids=lambda value: repr(value)[:24],
)
def test_substitution(pattern: str, new: str, text: str, result: str) -> None:
    assert substituted(pattern, new, text) == result


@pytest.mark.parametrize(
    ("pattern", "new", "code", "words"),
    [
        ("", "x", ErrorCode.ARGUMENT_INVALID, "0 characters"),
        ("a" * 10_001, "x", ErrorCode.ARGUMENT_INVALID, "10001 characters"),
        ("(a", "x", ErrorCode.ARGUMENT_INVALID, "invalid pattern"),
        ("a{1,100}{1,100}{1,100}", "x", ErrorCode.ARGUMENT_INVALID, "invalid pattern"),
        (r"(a)\1", "x", ErrorCode.PATTERN_UNSUPPORTED, "backreference"),
        ("(?=a)", "x", ErrorCode.PATTERN_UNSUPPORTED, "look-ahead"),
        ("(a)", r"\2", ErrorCode.ARGUMENT_INVALID, "which has 1"),
        ("a", r"\1", ErrorCode.ARGUMENT_INVALID, "which has 0"),
        ("a", r"\d", ErrorCode.ARGUMENT_INVALID, "is not a known escape"),
        ("a", "x\\", ErrorCode.ARGUMENT_INVALID, "is not a known escape"),
        ("x*", "y", ErrorCode.ARGUMENT_INVALID, "empty text in line 1"),
        (r"\b", "y", ErrorCode.ARGUMENT_INVALID, "empty text in line 1"),
        ("\udc80", "y", ErrorCode.ARGUMENT_INVALID, "lone surrogate"),
    ],
    ids=lambda value: repr(value)[:24],
)
def test_invalid_patterns(pattern: str, new: str, code: ErrorCode, words: str) -> None:
    text = "a b\n" if pattern == r"\b" else "abc\n"
    error = refusal(pattern, new, text)
    assert error.code is code and words in error.message


def test_unmatched_group_is_empty() -> None:
    assert substituted("(x)?a", r"<\1>", "a xa\n") == "<> <x>\n"


def test_overlap_with_another_edit_is_refused() -> None:
    edits = [Replacement("", pattern=Substitution("a", "b")), Replacement("x", "ca")]
    with pytest.raises(CodePlaneError) as caught:
        edit_text("ca\n", edits, "lf")
    assert caught.value.code is ErrorCode.EDIT_OVERLAP


def test_too_many_matches_are_refused() -> None:
    assert refusal("a", "b", "a" * 100_001).code is ErrorCode.FILE_TOO_LARGE


def test_substitution_can_be_cancelled() -> None:
    def check() -> None:
        raise CodePlaneError(ErrorCode.CANCELLED, "cancelled")

    with pytest.raises(CodePlaneError) as caught:
        edit_text("aaa\n", [Replacement("", pattern=Substitution("a", "b"))], "lf", [], check)
    assert caught.value.code is ErrorCode.CANCELLED
