"""Parse worker: one request frame in, one response frame out, until end of input.

A request is a line of JSON (number, language, path) and the source; `wire` defines the response. Without a language
only words are extracted. The worker does no other I/O and may be killed at any time. Each file has a limit of CPU time,
which the kernel enforces.
"""

from __future__ import annotations

import gc
import sys

import orjson

from codeplane.facts.extract import extract
from codeplane.facts.model import Extraction, Facts
from codeplane.facts.passages import may_define, read_searchable
from codeplane.facts.wire import encode
from codeplane.processes.children import read_frame, take_pipes, write_frame
from codeplane.processes.confinement import confine, set_cpu_limit


def main() -> None:
    confine(int(sys.argv[1]))
    seconds = float(sys.argv[2])
    # Extraction creates no reference cycles; an occasional collection is enough.
    gc.disable()
    gc.freeze()
    requests, answers = take_pipes()
    served = 0
    while (request := read_frame(requests)) is not None:
        head, _, source = request.partition(b"\n")
        number, language, path = orjson.loads(head)
        set_cpu_limit(seconds)
        extraction = extract(language, path, source) if language else Extraction(Facts(), ())
        hints = not language and may_define(path)
        searchable = read_searchable(source, extraction.facts.defs, hints=hints)
        response = encode(number, extraction, searchable)
        set_cpu_limit(0)
        write_frame(answers, response)
        served += 1
        if served % 256 == 0:
            gc.collect()
