"""Cache of parse results by text, for all repositories of this user.

Facts do not depend on the path of a file, except ids and module names, which are computed again. Documents are
different: some of their definitions are named after the file, so their path is part of the key.
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
        """Parse every text again, and replace its entry."""
        self._parsing: dict[str, bytes] = {}
        """Keys of texts that are being parsed, by path."""
        self._versions = f"{WIRE_VERSION} {fingerprint.extractor} {fingerprint.grammars} {fingerprint.tokenizer}"

    def find(self, job: Job) -> Parsed | None:
        """Return the cached result of a job; None if its text was never parsed."""
        key = self._parsing[job.path] = self._key(job)
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
        del self._parsing[job.path]
        return Parsed(job, facts, problems, searchable)

    def store(self, parsed: Parsed) -> None:
        key = self._parsing.pop(parsed.job.path, None)
        if parsed.frame and key is not None:
            self._extraction_store.put(key, path_text(parsed.job.path).encode() + b"\0" + parsed.frame)

    def flush(self) -> None:
        self._parsing.clear()
        self._extraction_store.flush()

    def _key(self, job: Job) -> bytes:
        hints, path = "", ""
        if not job.language:
            hints = str(may_define(job.path))
        elif by_name(job.language).read is not None:
            path = path_text(job.path)
        head = "\0".join((self._versions, job.language, hints, path))
        return hashlib.sha256(head.encode() + b"\0" + job.source).digest()
