"""All settings with their values and origins, for programs and for people."""

from __future__ import annotations

from codeplane.base.text_lines import table
from codeplane.cli.plain import plain
from codeplane.cli.terminal import columns, fit
from codeplane.config import Config
from codeplane.config.keys import KEYS


def config_rows(config: Config) -> list[dict[str, object]]:
    return [
        {"key": key.name, "value": plain(config.value(key.name)), "origin": config.origin(key.name)} for key in KEYS
    ]


def config_lines(config: Config) -> list[str]:
    rows = config_rows(config)
    taken = max(len(str(row["key"])) for row in rows) + max(len(str(row["origin"])) for row in rows) + 6
    room = max(12, columns() - taken)
    return table([(str(row["key"]), fit(_setting(row["value"]), room), str(row["origin"])) for row in rows])


def _setting(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, list):
        return str(value)
    return ", ".join(
        " ".join(str(part) for part in item.values() if part) if isinstance(item, dict) else str(item) for item in value
    )
