"""All clients, in the order in which they are listed."""

from __future__ import annotations

from difflib import get_close_matches

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.cli.clients import claude_code, codex, cursor, gemini, opencode, vscode, windsurf, zed
from codeplane.cli.clients.model import Client

CLIENTS: tuple[Client, ...] = (
    claude_code.CLIENT,
    cursor.CLIENT,
    vscode.CLIENT,
    codex.CLIENT,
    zed.CLIENT,
    windsurf.CLIENT,
    gemini.CLIENT,
    opencode.CLIENT,
)
NAMES = tuple(client.name for client in CLIENTS)


def get_client(name: str) -> Client:
    wanted = name.strip().lower().replace("_", "-").replace(" ", "-")
    for client in CLIENTS:
        if wanted in (client.name, client.name.replace("-", ""), client.title.lower().replace(" ", "-")):
            return client
    near = get_close_matches(wanted, NAMES, n=1, cutoff=0.4)
    raise CodePlaneError(
        ErrorCode.ARGUMENT_INVALID,
        f"no client '{name}'",
        expected=near[0] if near else ", ".join(NAMES),
        received=name,
        example="cpl install --print-config",
        remedy=f"Use '{near[0]}'." if near else None,
    )
