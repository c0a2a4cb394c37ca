"""`cpl` end to end: a real process, a real repository, a home directory of its own."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from codeplane import __version__
from support.sandbox import HOSTILE, Sandbox


def test_version_and_help_need_no_repository(sandbox: Sandbox) -> None:
    assert sandbox.run("--version", cwd=sandbox.home).stdout == f"cpl {__version__}\n"
    shown = sandbox.run("--help", cwd=sandbox.home).stdout
    assert all(f"  {name} " in shown for name in ("init", "status", "doctor", "clear", "defs", "outline", "languages"))
    assert "--install-completion" in shown


def test_completion_offers_commands(sandbox: Sandbox) -> None:
    sandbox.variables = {"_CPL_COMPLETE": "bash_complete", "COMP_WORDS": "cpl st", "COMP_CWORD": "1"}
    assert sandbox.run().stdout.split() == ["plain,status"]
    sandbox.variables = {}
    assert "_CPL_COMPLETE=bash_complete" in sandbox.run("--show-completion", "bash").stdout
    assert sandbox.run("--install-completion", "fish").returncode == 0
    assert "cpl" in (sandbox.home / ".config/fish/completions/cpl.fish").read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("stauts",), "status"),
        (("defs",), "NAME"),
        (("--set", "nonsense", "status"), "key=value"),
        (("-C", "missing", "status"), "missing"),
        (("defs", "x", "--limit", "0"), "1<=x<=1000"),
    ],
)
def test_a_wrong_call_exits_2_and_says_what_was_expected(
    sandbox: Sandbox, arguments: tuple[str, ...], words: str
) -> None:
    done = sandbox.run(*arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_outside_a_repository_the_error_names_a_remedy(sandbox: Sandbox) -> None:
    done = sandbox.run("status", cwd=sandbox.home)
    assert done.returncode == 1
    assert "not in a git repository" in done.stderr and f"cpl init {sandbox.home}" in done.stderr
    assert sandbox.run("init", cwd=sandbox.home).returncode == 1
    assert list(sandbox.home.iterdir()) == []


def test_init_indexes_and_leaves_git_status_as_it_was(sandbox: Sandbox) -> None:
    report = sandbox.json("init")
    assert report["status"] == "ok"
    assert report["result"]["decision"] == "built"
    assert report["result"]["files"] == 2
    assert report["result"]["definitions"] == 4
    assert sandbox.git("status", "--porcelain") == ""
    assert not (sandbox.root / ".cplignore").exists()
    assert sandbox.json("init")["result"]["decision"] == "fresh"


def test_init_takes_a_path_and_finds_the_root_above_it(sandbox: Sandbox) -> None:
    done = sandbox.run("init", "repository/shop", cwd=sandbox.root.parent)
    assert done.returncode == 0, done.stderr
    assert (sandbox.root / ".codeplane").is_dir()
    assert "4" in done.stdout and "cpl defs NAME" in done.stdout


def test_init_of_a_directory_without_git(sandbox: Sandbox) -> None:
    (sandbox.home / "plain").mkdir()
    (sandbox.home / "plain" / "a.py").write_text("def a(): ...\n")
    assert sandbox.run("init", "plain", cwd=sandbox.home).returncode == 0
    assert sandbox.run("defs", "a", cwd=sandbox.home / "plain").stdout.startswith("a.py:1")


def test_ignore_file_is_written_on_request_and_never_overwritten(sandbox: Sandbox) -> None:
    assert sandbox.run("init", "--ignore-file").returncode == 0
    written = (sandbox.root / ".cplignore").read_text()
    assert "#   node_modules/" in written
    assert all(line.startswith("#") for line in written.splitlines())
    (sandbox.root / ".cplignore").write_text("mine\n")
    assert "was not changed" in sandbox.run("init", "--ignore-file").stdout
    assert (sandbox.root / ".cplignore").read_text() == "mine\n"


def test_status_before_and_after(sandbox: Sandbox) -> None:
    before = sandbox.json("status", exit_code=1)
    assert before["status"] == "not_indexed"
    assert before["hints"] == {"next": "cpl init"}
    assert not (sandbox.root / ".codeplane").exists()
    sandbox.run("init")
    after = sandbox.json("status")
    assert after["status"] == "ok"
    assert after["result"]["state"] == "ready"
    assert (after["result"]["files"], after["result"]["definitions"]) == (2, 4)
    assert after["meta"]["epoch"] == after["result"]["epoch"] >= 1
    assert "ready" in sandbox.run("status").stdout


def test_status_verbose_shows_settings_with_origin_and_the_log(indexed: Sandbox) -> None:
    indexed.variables = {"CODEPLANE__INDEX__WORKERS": "1"}
    shown = indexed.run("--set", "index.hash_concurrency=3", "status", "--verbose").stdout
    assert "environment CODEPLANE__INDEX__WORKERS" in shown
    assert "--set index.hash_concurrency" in shown
    assert "info  index ready" in shown
    result = indexed.json("status", "--verbose")["result"]
    assert "index ready" in [json.loads(line)["event"] for line in result["log"]]
    assert {"key": "index.workers", "value": 1, "origin": "environment CODEPLANE__INDEX__WORKERS"} in result["config"]


def test_defs_and_outline_output(indexed: Sandbox) -> None:
    assert indexed.run("defs", "Order").stdout.startswith("shop/orders.py:1:class Order")
    assert (
        indexed.run("outline", "orders.py", cwd=indexed.root / "shop")
        .stdout.splitlines()[0]
        .startswith("shop/orders.py")
    )
    outline = indexed.json("outline", "shop/orders.py")
    assert [row["name"] for row in outline["result"]["symbols"]] == ["Order", "place"]
    assert outline["meta"]["freshness"] == {"status": "fresh"}
    assert outline["result"]["symbols"][0]["children"] == [
        {"name": "total", "kind": "method", "line_start": 4, "line_end": 5, "signature": "def total(self) -> int"}
    ]


def test_defs_filters_and_limits(indexed: Sandbox) -> None:
    (indexed.root / "shop" / "more.py").write_text("class Order: ...\n\n\ndef Order() -> None: ...\n")
    assert indexed.json("defs", "Order")["result"]["total"] == 3
    assert indexed.json("defs", "Order", "--kind", "function")["result"]["total"] == 1
    assert indexed.json("defs", "Order", "--path", "shop/more.py")["result"]["total"] == 2
    bounded = indexed.json("defs", "Order", "--limit", "1")["result"]
    assert (len(bounded["results"]), bounded["total"]) == (1, 3)
    assert indexed.run("defs", "Order", "-n", "1").stderr == "more: 2 (--limit 3)\n"


def test_edit_is_visible_in_the_next_call(indexed: Sandbox) -> None:
    missing = indexed.json("defs", "fresh_name", exit_code=1)
    assert missing["status"] == "not_found"
    with (indexed.root / "shop" / "orders.py").open("a") as file:
        file.write("\n\ndef fresh_name() -> None: ...\n")
    assert indexed.run("defs", "fresh_name").stdout.startswith("shop/orders.py:12")


@pytest.mark.parametrize("command", [("defs", "x"), ("outline", "shop/orders.py")])
def test_query_without_an_index_is_an_error(sandbox: Sandbox, command: tuple[str, ...]) -> None:
    reply = sandbox.json(*command, exit_code=1)
    assert reply["status"] == "not_indexed"
    assert "cpl init" in reply["error"]["remedy"]


def test_names_from_the_repository_are_printed_escaped(indexed: Sandbox) -> None:
    for arguments in (("defs", "hostile"), ("outline", HOSTILE), ("status", "--verbose"), ("outline", HOSTILE + "x")):
        done = indexed.run(*arguments)
        assert "\x1b" not in done.stdout + done.stderr
        assert "\x07" not in done.stdout + done.stderr
    assert "evil\\x1b]52;c;aGk=\\x07.py:1" in indexed.run("defs", "hostile").stdout


def test_overlay_is_off_in_ci(sandbox: Sandbox) -> None:
    (sandbox.root / "untracked.py").write_text("def untracked() -> None: ...\n")
    sandbox.variables = {"CI": "true"}
    assert sandbox.json("init")["result"]["files"] == 2
    assert sandbox.json("defs", "untracked", exit_code=1)["status"] == "not_found"
    sandbox.variables = {"CI": "true", "CODEPLANE__INDEX__OVERLAY": "on"}
    assert sandbox.json("init")["result"]["files"] == 3


def test_extra_ignore_patterns_take_effect(sandbox: Sandbox) -> None:
    report = sandbox.json("--set", 'index.ignore=["evil*"]', "init")
    assert report["result"]["files"] == 1


def test_untrusted_repository_paths_are_ignored(sandbox: Sandbox) -> None:
    victim = sandbox.home / ".bashrc"
    (sandbox.root / ".codeplane").mkdir()
    (sandbox.root / ".codeplane" / "config.yaml").write_text(
        f"index:\n  ignore: ['evil*']\nlogging:\n  outputs:\n    - {{destination: {victim}}}\n"
    )
    done = sandbox.json("init")
    assert done["result"]["files"] == 1
    assert any("CONFIG_UNTRUSTED" in warning and "logging.outputs" in warning for warning in done["warnings"])
    for command in (("status",), ("doctor",), ("defs", "Order"), ("init",)):
        assert "CONFIG_UNTRUSTED" in sandbox.run(*command).stderr
    assert not victim.exists()


def test_a_bad_config_names_the_nearest_key_and_the_doctor_reports_it(indexed: Sandbox) -> None:
    settings = indexed.home / ".config" / "codeplane"
    settings.mkdir(parents=True)
    (settings / "config.yaml").write_text("index:\n  overly: on\n")
    done = indexed.run("status")
    assert done.returncode == 1
    assert "index.overlay" in done.stderr and str(settings / "config.yaml") in done.stderr
    report = indexed.json("doctor", exit_code=1)
    failed = [check["name"] for check in report["result"]["checks"] if not check["ok"]]
    assert "configuration" in failed


def test_logs_go_to_the_configured_destination(sandbox: Sandbox) -> None:
    log = sandbox.home / "cpl.jsonl"
    settings = sandbox.home / ".config" / "codeplane"
    settings.mkdir(parents=True)
    (settings / "config.yaml").write_text(f"logging:\n  outputs:\n    - {{format: json, destination: {log}}}\n")
    done = sandbox.run("init")
    assert done.returncode == 0 and done.stderr == ""
    assert "index ready" in [json.loads(line)["event"] for line in log.read_text().splitlines()]


def test_doctor_passes_on_a_fresh_index(indexed: Sandbox) -> None:
    done = indexed.run("doctor")
    assert done.returncode == 0, done.stdout
    assert "Everything works." in done.stdout
    report = indexed.json("doctor", "--logs")["result"]
    assert report["healthy"] and report["versions"]["codeplane"] == __version__ and report["log"]


def test_doctor_reports_a_corrupt_index_with_a_remedy(indexed: Sandbox) -> None:
    (database,) = (indexed.root / ".codeplane").rglob("index.db")
    with database.open("r+b") as file:
        file.write(b"\0" * 8192)
    done = indexed.run("doctor")
    assert done.returncode == 1
    assert "fail" in done.stdout and "fix: " in done.stdout
    assert indexed.json("init")["result"]["decision"] == "rebuilt"
    assert indexed.run("doctor").returncode == 0


def test_clear_is_idempotent_and_keeps_configuration(indexed: Sandbox) -> None:
    (indexed.root / ".codeplane" / "config.yaml").write_text("index: {workers: 1}\n")
    assert indexed.json("clear")["result"]["bytes"] > 0
    assert (indexed.root / ".codeplane" / "config.yaml").exists()
    assert indexed.json("status", exit_code=1)["status"] == "not_indexed"
    assert "Nothing to remove" in indexed.run("clear").stdout
    assert indexed.run("init").returncode == 0


def test_clear_all_needs_confirmation(indexed: Sandbox) -> None:
    refused = indexed.run("clear", "--all")
    assert refused.returncode == 2
    assert "cpl clear --all --yes" in refused.stderr
    assert (indexed.root / ".codeplane").exists()
    code, shown = indexed.terminal("clear", "--all", typed="n\n")
    assert code == 1 and "Nothing was removed" in shown
    assert (indexed.root / ".codeplane").exists()
    code, shown = indexed.terminal("clear", "--all", typed="y\n")
    assert code == 0, shown
    assert not (indexed.root / ".codeplane").exists()
    assert indexed.run("clear", "--all", "--yes").returncode == 0


def test_terminal_gets_progress_and_colour(sandbox: Sandbox) -> None:
    code, shown = sandbox.terminal("init")
    assert code == 0
    assert "Indexing" in shown and "\x1b[1m" in shown
    assert "info" not in shown
    sandbox.variables = {"NO_COLOR": "1"}
    assert "\x1b[1m" not in sandbox.terminal("status")[1]
    assert "\x1b" not in sandbox.run("status").stdout


def test_interrupted_init_can_be_resumed(sandbox: Sandbox) -> None:
    for number in range(800):
        body = "".join(f"def f_{number}_{item}(x: int) -> int:\n    return x + {item}\n\n\n" for item in range(12))
        (sandbox.root / f"m{number}.py").write_text(body)
    code, shown = sandbox.terminal("init", interrupt=True)
    assert code == 130, shown
    assert "Stopped." in shown and "cpl init" in shown
    assert "Traceback" not in shown
    assert sandbox.json("init")["result"]["files"] == 802
    assert sandbox.json("defs", "f_799_11")["result"]["total"] == 1


def test_closed_pipe_is_not_an_error(indexed: Sandbox) -> None:
    command = f"{sys.executable} -c 'from codeplane.cli.main import main; main()' status --verbose | true"
    done = subprocess.run(
        ["sh", "-c", command], cwd=indexed.root, env=indexed.environment(), capture_output=True, text=True
    )
    assert done.stderr == ""


def test_languages(sandbox: Sandbox) -> None:
    names = [row["name"] for row in sandbox.json("languages")["result"]["languages"]]
    assert "python" in names and names == sorted(names)
    assert sandbox.run("--set", "index.overly=on", "languages").returncode == 1


def test_status_imports_nothing_heavy(indexed: Sandbox) -> None:
    code = (
        "import sys\nfrom codeplane.cli.main import app\napp(['status'], standalone_mode=False)\n"
        "print(*sorted({name.partition('.')[0] for name in sys.modules}))\n"
        "print(*sorted({'.'.join(name.split('.')[:3]) for name in sys.modules if name.startswith('codeplane.')}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=indexed.root, env=indexed.environment(), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    packages, modules = (set(line.split()) for line in done.stdout.splitlines()[-2:])
    assert "codeplane" in packages
    assert packages.isdisjoint({"pydantic", "rich", "pygit2", "tree_sitter", "yaml", "asyncio", "multiprocessing"})
    assert "codeplane.operations.status" in modules
    assert modules.isdisjoint({"codeplane.languages.python", "codeplane.ledger", "codeplane.edits", "codeplane.tools"})
