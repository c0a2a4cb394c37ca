"""Tokens that tasks of a coding agent cost with the tools of the server, and with `rg`, `sed` and edits instead.

    python -m benchmarks.agent_tasks --mirror CLONES --work FOLDER [--peers FOLDER] [--task NAME ...] [--class NAME ...]
        [--encoding cl100k_base] [--show] [--json]

CLONES has the bare clones of the repositories, `<owner>+<name>/repo`; FOLDER keeps checkouts and indexes. Every task
has the calls that a good agent makes and the commands that a good agent makes instead. Both are carried out, and both
are paid for whole: what the model writes (name of the tool and arguments) and what it reads. The end state is checked:
what must have been printed, or the diff that must be left in the working tree. `--show` prints both transcripts.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.agent_tasks.model import Task, TaskError, load_repositories, load_tasks
from benchmarks.agent_tasks.report import report, transcript
from benchmarks.agent_tasks.runner import run
from benchmarks.measure import emit
from benchmarks.server.peers import PeerFailed
from benchmarks.tokenizer import ENCODINGS, Tokenizer


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--mirror", type=Path, required=True, metavar="CLONES", help="folder of bare clones")
    arguments.add_argument("--work", type=Path, required=True, metavar="FOLDER", help="keeps checkouts and indexes")
    arguments.add_argument("--peers", type=Path, metavar="FOLDER", help="where the tokenizer is installed (in --work)")
    arguments.add_argument("--encoding", choices=ENCODINGS, default=ENCODINGS[0], help=f"({ENCODINGS[0]})")
    arguments.add_argument("--task", action="append", metavar="NAME", help="only this task; may be repeated")
    arguments.add_argument("--class", dest="kind", action="append", metavar="NAME", help="only tasks of this class")
    arguments.add_argument("--show", action="store_true", help="print what both sides wrote and read")
    arguments.add_argument("--json", action="store_true", help="one line of JSON with every value")
    given = arguments.parse_args()
    work = given.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    try:
        tasks = _select(load_tasks(), given.task, given.kind)
        with Tokenizer(given.peers or work, given.encoding) as tokenizer:
            found = run(tasks, load_repositories(), given.mirror.resolve(), work, tokenizer.count)
            title = tokenizer.title
    except (TaskError, PeerFailed) as error:
        raise SystemExit(str(error)) from error
    if given.show:
        print(
            "\n\n".join(transcript(result) for result in found.results), file=sys.stderr if given.json else sys.stdout
        )
    return emit(report(found, title), given.json)


def _select(tasks: Sequence[Task], names: Sequence[str] | None, kinds: Sequence[str] | None) -> list[Task]:
    known = {task.name for task in tasks} | {task.kind for task in tasks}
    if unknown := set(names or ()).union(kinds or ()) - known:
        raise TaskError(f"no task or class named {', '.join(sorted(unknown))}")
    return [task for task in tasks if (not names or task.name in names) and (not kinds or task.kind in kinds)]


if __name__ == "__main__":
    sys.exit(main())
