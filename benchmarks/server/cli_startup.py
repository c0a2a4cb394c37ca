"""Commands as the shell starts them, beside an empty Python and `git status`.

    python -m benchmarks.server.cli_startup REPOSITORY [--rounds N] [--json]

On an indexed copy, with state, cache and settings of the user in a temporary directory. Each command is
a process of its own and must succeed. The first round is not counted: it writes compiled modules.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.index.stages import list_files
from benchmarks.measure import Figure, Result, Table, amount, emit, interleaved, parser, spread, timed
from benchmarks.trees import copy_repository, scratch, settle

from codeplane.query.snapshot import open_current
from codeplane.store.layout import open_state

MOST_SECONDS = 0.200
ROUNDS = 15


def main() -> int:
    arguments = parser(__doc__, ROUNDS)
    arguments.add_argument("repository", type=Path)
    given = arguments.parse_args()
    return emit(measure(given.repository, given.rounds), given.json)


def measure(repository: Path, rounds: int) -> Result:
    result = Result("startup", rounds)
    cpl, how = find_cpl()
    with scratch() as place:
        root = copy_repository(repository, place / "tree")
        environment = user_environment(place)
        _run([*cpl, "init"], root, environment)
        settle(root)
        commands = {
            "cpl status": [*cpl, "status"],
            "cpl --version": [*cpl, "--version"],
            "cpl defs NAME": [*cpl, "defs", a_definition(root)],
            "peer: git status": ["git", "status", "--porcelain"],
            "floor: python -c pass": [sys.executable, "-c", "pass"],
        }
        calls: dict[str, Callable[[], float]] = {
            name: partial(timed, partial(_run, command, root, environment)) for name, command in commands.items()
        }
        interleaved(1, calls)
        found = interleaved(rounds, calls)
        known = len(list_files(root))
    rows = tuple((name, *spread(series)) for name, series in found.items())
    name = repository.resolve().name
    result.tables.append(Table(f"{name}, {known:,} files; cpl is {how}", ("", "median", "p95"), rows))
    git, empty = found["peer: git status"], found["floor: python -c pass"]
    beside = f"git status {amount(git.median * 1000, 'ms')}, an empty Python {amount(empty.median * 1000, 'ms')}"
    result.figures.append(
        Figure(f"cpl status in {name}", found["cpl status"].median * 1000, "ms", MOST_SECONDS * 1000, beside)
    )
    result.data = {name: series.values for name, series in found.items()}
    return result.finish()


def find_cpl() -> tuple[list[str], str]:
    """The program that an installation makes, or the same call where the project is not installed."""
    program = Path(sys.executable).with_name("cpl")
    if program.exists():
        return [str(program)], "the installed program"
    start = "from codeplane.cli.main import main; raise SystemExit(main())"
    return [sys.executable, "-c", start], "called as its program would"


def user_environment(place: Path) -> dict[str, str]:
    """Nothing that `cpl` keeps for the real user is read or written, and no setting of theirs counts."""
    kept = {name: value for name, value in os.environ.items() if name != "CI" and not name.startswith("CODEPLANE__")}
    names = {"XDG_STATE_HOME": "state", "XDG_CACHE_HOME": "cache", "XDG_CONFIG_HOME": "config"}
    return kept | {variable: str(place / "user" / name) for variable, name in names.items()}


def a_definition(root: Path) -> str:
    """A name that is defined, the longest of those that are defined once."""
    state = open_state(root)
    assert state is not None
    with open_current(state, lexical=False) as snapshot:
        once = "SELECT name FROM defs GROUP BY name HAVING count(*) = 1 ORDER BY length(name) DESC, name LIMIT 1"
        row = snapshot.reader.row(once)
    if row is None:
        raise SystemExit("the repository has no definitions")
    return str(row[0])


def _run(command: list[str], root: Path, environment: dict[str, str]) -> None:
    subprocess.run(command, cwd=root, env=environment, check=True, stdin=subprocess.DEVNULL, capture_output=True)


if __name__ == "__main__":
    sys.exit(main())
