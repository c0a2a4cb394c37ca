"""Texts that were read before, in any repository of this user: their facts are fetched instead of made again.

What a text says does not depend on where it lies, but for ids and module names, which are made anew. Documents are
different: some of what they define is named after their file, so they are remembered together with their path.
"""

from __future__ import annotations

import hashlib

from codeplane.facts.identity import relocate
from codeplane.facts.passages import may_define
from codeplane.facts.pool import Job, Parsed
from codeplane.facts.wire import WIRE_VERSION, decode, path_text
from codeplane.languages.registry import by_name
from codeplane.store.extraction_store import ExtractionStore
from codeplane.store.fingerprint import Fingerprint


class ExtractionCache:
    def __init__(self, extractions: ExtractionStore, fingerprint: Fingerprint) -> None:
        self._extraction_store = extractions
        self.ignored = False
        """Whether every text is to be read again, and what is remembered of it replaced."""
        self._asked: dict[str, bytes] = {}
        """Keys of texts that are being read, by path."""
        self._made_by = f"{WIRE_VERSION} {fingerprint.extractor} {fingerprint.grammars} {fingerprint.tokenizer}"

    def find(self, job: Job) -> Parsed | None:
        """What a worker would answer, if one has before."""
        key = self._asked[job.path] = self._key(job)
        found = self._extraction_store.get(key) if not self.ignored else None
        if found is None:
            return None
        place, _, frame = found.partition(b"\0")
        try:
            _, facts, problems, searchable = decode(frame)
            path = path_text(job.path)
            if job.language and place != path.encode():
                facts = relocate(facts, by_name(job.language), path)
        except (ValueError, TypeError, IndexError):
            return None
        del self._asked[job.path]
        return Parsed(job, facts, problems, searchable)

    def keep(self, parsed: Parsed) -> None:
        key = self._asked.pop(parsed.job.path, None)
        if parsed.frame and key is not None:
            self._extraction_store.put(key, path_text(parsed.job.path).encode() + b"\0" + parsed.frame)

    def flush(self) -> None:
        self._asked.clear()
        self._extraction_store.flush()

    def _key(self, job: Job) -> bytes:
        hints, path = "", ""
        if not job.language:
            hints = str(may_define(job.path))
        elif by_name(job.language).read is not None:
            path = path_text(job.path)
        head = "\0".join((self._made_by, job.language, hints, path))
        return hashlib.sha256(head.encode() + b"\0" + job.source).digest()
