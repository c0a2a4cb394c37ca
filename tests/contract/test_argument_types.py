"""The arguments type of each handler has exactly the parameters of its tool, with their types and defaults."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import MISSING, fields
from typing import Any, get_args, get_type_hints

import pytest

from codeplane.tools import catalog
from codeplane.tools.arguments import Arguments
from codeplane.tools.handler import load_handler
from codeplane.tools.spec import Param, ToolSpec

CANONICAL = [spec for spec in catalog.TOOLS if spec.deprecated is None]
SCALARS = {"string": str, "integer": int, "boolean": bool}


def check(kind: type[Arguments], params: tuple[Param, ...]) -> None:
    declared = {field.name: field for field in fields(kind) if field.name != "given"}
    assert set(declared) == {param.name for param in params}
    hints = get_type_hints(kind)
    for param in params:
        field = declared[param.name]
        if param.default is not None:
            assert field.default == param.default, param.name
        elif field.default is MISSING:
            assert param.required, param.name
        else:
            assert field.default in (None, False, ""), param.name
        if "items" in field.metadata:
            check(field.metadata["items"], param.fields)
        else:
            check_type(hints[param.name], param)


def check_type(hint: Any, param: Param) -> None:
    """Literal types list the choices of the parameter."""
    options = [option for option in get_args(hint) if option is not type(None)] or [hint]
    if param.kind == "array":
        assert options == [tuple[str, ...]], param.name
    elif any(isinstance(value, str) for option in options for value in (option, *get_args(option))):
        values = [value for option in options for value in (get_args(option) or (option,))]
        assert set(values) == set(param.choices), param.name
    else:
        assert options == [SCALARS[param.kind]], param.name


@pytest.mark.parametrize("spec", CANONICAL, ids=lambda spec: spec.name)
def test_arguments_match_the_specification(spec: ToolSpec) -> None:
    check(load_handler(spec).arguments, spec.params)


def test_catalog_does_not_import_handlers() -> None:
    code = (
        "import sys, codeplane.tools.catalog, codeplane.tools.text.failures;"
        "print([name for name in sys.modules if 'handlers' in name or 'operations' in name and 'codeplane' in name])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
