"""jedi, asked for references: run by the interpreter of its own environment.

    PEER_PYTHON jedi_script.py < REQUESTS > ANSWERS

Takes JSON lines, `{"tree": PATH}` or `{"path": PATH, "line": N, "col": N}`, and answers each with one. A folder `src`
of a tree is on its path, as an installation for development would have it. Nothing of this project is imported here.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import jedi  # type: ignore[import-not-found]


def main() -> None:
    tree, project = Path(), None
    for line in sys.stdin:
        request = json.loads(line)
        answer: object
        if "tree" in request:
            tree = Path(request["tree"])
            sources = [str(tree / "src")] if (tree / "src").is_dir() else []
            project = jedi.Project(str(tree), added_sys_path=sources)
            answer = {"version": jedi.__version__}
        else:
            script = jedi.Script(path=str(tree / request["path"]), project=project)
            try:
                found = script.get_references(request["line"], request["col"])
                answer = [
                    [str(Path(name.module_path).relative_to(tree)), name.line, name.column]
                    for name in found
                    if name.module_path is not None and Path(name.module_path).is_relative_to(tree)
                ]
            except Exception as error:
                answer = {"error": f"{type(error).__name__}: {error}"[:200]}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
