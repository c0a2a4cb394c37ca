"""Letter-tagged values and sites of the JavaScript and TypeScript resolver."""

from __future__ import annotations

from typing import Any

Value = tuple[Any, ...]
Values = frozenset[Value]
Site = tuple[str, str, int]
