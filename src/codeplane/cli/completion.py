"""Shell completion: the script, and the file in which each shell looks for it. Start-up files are never edited."""

from __future__ import annotations

import os
from pathlib import Path

import click
from click.shell_completion import get_completion_class

_VARIABLE = "_CPL_COMPLETE"


def script(app: click.Command, shell: str) -> str:
    made = get_completion_class(shell)
    if made is None:
        raise click.UsageError(f"no completion for {shell}")
    return made(app, {}, "cpl", _VARIABLE).source().strip()


def install(app: click.Command, shell: str) -> str:
    """Write the script to the user's completion directory, and return a message."""
    home = Path("~").expanduser()
    data = Path(os.environ.get("XDG_DATA_HOME") or home / ".local/share")
    config = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    target = {
        "bash": data / "bash-completion/completions/cpl",
        "zsh": home / ".zfunc/_cpl",
        "fish": config / "fish/completions/cpl.fish",
    }[shell]
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(script(app, shell) + "\n", encoding="utf-8")
    note = {
        "bash": "It requires the package bash-completion.",
        "zsh": "Add to ~/.zshrc: fpath+=~/.zfunc; autoload -Uz compinit; compinit",
        "fish": "No other step is needed.",
    }[shell]
    return f"Wrote {target}.\n{note}\nOpen a new shell to use it."
