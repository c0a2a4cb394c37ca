"""Context of a command: the repository, its configuration and the user's directories.

Only this module reads the environment.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display
from codeplane.base.warnings import WarningCode
from codeplane.config import Config, ConfigLayer, environment_layer, merge, override_layer
from codeplane.telemetry import LogDestination, configure

if TYPE_CHECKING:
    from codeplane.operations.context import Context

_MARKS = (".git", ".codeplane")


@dataclass(frozen=True)
class Invocation:
    """Options that precede the command."""

    start: Path | None = None
    overrides: tuple[str, ...] = ()


@dataclass(frozen=True)
class Assembly:
    context: Context
    warnings: tuple[str, ...] = ()


def assemble(invocation: Invocation, target: Path | None = None, *, any_directory: bool = False) -> Assembly:
    """Return the context of an operation. With `any_directory`, a named directory need not be a git repository."""
    root = find_root(invocation.start, target, any_directory=any_directory)
    return assemble_at(root, load_config(root, invocation, os.environ), os.environ)


def assemble_at(root: Path, config: Config, environment: Mapping[str, str]) -> Assembly:
    problems = start_logging(root, config)
    return Assembly(context_at(root, config, environment), (*problems, *untrusted(config)))


def context_at(root: Path, config: Config, environment: Mapping[str, str]) -> Context:
    """Return the context of an operation without opening the log; allow the secrets that the operator allows."""
    from codeplane.operations.context import Context

    if config.secrets.allow:
        from codeplane.disk.allowed_secrets import allow_secrets

        allow_secrets(config.secrets.allow)
    return Context(
        root=root,
        config=config,
        user_state=user_state(environment),
        in_ci=environment.get("CI", "").strip().lower() not in ("", "0", "false", "no"),
    )


def find_root(start: Path | None, target: Path | None = None, *, any_directory: bool = False) -> Path:
    """Return the nearest directory at or above the start that is a repository or has an index."""
    given = (start or Path()) / (target or Path())
    try:
        place = given.resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        raise _no_directory(given) from None
    if not place.is_dir():
        if target is not None or start is not None:
            raise _no_directory(given)
        place = place.parent
    for directory in (place, *place.parents):
        if any(os.path.lexists(directory / mark) for mark in _MARKS):
            return directory
    if any_directory and (target is not None or start is not None):
        return place
    raise CodePlaneError(
        ErrorCode.NOT_A_REPOSITORY,
        f"'{display(str(place))}' is not in a git repository",
        expected="a directory in a git repository, or in one that has an index",
        received=display(str(place)),
        remedy=f"Change to a repository, name one with 'cpl -C PATH', or index it: cpl init {display(str(place))}",
    )


def load_config(root: Path | None, invocation: Invocation, environment: Mapping[str, str]) -> Config:
    return merge(load_layers(root, invocation, environment))


def load_layers(root: Path | None, invocation: Invocation, environment: Mapping[str, str]) -> list[ConfigLayer]:
    """Return all sources of settings, in rising order of precedence."""
    layers = []
    user_file = _user_directory(environment, "XDG_CONFIG_HOME", ".config") / "config.yaml"
    repository_file = root / ".codeplane" / "config.yaml" if root else None
    # Importing YAML takes a tenth of the time budget of `cpl status`, and most users have no such file.
    if os.path.lexists(user_file) or (repository_file and os.path.lexists(repository_file)):
        from codeplane.config.files import repository_layer, user_layer
        from codeplane.config.trust import read_grant

        layers.append(user_layer(user_file))
        if root:
            layers.append(repository_layer(root, read_grant(user_state(environment), root)))
    layers += (environment_layer(environment), override_layer(invocation.overrides))
    return layers


def start_logging(root: Path | None, config: Config) -> list[str]:
    """Open the log outputs. On a terminal only warnings and errors of the log are printed, unless configured."""
    default = config.origins.keys().isdisjoint({"logging.level", "logging.outputs"}) and sys.stderr.isatty()
    outputs = [
        LogDestination(output.format, output.destination, "warn" if default else output.level or config.logging.level)
        for output in config.logging.outputs
    ]
    return configure(outputs, repository=root, file_level=config.logging.level)


def untrusted(config: Config) -> tuple[str, ...]:
    """Return warnings about the repository's own configuration. They never quote it: it may come from a stranger."""
    waiting = [ignored for ignored in config.ignored if ignored.code is WarningCode.CONFIG_UNTRUSTED]
    warnings = [
        f"CONFIG_UNTRUSTED: {ignored.key} in {ignored.origin} is ignored: {ignored.reason}" for ignored in waiting
    ]
    if waiting:
        warnings[-1] += ". See 'cpl trust --show'."
    useless = [ignored for ignored in config.ignored if ignored.code is WarningCode.CONFIG_IGNORED]
    if useless and not useless[0].key:
        warnings.append(f"CONFIG_IGNORED: {useless[0].origin} cannot be read and is ignored. See 'cpl doctor'.")
    elif useless:
        count = "a setting" if len(useless) == 1 else f"{len(useless)} settings"
        warnings.append(f"CONFIG_IGNORED: {count} in {useless[0].origin} cannot be used. See 'cpl doctor'.")
    return tuple(warnings)


def user_state(environment: Mapping[str, str]) -> Path:
    return _user_directory(environment, "XDG_STATE_HOME", ".local/state")


def _user_directory(environment: Mapping[str, str], variable: str, fallback: str) -> Path:
    base = environment.get(variable, "")
    # A relative value would make the place depend on where the command is run.
    if not base.startswith("/"):
        base = str(Path("~").expanduser() / fallback)
    return Path(base) / "codeplane"


def _no_directory(given: Path) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.ARGUMENT_INVALID,
        f"no directory '{display(str(given))}'",
        expected="an existing directory",
        received=display(str(given)),
    )
