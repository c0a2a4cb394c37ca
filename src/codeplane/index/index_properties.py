"""State of the index that an indexer holds open."""

from __future__ import annotations

from codeplane.index.indexed_tree import IndexedTree, IndexState, read_state
from codeplane.store.layout import Generation
from codeplane.store.writer import Writer


class IndexProperties:
    writer: Writer | None
    """None without a usable index."""
    _tree: IndexedTree

    @property
    def generation(self) -> Generation | None:
        return self.writer.generation if self.writer is not None else None

    @property
    def epoch(self) -> int | None:
        return self.writer.epoch if self.writer is not None else None

    @property
    def index_id(self) -> str | None:
        """Unique id of the index; names of generations are reused."""
        return self.writer.read_meta("index_id") if self.writer is not None else None

    @property
    def index_state(self) -> IndexState:
        return read_state(self.writer)

    @property
    def unfinished(self) -> bool:
        return self.index_state is IndexState.UNFINISHED

    @property
    def needs_sync(self) -> bool:
        """True if the index must not be read before the next sync."""
        return self.index_state is not IndexState.PUBLISHED

    @property
    def forced(self) -> bool:
        """True if files must be read again even where their stat is unchanged."""
        return self._tree.forced

    @property
    def unparsed(self) -> int:
        return len(self._tree.failures)

    @property
    def retry_at(self) -> float | None:
        """Unix time of the next retry of such a file."""
        return self._tree.retry_at
