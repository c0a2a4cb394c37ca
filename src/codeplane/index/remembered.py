"""Texts that were read before, in any repository of this user: their facts are fetched instead of made again.

What a text says does not depend on where it lies, but for ids and module names, which are made anew. Documents are
different: some of what they define is named after their file, so they are remembered together with their path.
"""

from __future__ import annotations

import hashlib

from codeplane.facts.identity import relocated
from codeplane.facts.passages import may_define
from codeplane.facts.pool import Job, Parsed
from codeplane.facts.wire import decode, path_text
from codeplane.languages.registry import by_name
from codeplane.store.extractions import Extractions
from codeplane.store.fingerprint import Fingerprint


class Remembered:
    def __init__(self, extractions: Extractions, fingerprint: Fingerprint) -> None:
        self._extractions = extractions
        self.ignored = False
        """Whether every text is to be read again, and what is remembered of it replaced."""
        self._made_by = f"{fingerprint.extractor} {fingerprint.grammars} {fingerprint.tokenizer}"

    def find(self, job: Job) -> Parsed | None:
        """What a worker would answer, if one has before."""
        found = self._extractions.get(self._key(job)) if not self.ignored else None
        if found is None:
            return None
        place, _, frame = found.partition(b"\0")
        try:
            _, facts, problems, searchable = decode(frame)
            path = path_text(job.path)
            if job.language and place != path.encode():
                facts = relocated(facts, by_name(job.language), path, job.unit)
        except (ValueError, TypeError, IndexError):
            return None
        return Parsed(job, facts, problems, searchable)

    def keep(self, parsed: Parsed) -> None:
        if parsed.frame:
            self._extractions.put(self._key(parsed.job), path_text(parsed.job.path).encode() + b"\0" + parsed.frame)

    def flush(self) -> None:
        self._extractions.flush()

    def _key(self, job: Job) -> bytes:
        hints, path = "", ""
        if not job.language:
            hints = str(may_define(job.path))
        elif by_name(job.language).read is not None:
            path = path_text(job.path)
        head = "\0".join((self._made_by, job.language, str(job.unit), hints, path))
        return hashlib.sha256(head.encode() + b"\0" + job.source).digest()
