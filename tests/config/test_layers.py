"""Layers: who wins, who set what, and what is refused with which words."""

from __future__ import annotations

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.warnings import WarningCode
from codeplane.config import Config, LogOutput, TrustState, environment_layer, merge, override_layer
from codeplane.config.keys import KEYS, ConfigKey
from codeplane.config.layers import ConfigLayer, document_layer


def test_without_layers_every_key_has_its_default() -> None:
    config = merge([])
    assert config == Config()
    for key in KEYS:
        section, _, name = key.name.partition(".")
        assert getattr(getattr(config, section), name) == key.default
        assert config.origin(key.name) == "built-in default"


def test_later_layers_win_and_each_value_knows_its_origin() -> None:
    user = document_layer({"index": {"workers": 1, "hash_concurrency": 2, "full_hash_every": 3}}, "user")
    repository = document_layer({"index": {"workers": 4, "hash_concurrency": 5}}, "repo", TrustState.TRUSTED)
    environment = environment_layer({"CODEPLANE__INDEX__WORKERS": "6", "HOME": "/x", "CODEPLANE_OTHER": "1"})
    config = merge([user, repository, environment])
    assert (config.index.workers, config.index.hash_concurrency, config.index.full_hash_every) == (6, 5, 3)
    assert config.origin("index.workers") == "environment CODEPLANE__INDEX__WORKERS"
    assert config.origin("index.hash_concurrency") == "repo"
    assert config.origin("index.full_hash_every") == "user"
    over = merge([user, repository, environment, override_layer(["index.workers=7"])])
    assert over.index.workers == 7
    assert over.origin("index.workers") == "--set index.workers"


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.name)
def test_the_example_of_every_key_works_as_an_override(key: ConfigKey) -> None:
    config = merge([override_layer([f"{key.name}={key.example}"])])
    section, _, field = key.name.partition(".")
    assert getattr(getattr(config, section), field) != key.default


@pytest.mark.parametrize(
    ("key", "value", "read"),
    [
        ("index.overlay", True, "on"),  # a bare `on` in YAML
        ("index.overlay", False, "off"),
        ("index.overlay", "AUTO", "auto"),
        ("index.ignore", "*.gen", ("*.gen",)),
        ("index.ignore", ["a", "b/"], ("a", "b/")),
        ("index.ignore", None, ()),
        ("index.ignore", "", ()),
        ("index.parse_timeout_sec", 3, 3.0),
        ("server.toolsets", "git,Core", ("core", "git")),
        ("server.toolsets", ["tests", "tests", "core"], ("core", "tests")),
        ("server.allowed_roots", "/home/me/", ("/home/me",)),
        ("server.allowed_roots", ["/a//b/./c", "/a/b/c", "/"], ("/a/b/c", "/")),
        ("server.allowed_roots", None, ()),
        ("server.read_only", "yes", True),
        ("server.read_only", "0", False),
        ("server.port", "8080", 8080),
        ("freshness.watcher", "off", False),
        ("freshness.policy", "STRICT", "strict"),
        ("freshness.interval_sec", 0, 0.0),
        ("logging.level", "DEBUG", "debug"),
        ("logging.level", "Warning", "warn"),
        ("logging.outputs", [], ()),
        (
            "logging.outputs",
            [{"format": "JSON", "destination": "/x/y.jsonl"}, {"level": "ERROR"}],
            (LogOutput("json", "/x/y.jsonl"), LogOutput(level="error")),
        ),
    ],
)
def test_values_are_parsed_leniently(key: str, value: object, read: object) -> None:
    section, _, name = key.partition(".")
    config = merge([document_layer({section: {name: value}}, "file")])
    assert getattr(getattr(config, section), name) == read


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("index.workers", 17),
        ("index.workers", -1),
        ("index.workers", True),
        ("index.workers", "many"),
        ("index.workers", 1.5),
        ("index.hash_concurrency", 0),
        ("index.hash_concurrency", 65),
        ("index.full_hash_every", 1_000_001),
        ("index.max_parse_bytes", 10),
        ("index.parse_timeout_sec", "nan"),
        ("index.parse_timeout_sec", "inf"),
        ("index.parse_timeout_sec", 10**400),
        ("index.parse_timeout_sec", False),
        ("index.overlay", "maybe"),
        ("index.ignore", [1]),
        ("index.ignore", ["two\nlines"]),
        ("index.ignore", {"a": 1}),
        ("server.toolsets", []),
        ("server.toolsets", ["core", "everything"]),
        ("server.toolsets", [""]),
        ("server.allowed_roots", ["relative"]),
        ("server.allowed_roots", ["/home/me/../you"]),
        ("server.allowed_roots", ["/a\0b"]),
        ("server.read_only", "maybe"),
        ("server.read_only", 1),
        ("server.port", 65536),
        ("server.shutdown_sec", -1),
        ("server.session_idle_sec", 0),
        ("freshness.policy", "lax"),
        ("freshness.strict_sec", 0),
        ("ledger.retention_days", -1),
        pytest.param("index.workers", 16**5000, id="a very large number"),
        ("logging.level", "loud"),
        ("logging.outputs", "stderr"),
        ("logging.outputs", [{"destination": "relative.log"}]),
        ("logging.outputs", [{"colour": "red"}]),
        ("logging.outputs", [{"format": "xml"}]),
    ],
)
def test_invalid_values_report_expected_and_received(key: str, value: object) -> None:
    section, _, name = key.partition(".")
    with pytest.raises(CodePlaneError) as caught:
        merge([document_layer({section: {name: value}}, "some/file.yaml")])
    error = caught.value
    assert error.code is ErrorCode.CONFIG_INVALID
    assert key in error.message
    assert "some/file.yaml" in error.message
    assert error.expected and error.received and error.example


@pytest.mark.parametrize(
    ("typed", "nearest"),
    [
        ("index.overly", "index.overlay"),
        ("indx.workers", "index.workers"),
        ("logging.levl", "logging.level"),
        ("index.hash-concurrency", "index.hash_concurrency"),
        ("server.workers", "index.workers"),
    ],
)
def test_unknown_key_suggests_the_nearest_and_names_its_origin(typed: str, nearest: str) -> None:
    with pytest.raises(CodePlaneError) as caught:
        merge([override_layer([f"{typed}=1"])])
    assert caught.value.code is ErrorCode.CONFIG_UNKNOWN_KEY
    assert caught.value.expected == nearest
    assert typed in caught.value.message
    assert "--set" in caught.value.message


def test_unknown_environment_variable_is_reported() -> None:
    with pytest.raises(CodePlaneError, match="environment CODEPLANE__INDEX__OVERLY"):
        merge([environment_layer({"CODEPLANE__INDEX__OVERLY": "on"})])


@pytest.mark.parametrize("document", [{"indx": {}}, {"indx": None}, {"workers": 3}, {"index": {7: 1}}])
def test_unknown_sections_and_stray_keys_are_rejected(document: dict[object, object]) -> None:
    with pytest.raises(CodePlaneError) as caught:
        merge([document_layer(document, "file")])
    assert caught.value.code is ErrorCode.CONFIG_UNKNOWN_KEY


@pytest.mark.parametrize("document", [{"index": 3}, {"index": [1]}, {1: {}}])
def test_section_must_be_a_mapping(document: dict[object, object]) -> None:
    with pytest.raises(CodePlaneError) as caught:
        merge([document_layer(document, "file")])
    assert caught.value.code is ErrorCode.CONFIG_INVALID


def test_empty_sections_are_accepted() -> None:
    assert merge([document_layer({"index": None, "logging": {}}, "file")]) == Config()


def test_repository_cannot_redirect_logs() -> None:
    document: dict[object, object] = {
        "logging": {"level": "debug", "outputs": [{"destination": "/home/someone/.bashrc"}]}
    }
    config = merge([document_layer(document, ".codeplane/config.yaml", TrustState.UNTRUSTED)])
    assert config.logging.outputs == Config().logging.outputs
    assert config.logging.level == "debug"
    assert [(ignored.key, ignored.origin) for ignored in config.ignored] == [
        ("logging.outputs", ".codeplane/config.yaml")
    ]
    assert merge([document_layer(document, "user")]).logging.outputs != Config().logging.outputs


def test_trusted_repositories_may_set_trusted_only_keys() -> None:
    document: dict[object, object] = {"server": {"port": 8099}, "ledger": {"retention_days": 3}}
    for trust in (TrustState.UNTRUSTED, TrustState.VOID):
        config = merge([document_layer(document, "repo", trust)])
        assert (config.server.port, config.ledger.retention_days, config.trust) == (0, 14, trust)
        assert [ignored.key for ignored in config.ignored] == ["server.port", "ledger.retention_days"]
        assert {ignored.code for ignored in config.ignored} == {WarningCode.CONFIG_UNTRUSTED}
        assert ("changed" in config.ignored[0].reason) == (trust is TrustState.VOID)
    config = merge([document_layer(document, "repo", TrustState.TRUSTED)])
    assert (config.server.port, config.ledger.retention_days, config.ignored) == (8099, 3, ())
    assert config.origin("server.port") == "repo"


FREE = {
    "freshness.debounce_ms",
    "freshness.policy",
    "freshness.watcher",
    "index.full_hash_every",
    "index.hash_concurrency",
    "index.ignore",
    "index.overlay",
    "logging.level",
    "server.prewarm",
    "server.read_only",
}
"""All that a stranger may choose; the worst of it is a poor index of the stranger's own files."""
NEVER = {"secrets.allow", "secrets.redact"}
"""Settings that no repository may loosen, trusted or not."""


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.name)
def test_untrusted_repositories_may_set_only_harmless_keys(key: ConfigKey) -> None:
    section, _, name = key.name.partition(".")
    (parsed,) = (entry.value for entry in override_layer([f"{key.name}={key.example}"]).entries)
    value = merge([override_layer([f"{key.name}={key.example}"])]).value(key.name)
    for trust in (TrustState.UNTRUSTED, TrustState.VOID, TrustState.TRUSTED):
        config = merge([document_layer({section: {name: parsed}}, "repo", trust)])
        lowers = key.may_lower and isinstance(value, int | float) and value < float(str(key.default))
        taken = (trust is TrustState.TRUSTED and key.name not in NEVER) or key.name in FREE or lowers
        assert config.value(key.name) == (value if taken else key.default)
        refusal = WarningCode.CONFIG_IGNORED if key.name in NEVER else WarningCode.CONFIG_UNTRUSTED
        assert [ignored.code for ignored in config.ignored] == ([] if taken else [refusal])


@pytest.mark.parametrize("key", [key for key in KEYS if key.may_lower], ids=lambda key: key.name)
def test_untrusted_repositories_may_lower_limits_but_not_raise_them(key: ConfigKey) -> None:
    section, _, name = key.name.partition(".")

    def choose(yours: float, theirs: float) -> object:
        user = document_layer({section: {name: yours}}, "user")
        return merge([user, document_layer({section: {name: theirs}}, "repo", TrustState.UNTRUSTED)]).value(key.name)

    low, high = (100, 150) if key.name.endswith("_sec") else (2000, 3000)
    assert choose(high, low) == low
    assert choose(low, high) == low


def test_repository_cannot_extend_the_shutdown_timeout() -> None:
    config = merge([document_layer({"server": {"shutdown_sec": 300}}, "repo", TrustState.UNTRUSTED)])
    assert config.server.shutdown_sec == Config().server.shutdown_sec
    assert [ignored.key for ignored in config.ignored] == ["server.shutdown_sec"]


@pytest.mark.parametrize("trust", [TrustState.UNTRUSTED, TrustState.TRUSTED])
def test_repository_may_enable_but_not_disable_read_only(trust: TrustState) -> None:
    def user(value: bool) -> ConfigLayer:
        return document_layer({"server": {"read_only": value}}, "user")

    def repository(value: bool) -> ConfigLayer:
        return document_layer({"server": {"read_only": value}}, "repo", trust)

    config = merge([user(False), repository(True)])
    assert config.server.read_only and config.ignored == () and config.origin("server.read_only") == "repo"
    config = merge([user(True), repository(False)])
    assert config.server.read_only and config.origin("server.read_only") == "user"
    assert [ignored.code for ignored in config.ignored] == [WarningCode.CONFIG_IGNORED]
    config = merge([user(False), repository(False)])
    assert not config.server.read_only and config.ignored == ()
    assert not merge([repository(True), override_layer(["server.read_only=false"])]).server.read_only


@pytest.mark.parametrize("trust", [TrustState.UNTRUSTED, TrustState.VOID, TrustState.TRUSTED])
@pytest.mark.parametrize(
    ("document", "key", "words"),
    [
        ({"index": {"overly": "on"}}, "index.overly", "did you mean index.overlay?"),
        ({"runner": {"command": "sh"}}, "runner.command", "unknown setting"),
        ({"index": {"workers": 99}}, "index.workers", "from 0 to 16"),
        ({"index": {"workers": 16**5000}}, "index.workers", "from 0 to 16"),
        ({"index": {16**5000: 1}}, "index.a very large number", "unknown setting"),
        ({"index": 3}, "index", "expected keys below 'index'"),
        ({1: {}}, "1", "expected a section name"),
        ({"unknown": None}, "unknown", "unknown setting"),
        ({"x\x1b[2J" * 50: {}}, "x\\x1b[2J", "unknown setting"),
    ],
)
def test_invalid_repository_settings_are_ignored_and_reported(
    document: dict[object, object], key: str, words: str, trust: TrustState
) -> None:
    good: dict[object, object] = {"freshness": {"policy": "strict"}}
    config = merge([document_layer({**document, **good}, "repo", trust)])
    assert config.freshness.policy == "strict"
    (ignored,) = config.ignored
    assert ignored.code is WarningCode.CONFIG_IGNORED
    assert ignored.key.startswith(key) and len(ignored.key) <= 120 and ignored.key.isprintable()
    assert words in ignored.reason
    notice = ignored.notice().as_dict()
    assert notice["code"] == "CONFIG_IGNORED" and notice["key"] == ignored.key
    assert key not in str(notice["message"])


@pytest.mark.parametrize("text", ["index.overlay", "=1", ""])
def test_an_override_needs_a_key_and_a_value(text: str) -> None:
    with pytest.raises(CodePlaneError) as caught:
        override_layer([text])
    assert caught.value.code is ErrorCode.ARGUMENT_INVALID


def test_received_values_are_escaped_and_truncated() -> None:
    with pytest.raises(CodePlaneError) as caught:
        merge([environment_layer({"CODEPLANE__INDEX__OVERLAY": "\x1b[2J" + "x" * 1000})])
    assert caught.value.received is not None
    assert caught.value.received.startswith("\\x1b[2J")
    assert len(caught.value.received) <= 120
