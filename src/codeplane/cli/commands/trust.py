"""`cpl trust`: review what a repository's configuration asks for, approve it, or withdraw the approval.

The approval is for the exact bytes that were shown. Long values are shown whole: their end may be what matters.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from datetime import datetime
from json import dumps
from pathlib import Path

import click

from codeplane import telemetry
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display
from codeplane.base.text_lines import plural
from codeplane.cli.answer import Reply, answer
from codeplane.cli.assemble import Invocation, assemble_at, find_root, load_layers, user_state
from codeplane.cli.options import json_option, yes_option
from codeplane.cli.plain import plain
from codeplane.cli.terminal import Style
from codeplane.config import ConfigLayer, TrustState, merge
from codeplane.config.review import Effect, RequestedSetting, find_repository_layer, review
from codeplane.config.trust import REPOSITORY_CONFIG, Grant, read_grant, remove_grant, write_grant

_WORDS = {
    TrustState.ABSENT: "nothing to trust",
    TrustState.UNTRUSTED: "not trusted",
    TrustState.VOID: "not trusted: changed after approval",
    TrustState.TRUSTED: "trusted",
}
_HEADINGS = {
    Effect.NEEDS_TRUST: "Needs trust",
    Effect.IN_EFFECT: "In effect",
    Effect.OVERRIDDEN: "Overridden",
    Effect.UNUSABLE: "Not valid, without effect",
}


@click.command()
@click.option("--show", is_flag=True, help="Only show what the repository's configuration asks for.")
@click.option("--revoke", is_flag=True, help="Withdraw the approval.")
@yes_option
@json_option
@click.pass_context
def trust(context: click.Context, show: bool, revoke: bool, yes: bool, json: bool) -> None:
    """Approve settings in .codeplane/config.yaml that need trust.

    The approval holds until that file changes.
    """
    context.exit(answer("trust", lambda: _trust(context.obj, show, revoke, yes), json=json))


def _trust(invocation: Invocation, show: bool, revoke: bool, yes: bool) -> Reply:
    if show + revoke + yes > 1:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "--show, --revoke and --yes exclude each other",
            expected="one of --show, --revoke, --yes, or none of them",
            example="cpl trust --show",
        )
    root, state = find_root(invocation.start), user_state(os.environ)
    if revoke:
        return _revoke(root, state)
    layers = load_layers(root, invocation, os.environ)
    assemble_at(root, merge(layers), os.environ)
    layer, asked = find_repository_layer(layers), review(layers)
    whole = next((item for item in asked if not item.key), None)
    if whole is not None and not show:
        raise CodePlaneError(
            ErrorCode.CONFIG_INVALID,
            f"{REPOSITORY_CONFIG} cannot be trusted because it is not valid",
            details={"reason": whole.reason},
            remedy="Correct or remove it; 'cpl trust --show' says what is wrong.",
        )
    found = _Found(root, layer, asked, read_grant(state, root))
    waiting = [item for item in asked if item.effect is Effect.NEEDS_TRUST]
    if show or layer is None or not waiting:
        return found.reply(_standing(layer, waiting))
    if not yes and not _agreed(found):
        return found.reply("Nothing was trusted.", status="needs_decision", brief=True)
    grant = write_grant(state, root, {REPOSITORY_CONFIG: layer.digest}, time.time())
    telemetry.info("repository trusted", sha256=layer.digest)
    now = _Found(root, *_trusted(layers), grant)
    count = plural(len(waiting), "setting")
    return now.reply(f"Trusted: {count} of {REPOSITORY_CONFIG}, until that file changes.", brief=not yes)


def _revoke(root: Path, state: Path) -> Reply:
    removed = remove_grant(state, root)
    text = "The repository is no longer trusted." if removed else "The repository was not trusted."
    return Reply(result={"root": str(root), "revoked": removed}, text=text, message=text)


def _trusted(layers: Sequence[ConfigLayer]) -> tuple[ConfigLayer | None, tuple[RequestedSetting, ...]]:
    """Review the same layers with the repository's configuration trusted."""
    after = [
        ConfigLayer(layer.entries, TrustState.TRUSTED, layer.ignored, layer.digest) if layer.digest else layer
        for layer in layers
    ]
    return find_repository_layer(after), review(after)


def _standing(layer: ConfigLayer | None, waiting: Sequence[RequestedSetting]) -> str:
    if layer is None:
        return f"The repository has no {REPOSITORY_CONFIG}; nothing to trust."
    if waiting:
        return f"{plural(len(waiting), 'setting')} would take effect with trust. To approve: cpl trust"
    if layer.trust is TrustState.TRUSTED:
        return "The repository's configuration is trusted in its current form."
    return "Nothing here needs trust."


class _Found:
    """The repository's configuration and its approval."""

    def __init__(
        self, root: Path, layer: ConfigLayer | None, asked: tuple[RequestedSetting, ...], grant: Grant | None
    ) -> None:
        self.root, self.layer, self.asked, self.grant = root, layer, asked, grant
        self.trust = (layer.trust if layer else None) or TrustState.ABSENT

    def reply(self, message: str, *, status: str = "ok", brief: bool = False) -> Reply:
        result: dict[str, object] = {"root": str(self.root), "state": self.trust.value}
        if self.layer is not None:
            result |= {"file": REPOSITORY_CONFIG, "sha256": self.layer.digest or None}
            result["settings"] = [self._row(item) for item in self.asked]
        if self.grant is not None:
            result["trusted_sha256"] = self.grant.files.get(REPOSITORY_CONFIG)
            result["trusted_at"] = self.grant.granted
        lines = [] if brief else [*self.lines(Style.of(sys.stdout)), ""]
        return Reply(result=result, text="\n".join([*lines, message]), message=message, status=status)

    def lines(self, style: Style) -> list[str]:
        words = _WORDS[self.trust]
        shown = style.yellow(words) if self.trust in (TrustState.UNTRUSTED, TrustState.VOID) else style.green(words)
        lines = [f"{style.bold(display(str(self.root)))}  {shown}"]
        if self.layer is not None:
            lines += ["", f"  {style.dim('file')}    {REPOSITORY_CONFIG}"]
            lines += [f"  {style.dim('sha256')}  {self.layer.digest}"] if self.layer.digest else []
        if self.grant is not None:
            when = datetime.fromtimestamp(self.grant.granted).strftime("%Y-%m-%d %H:%M:%S")
            lines.append(f"  {style.dim('given')}   {when}")
        for effect, heading in _HEADINGS.items():
            rows = [item for item in self.asked if item.effect is effect]
            if rows:
                lines += ["", style.bold(heading)]
            for item in rows:
                lines += self._setting(item, style)
        return lines

    @staticmethod
    def _setting(item: RequestedSetting, style: Style) -> list[str]:
        if not item.key:
            return [f"  the whole file: it {display(item.reason)}"]
        value = f"  {display(_json(item.value))}" if item.value is not None else ""
        reason = [f"      {style.dim(display(item.reason))}"] if item.reason else []
        return [f"  {display(item.key)}{value}", *reason]

    @staticmethod
    def _row(item: RequestedSetting) -> dict[str, object]:
        row = {"key": item.key, "value": _plain(item.value), "effect": item.effect.value, "reason": item.reason}
        return {name: value for name, value in row.items() if value not in ("", None)}


def _agreed(found: _Found) -> bool:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "'cpl trust' needs a confirmation",
            expected="a terminal, or --yes",
            example="cpl trust --yes",
            remedy="Review the settings first: cpl trust --show",
        )
    for line in found.lines(Style.of(sys.stderr)):
        print(line, file=sys.stderr)
    print("\nTrust this file in its current form? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _json(value: object) -> str:
    return dumps(_plain(value), ensure_ascii=False)


def _plain(value: object) -> object:
    """Convert YAML values to JSON: YAML also has dates, bytes, sets, infinity and integers of any length."""
    try:
        shown = plain(value)
        dumps(shown, allow_nan=False)
    except TypeError:
        return str(value)
    except ValueError:
        return "a number that cannot be shown"
    return shown
