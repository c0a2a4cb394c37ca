"""What a repository's own file asks for, and what becomes of each setting: shown before it is trusted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from codeplane.config.keys import KEYS
from codeplane.config.layers import ConfigEntry, ConfigLayer, find_refusal, merge, read_entry
from codeplane.config.model import Config, TrustState


class Effect(StrEnum):
    NEEDS_TRUST = "needs_trust"
    IN_EFFECT = "in_effect"
    OVERRIDDEN = "overridden"
    UNUSABLE = "unusable"


@dataclass(frozen=True)
class RequestedSetting:
    """One setting. `value` is what would be used, or for an unusable one what was written."""

    key: str
    value: object
    effect: Effect
    reason: str = ""


def find_repository_layer(layers: Sequence[ConfigLayer]) -> ConfigLayer | None:
    return next((layer for layer in layers if layer.trust not in (None, TrustState.ABSENT)), None)


def review(layers: Sequence[ConfigLayer]) -> tuple[RequestedSetting, ...]:
    """Every setting of the repository's file, in its order, among the layers that are in force with it."""
    layer = find_repository_layer(layers)
    if layer is None:
        return ()
    place = layers.index(layer)
    trusted = replace(layer, trust=TrustState.TRUSTED)
    base = merge(layers[:place])
    below = {key.name: base.value(key.name) for key in KEYS}
    after = merge([*layers[:place], trusted, *layers[place + 1 :]])
    asked = [RequestedSetting(left.key, None, Effect.UNUSABLE, left.reason) for left in layer.ignored]
    for entry in layer.entries:
        refused = find_refusal(trusted, entry, below)
        if refused is not None:
            asked.append(RequestedSetting(entry.key, entry.value, Effect.UNUSABLE, refused.reason))
            continue
        waiting = find_refusal(layer, entry, below)
        asked.append(_usable(entry, after, waiting.reason if waiting else ""))
    return tuple(asked)


def _usable(entry: ConfigEntry, after: Config, waiting: str) -> RequestedSetting:
    _, value = read_entry(entry)
    winner = after.origin(entry.key)
    if winner != entry.origin:
        return RequestedSetting(entry.key, value, Effect.OVERRIDDEN, f"set by {winner}")
    return RequestedSetting(entry.key, value, Effect.NEEDS_TRUST if waiting else Effect.IN_EFFECT, waiting)
