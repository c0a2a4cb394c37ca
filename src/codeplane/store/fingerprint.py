"""Versions that an index depends on: if any of them differs, the index is rebuilt."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass

import orjson

from codeplane.store.errors import corrupt


@dataclass(frozen=True)
class Fingerprint:
    """`product` only decides which of two differing fingerprints is newer."""

    schema: str
    extractor: str
    grammars: str
    tokenizer: str
    product: str

    def as_dict(self) -> dict[str, str]:
        return dict(sorted(asdict(self).items()))

    def as_json(self) -> str:
        return orjson.dumps(self.as_dict()).decode()


def parse_fingerprint(text: str) -> Fingerprint:
    try:
        fields = orjson.loads(text)
        return Fingerprint(**{name: str(fields[name]) for name in Fingerprint.__dataclass_fields__})
    except (ValueError, TypeError, KeyError) as error:
        raise corrupt("the index has no readable fingerprint") from error


def differences(indexed: Fingerprint, runtime: Fingerprint) -> Mapping[str, tuple[str, str]]:
    """Return the differing fields with the value in the index and the current value."""
    now = runtime.as_dict()
    return {
        name: (value, now[name])
        for name, value in indexed.as_dict().items()
        if name != "product" and value != now[name]
    }


def is_newer(indexed: Fingerprint, runtime: Fingerprint) -> bool:
    """True if a later version wrote the index, so that it must not be replaced."""
    if indexed.schema.isdecimal() and runtime.schema.isdecimal() and int(indexed.schema) > int(runtime.schema):
        return True
    return bool(differences(indexed, runtime)) and _version(indexed.product) > _version(runtime.product)


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text.partition("+")[0]))
