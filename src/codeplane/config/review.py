"""Review of a repository's configuration file: each setting and its effect, shown before it is trusted."""

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
    """One setting. `value` is the parsed value, or the raw one if it is unusable."""

    key: str
    value: object
    effect: Effect
    reason: str = ""


def find_repository_layer(layers: Sequence[ConfigLayer]) -> ConfigLayer | None:
    return next((layer for layer in layers if layer.trust not in (None, TrustState.ABSENT)), None)


def review(layers: Sequence[ConfigLayer]) -> tuple[RequestedSetting, ...]:
    """Return every setting of the repository's file in file order, with its effect among all layers."""
    layer = find_repository_layer(layers)
    if layer is None:
        return ()
    position = layers.index(layer)
    trusted = replace(layer, trust=TrustState.TRUSTED)
    base = merge(layers[:position])
    below = {key.name: base.value(key.name) for key in KEYS}
    after = merge([*layers[:position], trusted, *layers[position + 1 :]])
    settings = [RequestedSetting(ignored.key, None, Effect.UNUSABLE, ignored.reason) for ignored in layer.ignored]
    for entry in layer.entries:
        refused = find_refusal(trusted, entry, below)
        if refused is not None:
            settings.append(RequestedSetting(entry.key, entry.value, Effect.UNUSABLE, refused.reason))
            continue
        waiting = find_refusal(layer, entry, below)
        settings.append(_usable(entry, after, waiting.reason if waiting else ""))
    return tuple(settings)


def _usable(entry: ConfigEntry, after: Config, waiting: str) -> RequestedSetting:
    _, value = read_entry(entry)
    winner = after.origin(entry.key)
    if winner != entry.origin:
        return RequestedSetting(entry.key, value, Effect.OVERRIDDEN, f"set by {winner}")
    return RequestedSetting(entry.key, value, Effect.NEEDS_TRUST if waiting else Effect.IN_EFFECT, waiting)
