"""Where a text stands word for word: what somebody copied from a message, or out of the code.

Only a stretch of several words, or one with signs, is looked for, and only if few files have it: others say nothing
that the ranking of words does not say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from codeplane.base.paths import RepoPath
from codeplane.disk.safe_open import Root
from codeplane.facts.words import STOP_WORDS
from codeplane.operations.search.fragments import fragments_of_text
from codeplane.operations.search.scan_cache import ScanCache
from codeplane.operations.search.text_search import find_text
from codeplane.query.snapshot import Snapshot
from codeplane.query.text import list_candidate_files

MIN_WORDS = 3
MIN_CHARS = 12
MAX_CHARS = 200
"""A longer query is a report; what it says of the code is found otherwise."""
MAX_STRETCHES = 2
MAX_CANDIDATES = 500
"""Files that are looked through; where more may have it, its words say too little. A limit of time would give another
answer to whoever asks first."""
MAX_FILES = 8
_PER_FILE = 2
_LITERAL_PER_FILE = 8

_WORD = re.compile(r"\w+")
_OPEN = re.compile(r"[^\w\s]")
_SENTENCE_END = re.compile(r"[.!?:]\s+|\n")
_VALUE = re.compile(r"[:'\"`<>{}$%\n]+|\s\d[\w.]*")
"""What stands around, or in place of, a part that differs from one message to the next."""

Phrase = Mapping[RepoPath, Sequence[int]]
"""Lines on which it stands, by path."""


def find_phrase(snapshot: Snapshot, root: Root, text: str, kept: ScanCache | None) -> Phrase:
    """Where the longest stretch of a text stands that some file has, and few files have."""
    places = (_find(snapshot, root, stretch, kept) for stretch in _stretches(text))
    return next(filter(None, places), {})


def find_literal(
    snapshot: Snapshot, root: Root, text: str, accepts: Callable[[str, str], bool], kept: ScanCache | None
) -> Phrase:
    """Every line that contains the text, or else its longest part or sentence that few files have.

    `accepts` says by path and language which files are searched.

    Programs put messages together from several literals, so that a sentence may be all that a line has.
    """
    sentences = [sentence.strip(" ,;.!?") for sentence in _SENTENCE_END.split(text.strip())]
    inner = sorted(filter(_says_enough, sentences), key=lambda stretch: (-len(stretch), stretch))
    stretches = dict.fromkeys([*_stretches(text), *inner[:MAX_STRETCHES]]) if len(text) <= MAX_CHARS else ()
    places = (_find(snapshot, root, stretch, kept, accepts, _LITERAL_PER_FILE) for stretch in stretches)
    return next(filter(None, places), {})


def _find(
    snapshot: Snapshot,
    root: Root,
    stretch: str,
    kept: ScanCache | None,
    accepts: Callable[[str, str], bool] = lambda path, language: True,
    per_file: int = _PER_FILE,
) -> Phrase:
    may_have = list_candidate_files(snapshot, fragments_of_text(stretch))
    if may_have is None or len(may_have) > MAX_CANDIDATES:
        return {}
    found = find_text(
        snapshot,
        root,
        stretch,
        regex=False,
        case_sensitive=False,
        accepts=lambda path, row: bool(row.lexical) and accepts(path, row.language or ""),
        candidates=lambda *_: may_have,
        limit=(MAX_FILES + 1) * per_file,
        per_file=per_file,
        kept=kept,
    )
    places: dict[RepoPath, list[int]] = {}
    for path, match in found.rows if len(found.counts) <= MAX_FILES else ():
        places.setdefault(path, []).append(match.line)
    return places


def _stretches(text: str) -> list[str]:
    """The text itself, then what lies between its values, longer first."""
    text = text.strip()
    if not MIN_CHARS <= len(text) <= MAX_CHARS or "\n" in text:
        return []
    parts = [part.strip(" ,;.") for part in _VALUE.split(text)]
    whole = [text] if _says_enough(text) or _OPEN.search(text) else []
    inner = sorted(filter(_says_enough, parts), key=lambda part: (-len(part), part))
    return list(dict.fromkeys(whole + inner))[: 1 + MAX_STRETCHES]


def _says_enough(text: str) -> bool:
    words = _WORD.findall(text)
    return len(text) >= MIN_CHARS and len(words) >= MIN_WORDS and any(word.lower() not in STOP_WORDS for word in words)
