"""Apply all edits of one text at once. Pure.

Lines end at LF, and all edits refer to the text as it was. Text outside the edited sites stays byte for byte. New
text takes on the line endings around it, and the last line of a replaced range keeps its own ending.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.edits.locate import Cut, SourceText, line_count
from codeplane.edits.text_edit import EditedText, EditSite, LineRange, RefusedEdits, Replacement

MAX_SITES = 20
"""Maximum number of sites that are reported for one edit."""

_REFUSALS = frozenset({ErrorCode.EDIT_NOT_FOUND, ErrorCode.EDIT_AMBIGUOUS, ErrorCode.ARGUMENT_INVALID})
"""Errors of one edit that say nothing about the others."""


def edit_text(
    text: str,
    edits: Sequence[Replacement],
    line_ending: str,
    refused: RefusedEdits | None = None,
    check: Callable[[], None] = lambda: None,
) -> EditedText:
    """Apply all edits.

    EDIT_NOT_FOUND, EDIT_AMBIGUOUS, EDIT_OVERLAP or ARGUMENT_INVALID if one cannot be made; with `refused` the errors
    of all edits are added to it instead, and the text is returned unchanged. `check` is called regularly and may raise.
    """
    source = SourceText(text, line_ending)
    cuts: list[Cut] = []
    failed: RefusedEdits = []
    for number, edit in enumerate(edits):
        try:
            cuts += source.locate(number, edit, check)
        except CodePlaneError as error:
            if refused is None or error.code not in _REFUSALS:
                raise
            failed.append((number, error))
    if failed and refused is not None:
        refused += failed
        return EditedText(text, (), (0,) * len(edits))
    ordered = sorted(cuts, key=lambda cut: (cut.begin, cut.end, cut.number))
    _require_disjoint(ordered)
    return _splice(text, ordered, len(edits))


def _require_disjoint(ordered: Sequence[Cut]) -> None:
    for before, after in pairwise(ordered):
        if before.end > after.begin:
            raise CodePlaneError(
                ErrorCode.EDIT_OVERLAP,
                f"edits {before.number + 1} and {after.number + 1} of the file change the same lines",
                details={"lines": [str(before.lines), str(after.lines)]},
                remedy="Combine them into one edit.",
            )


def _splice(text: str, ordered: Sequence[Cut], edit_count: int) -> EditedText:
    pieces: list[str] = []
    sites: list[list[EditSite]] = [[] for _ in range(edit_count)]
    counts = [0] * edit_count
    position = shift = 0
    for cut in ordered:
        pieces += (text[position : cut.begin], cut.text)
        position = cut.end
        first = cut.lines.start + shift
        shift += cut.text.count("\n") - text.count("\n", cut.begin, cut.end)
        counts[cut.number] += 1
        if counts[cut.number] > MAX_SITES:
            continue
        # An empty text, or one without a final line ending, has one line more than endings.
        written = first + cut.text.removesuffix("\n").count("\n") if cut.text else first - 1
        after = LineRange(first, max(cut.lines.end + shift, written))
        sites[cut.number].append(EditSite(cut.lines, after, cut.requested, cut.reindented))
    pieces.append(text[position:])
    result = "".join(pieces)
    height = line_count(result)
    return EditedText(result, tuple(_clamp(site, height) for own in sites for site in own), tuple(counts))


def _clamp(site: EditSite, height: int) -> EditSite:
    """Limit the new lines of a site to the lines that the text has."""
    first, last = site.after
    return site._replace(after=LineRange(first, max(first - 1, min(last, height))))
