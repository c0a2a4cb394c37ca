"""A tiny index of invented sources: what is in it follows from the text alone, so every answer can be foretold."""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha256

from codeplane.base.digests import digest_bytes
from codeplane.base.paths import RepoPath
from codeplane.facts.blocks import pack
from codeplane.facts.model import (
    Bind,
    BindReason,
    Certainty,
    Def,
    Facts,
    Ref,
    ReferenceRole,
    Scope,
    Target,
    Tier,
    Usage,
)
from codeplane.facts.passages import read_searchable
from codeplane.languages.roles import decide_role_of_text
from codeplane.query.snapshot import Snapshot
from codeplane.store.files import list_stored
from codeplane.store.fingerprint import Fingerprint
from codeplane.store.layout import Generation, StateDirectory
from codeplane.store.open_writer import create_writer
from codeplane.store.reader import EpochReader, open_reader
from codeplane.store.records import EpochInfo, FileRow, FileState, ObservedStat
from codeplane.store.registry import Binding
from codeplane.store.schema import unit_of
from codeplane.store.writer import Barrier, Writer
from support.index_dump import dump
from support.text_search import search_files

_WORD = re.compile(r"[A-Za-z_]\w*")


def search(reader: EpochReader, query: str, limit: int = 10) -> list[RepoPath]:
    """Files that the text index has for the words of a query, best first."""
    return search_files(Snapshot(reader), query, limit)


def sample_uid(name: str) -> str:
    """The identity of a definition of this name."""
    return sha256(name.encode()).hexdigest()[:16]


class Sample:
    """Builds and updates indexes of texts."""

    fingerprint = Fingerprint("1", "sample", "none", "words", "0.1.0")
    binding = Binding("/repo", "a" * 32, "b" * 32)

    def facts(self, text: str) -> Facts:
        words = [(number, found) for number, line in enumerate(text.splitlines(), 1) for found in _WORD.finditer(line)]
        names = tuple(sorted({found[0] for _, found in words}))
        numbers = {name: number for number, name in enumerate(names)}
        defined = re.findall(r"^def (\w+)", text, re.MULTILINE)
        places = {name: ordinal for ordinal, name in enumerate(defined)}
        defs = tuple(
            Def(
                sample_uid(name),
                None,
                0,
                "function",
                name,
                f"m.{name}",
                name,
                line,
                0,
                line,
                9,
                line,
                4,
                "",
                "h",
                None,
                "public",
                (),
            )
            for line, name in enumerate(defined, 1)
        )
        binds = tuple(Bind(0, name, 0, Target.DEF, at, 1, BindReason.DEF_IN_SCOPE) for name, at in places.items())
        refs = tuple(
            Ref(
                0,
                numbers[found[0]],
                line,
                found.start(),
                found.end(),
                ReferenceRole.REFERENCE,
                Usage.NAME,
                Tier.PROVEN if found[0] in places else Tier.UNKNOWN,
                Certainty.CERTAIN,
                places.get(found[0]),
            )
            for line, found in words
        )
        return Facts(names, (Scope(None, "file", 1, 0, 99, 0),), defs, (), binds, refs)

    def row(self, path: str, text: str, stamp: int = 1) -> FileRow:
        digest = digest_bytes(text.encode())
        stat = ObservedStat(len(text), stamp, stamp, 7, 8, stamp)
        about = ("python", "python", "utf-8", 1, FileState.INDEXED, None, unit_of("python"))
        return FileRow(RepoPath(path), stat, digest, digest, *about, *decide_role_of_text(path, b""))

    def put(self, writer: Writer, path: str, text: str) -> int:
        facts = self.facts(text)
        return writer.put_file(self.row(path, text), pack(facts), (), read_searchable(text.encode(), facts.defs))

    def publish(self, writer: Writer, head: str = "head") -> int:
        return writer.publish(EpochInfo("root", head, {"head": head}, 1))

    def sync(self, writer: Writer, texts: Mapping[str, str]) -> int:
        """Do what the pipeline does: write files with another digest, remove missing ones, publish."""
        known = dict(list_stored(writer))
        for gone in sorted(set(known) - {RepoPath(path) for path in texts}):
            writer.remove_file(gone)
        for path, text in sorted(texts.items()):
            found = known.get(RepoPath(path))
            if found is None or found.digest != digest_bytes(text.encode()):
                self.put(writer, path, text)
        return self.publish(writer)

    def create(self, state: StateDirectory, first_epoch: int = 1, barrier: Barrier = lambda point: None) -> Writer:
        ids = (self.binding.repo_uuid, self.binding.index_id)
        generation = state.new_generation()
        return create_writer(generation, self.fingerprint, *ids, first_epoch=first_epoch, barrier=barrier)

    def build(self, state: StateDirectory, texts: Mapping[str, str]) -> Generation:
        """A published generation that is current and closed."""
        with self.create(state) as writer:
            for path, text in sorted(texts.items()):
                self.put(writer, path, text)
            self.publish(writer)
        state.switch(writer.generation)
        return writer.generation

    def dump(self, generation: Generation) -> list[str]:
        with open_reader(generation, wait_seconds=0.0) as reader:
            return list(dump(reader))
