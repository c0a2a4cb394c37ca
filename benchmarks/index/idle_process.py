"""A process that holds an index as a server does: `python -m benchmarks.index.idle_process ROOT STATE FILE NAME TEXT`.

It opens the index that is there, looks for changes, asks, says `opened` and waits for a line; then it appends
TEXT, which defines NAME, to FILE, finds it, says `edited` and waits again. Its memory is measured from
outside, so it imports nothing but the product.
"""

from __future__ import annotations

import sys
from pathlib import Path

from codeplane.index.indexer import Indexer
from codeplane.index.options import IndexOptions
from codeplane.query.defs import list_defs_by_name
from codeplane.query.snapshot import open_current
from codeplane.query.text import rank_files, weigh_terms


def main() -> None:
    root, state, file, name, text = sys.argv[1:]
    with Indexer.open(IndexOptions(Path(root), Path(state))) as indexer:
        report = indexer.sync()
        if report.parsed:
            raise SystemExit(f"the index was not up to date: {report.parsed} files parsed")
        with open_current(indexer.state) as snapshot:
            rank_files(snapshot, weigh_terms(snapshot, ["name", "value"]), 20)
            if list_defs_by_name(snapshot, name, 1).total:
                raise SystemExit(f"{name} was defined before")
            snapshot.release()
            _say("opened")
            with (Path(root) / file).open("a") as opened:
                opened.write(text)
            indexer.sync()
            snapshot.refresh()
            if list_defs_by_name(snapshot, name, 1).total != 1:
                raise SystemExit(f"{name} was not found after the edit")
            snapshot.release()
            _say("edited")


def _say(word: str) -> None:
    print(word, flush=True)
    sys.stdin.readline()


if __name__ == "__main__":
    main()
