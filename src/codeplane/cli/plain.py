"""Conversion of domain values to JSON values, field by field in the order of declaration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path


def plain(value: object) -> object:
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, Path):
        return str(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    names = getattr(value, "_fields", None)
    if isinstance(value, tuple) and names is not None:
        return {name: plain(item) for name, item in zip(names, value, strict=True)}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    raise TypeError(f"{type(value).__name__} has no plain form")


def record(value: object, *left_out: str) -> dict[str, object]:
    """Return the fields of a value, except those that are None or named in `left_out`."""
    shown = plain(value)
    if not isinstance(shown, dict):
        raise TypeError(f"{type(value).__name__} is not a record")
    return {name: item for name, item in shown.items() if item is not None and name not in left_out}
