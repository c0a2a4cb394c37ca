"""`cpl apply`, `cpl undo` and `cpl mutations`: text and JSON."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

from support.repositories import git, write
from support.sandbox import Sandbox

PATCH = "--- a/app.txt\n+++ b/app.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n"


def _patched(sandbox: Sandbox, tmp_path: Path, text: str = PATCH) -> str:
    write(sandbox.root, "app.txt", "one\ntwo\nthree\n")
    (tmp_path / "x.patch").write_text(text)
    return str(tmp_path / "x.patch")


def test_patch_is_previewed_applied_listed_and_undone(indexed: Sandbox, tmp_path: Path) -> None:
    patch = _patched(indexed, tmp_path)
    file = indexed.root / "app.txt"
    shown = indexed.run("apply", "--dry-run", patch)
    assert shown.returncode == 0
    assert shown.stdout.startswith("diff --git") and "-two\n+zwei" in shown.stdout
    assert "dry run: 1 file +1 -1; nothing was changed" in shown.stderr
    assert file.read_text() == "one\ntwo\nthree\n"
    done = indexed.run("apply", patch)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("app.txt +1 -1 sha ")
    assert file.read_text() == "one\nzwei\nthree\n"
    listed = indexed.json("mutations")["result"]["mutations"]
    assert [(row["state"], row["paths"], row["can_undo"]) for row in listed] == [("done", ["app.txt"], True)]
    assert done.stdout.split()[-1] == listed[0]["mutation_id"]
    assert indexed.run("undo").returncode == 0
    assert file.read_text() == "one\ntwo\nthree\n"
    text = indexed.run("mutations", "-n", "2").stdout
    assert "undone" in text and f"undoes {listed[0]['mutation_id']}" in text
    nothing = indexed.run("undo")
    assert nothing.returncode == 1
    assert "no change that can be undone" in nothing.stderr


def test_edits_as_json_from_standard_input(indexed: Sandbox) -> None:
    edits = json.dumps([{"path": "made/new.txt", "content": "x\n"}, {"path": ".mcp.json", "content": "{}\n"}])

    def run(*options: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*indexed.command, "apply", *options, "-"],
            cwd=indexed.root,
            env=indexed.environment(),
            input=edits,
            capture_output=True,
            text=True,
            timeout=60,
        )

    refused = run()
    assert refused.returncode == 1
    assert "allow_sensitive" in refused.stderr
    assert not (indexed.root / "made").exists()
    done = run("--allow-sensitive", "--json")
    assert json.loads(done.stdout)["result"]["delta"]["files_changed"] == 2
    assert (indexed.root / "made/new.txt").read_text() == "x\n"
    assert ".codeplane" not in git(indexed.root, "status", "--porcelain")


def test_a_patch_that_does_not_match_changes_nothing(indexed: Sandbox, tmp_path: Path) -> None:
    patch = _patched(indexed, tmp_path, PATCH.replace("-two", "-zwo"))
    failed = indexed.run("apply", patch)
    assert failed.returncode == 1
    assert "old_text 'one…' is not there; nothing was changed" in failed.stderr
    assert re.search(r"^ +-    zwo\n +\+2    two$", failed.stderr, re.MULTILINE)
    assert (indexed.root / "app.txt").read_text() == "one\ntwo\nthree\n"
    assert indexed.run("apply", str(tmp_path / "none.patch")).returncode == 2
    assert indexed.run("apply", _patched(indexed, tmp_path, "no patch\n")).returncode == 2
    assert indexed.run("apply", _patched(indexed, tmp_path, "{no json")).returncode == 2
    assert indexed.run("undo", "m_nothing").returncode == 1
    assert indexed.run("mutations").stdout.strip() == "no changes yet"
