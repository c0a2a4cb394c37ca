"""Deprecated names of read: their parameters, and the shape of their results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from codeplane.languages.registry import detect
from codeplane.tools.handler import DeprecatedForm

_IDENTITIES = ("symbolId", "open_symbol", "symbolLabel")
_OWN = (*_IDENTITIES, "mode")


def read_file_arguments(args: Mapping[str, Any]) -> Mapping[str, Any]:
    """Open a symbol with a line at that line; find one without by its id, or else by its name."""
    found = {name: value for name, value in args.items() if name not in _OWN}
    symbol = next((args[name] for name in _IDENTITIES if name in args), None)
    if symbol is not None and "start_line" not in args:
        found["symbol"] = symbol
    return found | ({"annotated": True} if args.get("mode") == "annotated" else {})


def read_file_result(sent: Mapping[str, Any], result: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**result, "mode": sent["mode"], **({"matches": result["candidates"]} if "candidates" in result else {})}


def read_source_result(sent: Mapping[str, Any], result: Mapping[str, Any]) -> Mapping[str, Any]:
    """Files with their texts and digests; two parts of one file both have the digest."""
    digests: dict[str, str] = {}
    files: list[dict[str, object]] = []
    for item in result["items"]:
        path = item.get("path")
        if "content" not in item:
            files.append(dict(item))
            continue
        digests[path] = item.get("file_sha256") or digests[path]
        file: dict[str, object] = {"path": path, "content": item["content"]}
        language = detect(path, item["content"].encode("utf-8"))
        file |= {"language": language.name} if language is not None else {}
        file |= {"line_count": item["line_count"]} if "line_count" in item else {}
        file["range"] = [item.get("line_start", 0), item.get("line_end", 0)]
        files.append(file | {"file_sha256": digests[path]})
    fields: dict[str, object] = {"resource_kind": "source", "delivery": "inline", "files": files}
    cursor = result.get("pagination", {}).get("next_cursor")
    fields |= {"cursor": cursor} if cursor is not None else {}
    return fields | {"has_more": cursor is not None or any("lines_left" in item for item in result["items"])}


DEPRECATED = {
    "read_file": DeprecatedForm(read_file_arguments, read_file_result),
    "read_source": DeprecatedForm(result=read_source_result),
}
