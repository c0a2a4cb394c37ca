"""Identifiers as numbers: every name is stored once, and rows hold its number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import apsw
import orjson


class Names:
    """Numbers of names for one writer. In a bulk load all of them are in memory; later they are looked up."""

    def __init__(self, connection: apsw.Connection, *, complete: bool) -> None:
        self._connection = connection
        self._complete = complete
        self._known: dict[str, int] = {}
        self._next = int(connection.execute("SELECT coalesce(max(name_id), 0) + 1 FROM names").get)

    def ids(self, names: Sequence[str]) -> list[int]:
        """The numbers of these names, in their order; new names are stored."""
        known = self._known
        try:
            return [known[name] for name in names]
        except KeyError:
            self._learn(name for name in names if name not in known)
            return [known[name] for name in names]

    def forget(self) -> None:
        """After a rollback what was just stored is gone."""
        self._known.clear()
        self._next = int(self._connection.execute("SELECT coalesce(max(name_id), 0) + 1 FROM names").get)

    def _learn(self, names: Iterable[str]) -> None:
        missing = list(dict.fromkeys(names))
        # Before anything is stored: a lone surrogate in the middle would leave half of them behind.
        "".join(missing).encode()
        if not self._complete:
            wanted = orjson.dumps(missing).decode()
            sql = "SELECT names.name, name_id FROM json_each(?) AS wanted CROSS JOIN names ON names.name = wanted.value"
            self._known.update(self._connection.execute(sql, (wanted,)))
            missing = [name for name in missing if name not in self._known]
        numbered = list(enumerate(missing, self._next))
        self._connection.executemany("INSERT INTO names VALUES (?, ?)", numbered)
        self._known.update((name, number) for number, name in numbered)
        self._next += len(missing)
