"""`cpl units`: text and JSON."""

from __future__ import annotations

from support.repositories import write
from support.sandbox import Sandbox


def _monorepo(sandbox: Sandbox) -> None:
    write(sandbox.root, "package.json", '{"name": "shop", "workspaces": ["web"]}')
    write(sandbox.root, "web/package.json", '{"name": "@acme/web"}')
    write(sandbox.root, "web/app.ts", "export const app = 1;\n")
    write(sandbox.root, "demo/package.json", "{")
    write(sandbox.root, "demo/demo.js", "export const demo = 1;\n")


def test_units_are_listed_with_their_state(indexed: Sandbox) -> None:
    _monorepo(indexed)
    found = indexed.json("units", "--family", "javascript")
    rows = {
        row["root"]: (row["name"], row["state"], row["files"], row.get("marker")) for row in found["result"]["units"]
    }
    assert rows["web"] == ("@acme/web", "valid", 1, "web/package.json")
    assert rows["demo"][:2] == ("demo", "detached")
    assert "" not in rows
    assert [note["path"] for note in found["result"]["notes"]] == ["demo/package.json"]
    whole = indexed.json("units", "--all")["result"]
    root = next(row for row in whole["units"] if row["family"] == "javascript" and row["root"] == "")
    assert (root["name"], root["state"], root["tier"]) == ("shop", "empty", "fence")
    assert root["exclude"][-2:] == ["demo/**", "web/**"]
    assert whole["total"] > found["result"]["total"]
    shown = indexed.run("units")
    assert shown.returncode == 0
    assert "@acme/web" in shown.stdout and "detached" in shown.stdout
    assert "demo/package.json: it is not valid JSON" in shown.stderr


def test_owner_of_a_file_with_the_reason(indexed: Sandbox) -> None:
    _monorepo(indexed)
    owned = indexed.json("units", "web/app.ts")["result"]
    assert (owned["unit"]["name"], owned["unit"]["root"]) == ("@acme/web", "web")
    assert "listed by package.json" in owned["why"]
    nobody = indexed.json("units", "demo/demo.js")["result"]
    assert ("unit" in nobody, nobody["closest"]["root"]) == (False, "demo")
    assert "package.json does not list it" in nobody["why"]
    assert "no unit" in indexed.run("units", "demo/demo.js").stdout
    under = indexed.json("units", "web")["result"]["units"]
    assert [row["root"] for row in under] == ["web"]


def test_missing_path_is_an_error(indexed: Sandbox) -> None:
    assert "no indexed file at or under" in indexed.run("units", "nowhere").stderr
    refused = indexed.run("units", "--family", "cobol")
    assert refused.returncode == 2
    assert "no language family" in refused.stderr
