"""Merge of configuration layers. Later layers win; a list replaces the list of the layer below.

An unknown key or an invalid value is an error that names its origin, because a silently ignored setting is worse.
In a repository's configuration file it is skipped and reported instead: a clone must not break every command.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display
from codeplane.base.warnings import WarningCode
from codeplane.config.keys import BY_NAME, ConfigKey
from codeplane.config.model import Config, IgnoredSetting, TrustState
from codeplane.config.value_types import InvalidValue

ENVIRONMENT_PREFIX = "CODEPLANE__"
_SECTIONS = {name.partition(".")[0] for name in BY_NAME}
_MAX_SHOWN = 120


@dataclass(frozen=True)
class ConfigEntry:
    key: str
    value: object
    origin: str


@dataclass(frozen=True)
class ConfigLayer:
    """Settings from one origin."""

    entries: tuple[ConfigEntry, ...] = ()
    trust: TrustState | None = None
    """None for the user's own settings; otherwise the layer came with the repository."""
    ignored: tuple[IgnoredSetting, ...] = ()
    digest: str = ""
    """SHA-256 of the file content, if it can be trusted."""


def merge(layers: Iterable[ConfigLayer]) -> Config:
    """Merge layers in ascending order of precedence."""
    values: dict[str, object] = {}
    origins: dict[str, str] = {}
    ignored: list[IgnoredSetting] = []
    trust = TrustState.ABSENT
    for layer in layers:
        ignored += layer.ignored
        trust = layer.trust or trust
        for entry in layer.entries:
            refusal = find_refusal(layer, entry, values)
            if refusal is not None:
                ignored.append(refusal)
                continue
            key, values[entry.key] = read_entry(entry)
            origins[key.name] = entry.origin
    defaults = Config(origins=origins, ignored=tuple(ignored), trust=trust)
    return replace(defaults, **{section: _section(defaults, section, values) for section in sorted(_SECTIONS)})


def read_entry(entry: ConfigEntry) -> tuple[ConfigKey, object]:
    """Return key and parsed value of an entry, or raise an error that names its origin."""
    key = BY_NAME.get(entry.key)
    if key is None:
        raise _unknown(entry)
    return key, _parse(key, entry)


def find_refusal(layer: ConfigLayer, entry: ConfigEntry, below: Mapping[str, object]) -> IgnoredSetting | None:
    """Return why an entry of a repository's configuration file is ignored, or None if it takes effect."""
    if layer.trust is None:
        return None
    try:
        key, value = read_entry(entry)
    except CodePlaneError as error:
        return _ignored_setting(entry.key, entry.origin, error)
    under = below.get(key.name, key.default)
    if key.trusted_only and layer.trust is not TrustState.TRUSTED and not (key.may_lower and _is_lower(value, under)):
        void = "; the file changed after it was trusted" if layer.trust is TrustState.VOID else ""
        return IgnoredSetting(entry.key, entry.origin, key.outside + void)
    if key.tightens_to is not None and value not in (key.tightens_to, under):
        reason = "a repository may only tighten it"
        return IgnoredSetting(entry.key, entry.origin, reason, WarningCode.CONFIG_IGNORED)
    return None


def document_layer(document: Mapping[object, object], origin: str, trust: TrustState | None = None) -> ConfigLayer:
    """Return the layer of a configuration file; `origin` is the file name for messages."""
    entries: list[ConfigEntry] = []
    ignored: list[IgnoredSetting] = []
    for section, content in document.items():
        try:
            entries += _flatten(section, content, origin)
        except CodePlaneError as error:
            if trust is None:
                raise
            ignored.append(_ignored_setting(section, origin, error))
    return ConfigLayer(tuple(entries), trust, tuple(ignored))


def environment_layer(environment: Mapping[str, str]) -> ConfigLayer:
    """Return the layer of CODEPLANE__SECTION__KEY variables."""
    names = sorted(name for name in environment if name.startswith(ENVIRONMENT_PREFIX))
    return ConfigLayer(
        tuple(
            ConfigEntry(
                name.removeprefix(ENVIRONMENT_PREFIX).lower().replace("__", "."),
                _from_text(environment[name]),
                f"environment {display(name)}",
            )
            for name in names
        )
    )


def override_layer(overrides: Iterable[str], option: str = "--set") -> ConfigLayer:
    """Return the layer of `key=value` overrides."""
    entries = []
    for text in overrides:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise CodePlaneError(
                ErrorCode.ARGUMENT_INVALID,
                f"{option} needs key=value",
                expected="key=value",
                received=_shown(text),
                example=f"cpl {option} index.overlay=off init",
            )
        entries.append(ConfigEntry(key.strip(), _from_text(value), f"{option} {display(key.strip())}"))
    return ConfigLayer(tuple(entries))


def _flatten(section: object, content: object, origin: str) -> Iterable[ConfigEntry]:
    if not isinstance(section, str):
        raise _invalid(f"{origin} has a section whose name is not text", "a section name", section, "index")
    if content is None and section in _SECTIONS:
        return
    if not isinstance(content, dict):
        if section in _SECTIONS:
            raise _invalid(
                f"'{section}' in {origin} is not a section", f"keys below '{section}'", content, f"{section}: {{}}"
            )
        yield ConfigEntry(section, content, origin)
        return
    for name, value in content.items():
        yield ConfigEntry(f"{section}.{name if isinstance(name, str) else _text(name)}", value, origin)
    if not content and section not in _SECTIONS:
        yield ConfigEntry(section, content, origin)


def _ignored_setting(name: object, origin: str, error: CodePlaneError) -> IgnoredSetting:
    """Describe an invalid entry. The reason must not quote the file, whose author is not trusted."""
    if error.code is ErrorCode.CONFIG_UNKNOWN_KEY:
        near = error.details.get("nearest")
        reason = "unknown setting" + (f"; did you mean {near}?" if near else "")
    else:
        reason = f"invalid value; expected {error.expected}"
    return IgnoredSetting(_shown(name), origin, reason, WarningCode.CONFIG_IGNORED)


def _is_lower(value: object, than: object) -> bool:
    return isinstance(value, int | float) and isinstance(than, int | float) and value <= than


def _section(defaults: Config, section: str, values: Mapping[str, object]) -> Any:
    """Return a section of the defaults with the values that are set."""
    own = {key.removeprefix(f"{section}."): value for key, value in values.items() if key.startswith(f"{section}.")}
    return replace(getattr(defaults, section), **own)


def _parse(key: ConfigKey, entry: ConfigEntry) -> object:
    try:
        return key.type.parse(entry.value)
    except InvalidValue:
        raise _invalid(
            f"{key.name} has an invalid value ({entry.origin})",
            key.type.expected,
            entry.value,
            f"{key.name}: {key.example}",
            key=key.name,
            origin=entry.origin,
        ) from None


def _from_text(text: str) -> object:
    """Parse lists and objects, which are JSON in variables and overrides; other text is parsed by the key."""
    if not text.lstrip().startswith(("[", "{")):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _unknown(entry: ConfigEntry) -> CodePlaneError:
    last = entry.key[:100].rpartition(".")[2]
    same = [name for name in BY_NAME if name.rpartition(".")[2] == last]
    near = same or get_close_matches(entry.key[:100], BY_NAME, n=1, cutoff=0.5)
    nearest = near[0] if near else None
    return CodePlaneError(
        ErrorCode.CONFIG_UNKNOWN_KEY,
        f"unknown setting '{_shown(entry.key)}' ({entry.origin})",
        details={"origin": entry.origin} | ({"nearest": nearest} if nearest else {}),
        expected=nearest or ", ".join(BY_NAME),
        received=_shown(entry.key),
        remedy=f"Use '{nearest}', or remove it."
        if nearest
        else "Remove it. 'cpl status --verbose' lists all settings.",
    )


def _invalid(message: str, expected: str, received: object, example: str, **details: object) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.CONFIG_INVALID,
        message,
        details=details,
        expected=expected,
        received=_shown(received),
        example=example,
    )


def _shown(value: object) -> str:
    text = display(value if isinstance(value, str) else _text(value))
    return text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 1] + "…"


def _text(value: object) -> str:
    try:
        return repr(value)
    except ValueError:
        # Python refuses to convert integers of thousands of digits, which YAML allows.
        return "a very large number"
