"""The review shows exactly the effect that trust would have."""

from __future__ import annotations

import pytest

from codeplane.config import TrustState, merge, override_layer
from codeplane.config.layers import ConfigLayer, document_layer
from codeplane.config.review import Effect, review

DOCUMENT: dict[object, object] = {
    "server": {"port": 8099, "read_only": False, "host": "0.0.0.0", "allowed_roots": ["/srv/"]},
    "index": {"workers": 2, "hash_concurrency": 999},
    "logging": {"level": "debug"},
    "ledger": 3,
}


def layers(trust: TrustState) -> list[ConfigLayer]:
    return [
        document_layer({"server": {"read_only": True}, "logging": {"level": "error"}}, "user"),
        document_layer(DOCUMENT, "repo", trust),
        override_layer(["index.workers=3"]),
    ]


@pytest.mark.parametrize("trust", [TrustState.UNTRUSTED, TrustState.VOID, TrustState.TRUSTED])
def test_review_reports_the_effect_of_each_setting(trust: TrustState) -> None:
    waiting = Effect.IN_EFFECT if trust is TrustState.TRUSTED else Effect.NEEDS_TRUST
    assert {asked.key: (asked.value, asked.effect) for asked in review(layers(trust))} == {
        "ledger": (None, Effect.UNUSABLE),
        "server.port": (8099, waiting),
        "server.read_only": (False, Effect.UNUSABLE),
        "server.host": ("0.0.0.0", Effect.UNUSABLE),
        "server.allowed_roots": (("/srv",), waiting),
        "index.workers": (2, Effect.OVERRIDDEN),
        "index.hash_concurrency": (999, Effect.UNUSABLE),
        "logging.level": ("debug", Effect.IN_EFFECT),
    }


def test_review_matches_the_merged_configuration() -> None:
    shown = {
        asked.key: asked.value for asked in review(layers(TrustState.UNTRUSTED)) if asked.effect is Effect.NEEDS_TRUST
    }
    before, after = merge(layers(TrustState.UNTRUSTED)), merge(layers(TrustState.TRUSTED))
    changed = {key: after.value(key) for key in after.origins if after.value(key) != before.value(key)}
    assert changed == shown


def test_review_of_a_missing_file_is_empty() -> None:
    assert review([override_layer(["index.workers=3"]), ConfigLayer(trust=TrustState.ABSENT)]) == ()
