"""What a repository's own file asks for, and what becomes of each setting: shown before it is trusted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from codeplane.config.keys import KEYS
from codeplane.config.layers import Entry, Layer, find_refusal, merge, read_entry
from codeplane.config.model import Config, Trust


class Effect(StrEnum):
    NEEDS_TRUST = "needs_trust"
    IN_EFFECT = "in_effect"
    OVERRIDDEN = "overridden"
    UNUSABLE = "unusable"


@dataclass(frozen=True)
class Asked:
    """One setting. `value` is what would be used, or for an unusable one what was written."""

    key: str
    value: object
    effect: Effect
    reason: str = ""


def find_repository_layer(layers: Sequence[Layer]) -> Layer | None:
    return next((layer for layer in layers if layer.trust not in (None, Trust.ABSENT)), None)


def review(layers: Sequence[Layer]) -> tuple[Asked, ...]:
    """Every setting of the repository's file, in its order, among the layers that are in force with it."""
    layer = find_repository_layer(layers)
    if layer is None:
        return ()
    place = layers.index(layer)
    trusted = replace(layer, trust=Trust.TRUSTED)
    base = merge(layers[:place])
    below = {key.name: base.value(key.name) for key in KEYS}
    after = merge([*layers[:place], trusted, *layers[place + 1 :]])
    asked = [Asked(left.key, None, Effect.UNUSABLE, left.reason) for left in layer.ignored]
    for entry in layer.entries:
        refused = find_refusal(trusted, entry, below)
        if refused is not None:
            asked.append(Asked(entry.key, entry.value, Effect.UNUSABLE, refused.reason))
            continue
        waiting = find_refusal(layer, entry, below)
        asked.append(_usable(entry, after, waiting.reason if waiting else ""))
    return tuple(asked)


def _usable(entry: Entry, after: Config, waiting: str) -> Asked:
    _, value = read_entry(entry)
    winner = after.origin(entry.key)
    if winner != entry.origin:
        return Asked(entry.key, value, Effect.OVERRIDDEN, f"set by {winner}")
    return Asked(entry.key, value, Effect.NEEDS_TRUST if waiting else Effect.IN_EFFECT, waiting)
