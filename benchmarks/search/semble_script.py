"""Semble, asked by its words and its ranking rules alone: run by the interpreter of its own environment.

    PEER_PYTHON semble_script.py < REQUESTS > ANSWERS

Takes JSON lines, `{"tree": PATH}` or `{"query": TEXT}`, and answers each with one. No model is loaded or looked for: a
stand-in gives every text the same vector, and the weight of vectors is 0. Nothing of this project is imported here.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy  # type: ignore[import-not-found]
from semble.index.create import create_index_from_path  # type: ignore[import-not-found]
from semble.index.types import PreviousIndex  # type: ignore[import-not-found]
from semble.search import search  # type: ignore[import-not-found]

_RESULTS = 50
_WIDTH = 2


def main() -> None:
    model = SimpleNamespace(dim=_WIDTH, encode=lambda texts, **_: numpy.ones((len(texts), _WIDTH), numpy.float32))
    built: Any = None
    last = ""
    for line in sys.stdin:
        request = json.loads(line)
        if "tree" in request:
            previous = None
            if built is not None and request["tree"] == last:
                bm25, vectors, chunks, manifest = built
                previous = PreviousIndex(chunks, vectors.vectors, manifest, bm25)
            last = request["tree"]
            built = create_index_from_path(Path(last), model, display_root=Path(last), previous=previous)
            answer: object = {"chunks": len(built[2])}
        else:
            bm25, vectors, chunks, _ = built
            found = search(request["query"], model, vectors, bm25, chunks, _RESULTS, alpha=0.0)
            answer = [[r.chunk.file_path, r.chunk.start_line, r.chunk.end_line] for r in found]
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
