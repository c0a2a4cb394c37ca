"""Names resolve across files as the sources claim. A case is a folder: `<language>/<case>/`; adding one needs no code.

`support/resolution_cases.py` describes the claims.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.resolution_cases import check_resolution, read_case

HERE = Path(__file__).parent
CASES = sorted(case for language in HERE.iterdir() if language.is_dir() for case in language.iterdir() if case.is_dir())


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_names_resolve_as_claimed(case: Path) -> None:
    check_resolution(read_case(case))


def test_a_wrong_claim_is_reported() -> None:
    with pytest.raises(AssertionError, match=r"b.py:1:14: expected \[\('a.py', 2\)\]"):
        check_resolution(
            {"a.py": "x = 1\ndef f(): ...\ndef g(): ...\n", "b.py": "from a import g\n#             ^ -> a.py#f\n"}
        )


def test_go_constants_behind_long_expressions_are_resolved() -> None:
    text = '"" +\n\t' * 1500 + '""'
    constants = "".join(f"\tC{number}\n" for number in range(1500))
    declarations = (
        f"const text = {text}\ntype Flag int\nfunc (f Flag) On() {{}}\nconst (\n\tC Flag = iota\n{constants})\n"
    )
    check_resolution(
        {
            "go.mod": "module example.org/app\n\ngo 1.22\n",
            "a.go": f"package app\n{declarations}",
            "b.go": "package app\nfunc f() { C1499.On() }\n//               ^ -> a.go#Flag.On\n",
        }
    )


def test_typescript_modules_that_export_each_other_terminate() -> None:
    modules = {
        f"m{number}.ts": "".join(f'export * from "./m{other}";\n' for other in range(12) if other != number)
        for number in range(12)
    }
    check_resolution({**modules, "use.ts": 'import { missing } from "./m0";\n//       ^ -> nothing\n'})
