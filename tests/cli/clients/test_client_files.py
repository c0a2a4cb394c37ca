"""Real configuration files: installed and uninstalled, compared byte for byte.

`data/CLIENT/CASE.before` is a file as someone has it, `CASE.after` the same with CodePlane in it. A new case needs
no code.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.cli.clients import files, plan
from codeplane.cli.clients.apply import apply_step, read_made
from codeplane.cli.clients.catalog import CLIENTS, get_client
from codeplane.cli.clients.files import BACKUP
from codeplane.cli.clients.model import Client, ConfigScope, Form, Launch, Machine
from codeplane.cli.clients.plan import Step, plan_install, plan_uninstall

DATA = Path(__file__).with_name("data")
CASES = sorted(path.relative_to(DATA).with_suffix("") for path in DATA.glob("*/*.before"))
START = Launch("cpl", ("mcp",))


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    home = tmp_path / "home"
    home.mkdir()
    return Machine(home, "linux", {"PATH": str(tmp_path / "bin")})


def install(client: Client, machine: Machine, start: Launch = START) -> Step:
    (step,) = plan_install(client, machine, ConfigScope.USER, None, start)
    return step


def uninstall(client: Client, machine: Machine) -> Step:
    (step,) = plan_uninstall(client, machine, ConfigScope.USER, None, read_made(machine))
    return step


def put(client: Client, machine: Machine, data: bytes, mode: int = 0o640) -> Path:
    (path,) = client.files(machine, ConfigScope.USER, None)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    path.chmod(mode)
    return path


@pytest.mark.parametrize("case", CASES, ids=str)
def test_install_and_uninstall(case: Path, machine: Machine) -> None:
    client = get_client(case.parts[0])
    before = (DATA / case).with_suffix(".before").read_bytes()
    path = put(client, machine, before)
    step = install(client, machine)
    assert step.action == plan.ADD
    assert path.read_bytes() == before, "planning changes nothing"
    apply_step(step, machine)
    assert path.read_bytes() == (DATA / case).with_suffix(".after").read_bytes()
    assert path.stat().st_mode & 0o777 == 0o640
    backup = path.with_name(path.name + BACKUP)
    assert (backup.read_bytes(), backup.stat().st_mode & 0o777) == (before, 0o640)
    assert install(client, machine).action == plan.SAME
    apply_step(uninstall(client, machine), machine)
    text = before.decode("utf-8-sig")
    assert path.read_bytes() == (b"{}\n" if client.form is Form.JSON and not text else before)
    assert uninstall(client, machine).action == plan.ABSENT
    assert read_made(machine) == {}
    assert sorted(entry.name for entry in path.parent.iterdir() if entry.name.endswith(".tmp")) == []


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
def test_missing_file_is_created(client: Client, machine: Machine) -> None:
    old = os.umask(0o022)
    try:
        assert apply_step(install(client, machine), machine) is None
    finally:
        os.umask(old)
    (path,) = client.files(machine, ConfigScope.USER, None)
    assert path.stat().st_mode & 0o777 == client.user_mode
    assert path.read_bytes() == (DATA / client.name / "empty.after").read_bytes()
    assert not path.with_name(path.name + BACKUP).exists()


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
def test_update_keeps_user_additions(client: Client, machine: Machine) -> None:
    apply_step(install(client, machine), machine)
    (path,) = client.files(machine, ConfigScope.USER, None)
    text = path.read_text()
    if client.form is Form.TOML:
        text = text.replace('args = ["mcp"]', 'startup_timeout_sec = 20 # slow\nargs = ["mcp"] # mine')
        text += '\n[mcp_servers.codeplane.env]\nA = "1"\n'
    else:
        text = text.replace('"command":', '"timeout": 20, // slow\n      "command":')
    path.write_text(text)
    assert install(client, machine).action == plan.SAME
    step = install(client, machine, Launch("cpl", ("mcp", "--read-only")))
    assert step.action == plan.UPDATE
    apply_step(step, machine)
    assert path.read_text() == text.replace('"mcp"]', '"mcp", "--read-only"]')
    apply_step(uninstall(client, machine), machine)
    left = path.read_text()
    assert "cpl" not in left and "slow" not in left


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
def test_foreign_entry_of_our_name(client: Client, machine: Machine) -> None:
    way = client.ways[0]
    if client.form is Form.TOML:
        text = f'[{way[0]}.codeplane]\nurl = "https://example.org/mcp"\n[z]\n'
    else:
        text = f'{{"{way[0]}": {{"codeplane": {{"url": "https://example.org/mcp", "headers": {{"k": "v"}}}}}}}}'
    path = put(client, machine, text.encode())
    assert uninstall(client, machine).action == plan.FOREIGN
    step = install(client, machine)
    assert step.action == plan.REPLACE
    assert path.read_text() == text
    apply_step(step, machine)
    left = path.read_text()
    assert "example.org" not in left and "headers" not in left
    assert install(client, machine).action == plan.SAME


@pytest.mark.parametrize(
    ("name", "data", "line", "column"),
    [
        ("cursor", b'{\n  "mcpServers": {\n    "a": 1\n    "b": 2\n  }\n}', 4, 5),
        ("cursor", b'{"mcpServers": []}', 1, 16),
        ("zed", b'{\n  "x": "\xff"\n}', 2, 9),
        ("vscode", '{"servers": {}}'.encode("utf-16"), 1, 1),
        ("codex", b'model = "x"\nmodel = "y"\n', 2, 12),
        ("codex", b"[a\n", 1, 3),
        ("codex", b"a = [1,\n", 2, 1),
    ],
)
def test_invalid_file_is_rejected(name: str, data: bytes, line: int, column: int, machine: Machine) -> None:
    client = get_client(name)
    path = put(client, machine, data)
    for step in (install(client, machine), uninstall(client, machine)):
        if step.action == plan.ABSENT:
            continue
        assert step.action == plan.REFUSED and step.problem
        assert step.problem.code is ErrorCode.CONFIG_INVALID
        assert step.problem.details == {"line": line, "column": column}
        assert f"line {line}, column {column}" in step.problem.message
    assert install(client, machine).action == plan.REFUSED
    assert path.read_bytes() == data
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_inline_table_of_servers_is_rejected(machine: Machine) -> None:
    client = get_client("codex")
    path = put(client, machine, b'mcp_servers = { a = { command = "a" } }\n')
    step = install(client, machine)
    assert step.action == plan.REFUSED and step.problem and "--print-config" in (step.problem.remedy or "")
    assert path.read_bytes() == b'mcp_servers = { a = { command = "a" } }\n'


def test_symlink_is_followed_and_preserved(machine: Machine, tmp_path: Path) -> None:
    client = get_client("zed")
    real = tmp_path / "dotfiles" / "zed.json"
    real.parent.mkdir()
    real.write_text("{}\n")
    (path,) = client.files(machine, ConfigScope.USER, None)
    path.parent.mkdir(parents=True)
    path.symlink_to(real)
    step = install(client, machine)
    assert step.source and step.source.linked and step.source.target == real
    assert apply_step(step, machine) == real.with_name("zed.json" + BACKUP)
    assert path.is_symlink() and '"codeplane"' in real.read_text()
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_project_file_symlink_out_of_the_project_is_rejected(machine: Machine, tmp_path: Path) -> None:
    client = get_client("cursor")
    root = tmp_path / "repository"
    root.mkdir()
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "mcp.json").write_text("{}")
    (root / ".cursor").symlink_to(outside)
    (step,) = plan_install(client, machine, ConfigScope.PROJECT, root, START)
    assert step.action == plan.REFUSED and step.problem and step.problem.code is ErrorCode.PATH_SYMLINK
    assert (outside / "mcp.json").read_text() == "{}"


def test_concurrent_write_is_not_overwritten(machine: Machine) -> None:
    client = get_client("claude-code")
    path = put(client, machine, b"{}")
    step = install(client, machine)
    path.write_bytes(b'{"numStartups": 2}')
    with pytest.raises(CodePlaneError) as caught:
        apply_step(step, machine)
    assert caught.value.code is ErrorCode.FILE_CHANGED
    assert path.read_bytes() == b'{"numStartups": 2}'
    assert not [entry for entry in path.parent.iterdir() if entry.name.endswith(".tmp")]


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for root")
def test_unwritable_directory_is_reported(machine: Machine) -> None:
    client = get_client("cursor")
    path = put(client, machine, b"{}")
    step = install(client, machine)
    path.parent.chmod(0o500)
    try:
        with pytest.raises(CodePlaneError) as caught:
            apply_step(step, machine)
    finally:
        path.parent.chmod(0o700)
    assert caught.value.code is ErrorCode.FILE_UNWRITABLE
    assert path.read_bytes() == b"{}"


def test_file_in_place_of_a_directory_is_reported(machine: Machine) -> None:
    client = get_client("cursor")
    (machine.home / ".cursor").write_text("")
    step = install(client, machine)
    assert step.action == plan.REFUSED and step.problem and step.problem.code is ErrorCode.FILE_UNREADABLE
    (machine.home / ".cursor").unlink()
    (machine.home / ".cursor/mcp.json").mkdir(parents=True)
    step = install(client, machine)
    assert step.action == plan.REFUSED and step.problem and step.problem.code is ErrorCode.NOT_REGULAR


def test_oversized_file_is_refused(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_BYTES", 1024 * 1024)
    path = put(get_client("cursor"), machine, b"{" + b" " * 1024 * 1024 + b"}")
    step = install(get_client("cursor"), machine)
    assert step.problem and step.problem.code is ErrorCode.FILE_TOO_LARGE
    assert path.stat().st_size == 1024 * 1024 + 2


def test_existing_object_is_not_removed(machine: Machine) -> None:
    """Without the memory of what was made, an empty object is not ours to remove."""
    client = get_client("cursor")
    path = put(client, machine, b"{}\n")
    apply_step(install(client, machine), machine)
    (machine.state / "clients.json").unlink()
    apply_step(uninstall(client, machine), machine)
    assert path.read_bytes() == b'{\n  "mcpServers": {}\n}\n'


@pytest.mark.parametrize("damage", [b"", b"[]", b"{", b'{"x": "y", "z": true}', b"\xff"])
def test_corrupt_install_record_is_ignored(machine: Machine, damage: bytes) -> None:
    machine.state.mkdir(parents=True)
    (machine.state / "clients.json").write_bytes(damage)
    client = get_client("cursor")
    path = put(client, machine, b"{}\n")
    apply_step(install(client, machine), machine)
    apply_step(uninstall(client, machine), machine)
    assert path.read_bytes() == b"{}\n"


def test_paths_on_other_platforms(tmp_path: Path) -> None:
    home = tmp_path / "home"
    mac = Machine(home, "darwin", {"XDG_CONFIG_HOME": str(tmp_path / "xdg")})
    linux = replace(mac, platform="linux")
    moved = Machine(home, "linux", {"CODEX_HOME": "/c", "CLAUDE_CONFIG_DIR": "/d", "XDG_CONFIG_HOME": "relative"})

    def place(name: str, machine: Machine) -> str:
        (path,) = get_client(name).files(machine, ConfigScope.USER, None)
        return str(path)

    assert place("vscode", mac) == f"{home}/Library/Application Support/Code/User/mcp.json"
    assert place("vscode", linux) == f"{tmp_path}/xdg/Code/User/mcp.json"
    assert place("zed", mac) == f"{home}/.config/zed/settings.json"
    assert place("zed", linux) == f"{tmp_path}/xdg/zed/settings.json"
    assert place("zed", moved) == f"{home}/.config/zed/settings.json"
    assert place("codex", moved) == "/c/config.toml"
    assert place("codex", linux) == f"{home}/.codex/config.toml"
    assert place("claude-code", moved) == "/d/.claude.json"
    assert place("claude-code", linux) == f"{home}/.claude.json"
    assert place("opencode", mac) == f"{tmp_path}/xdg/opencode/opencode.json"


def test_all_installed_vs_code_editions(machine: Machine) -> None:
    for edition in ("Code - Insiders", "VSCodium"):
        (machine.home / ".config" / edition / "User").mkdir(parents=True)
    found = get_client("vscode").files(machine, ConfigScope.USER, None)
    assert [path.parts[-3] for path in found] == ["Code - Insiders", "VSCodium"]


def test_existing_opencode_file_is_used(machine: Machine, tmp_path: Path) -> None:
    client = get_client("opencode")
    (tmp_path / ".opencode").mkdir()
    assert client.files(machine, ConfigScope.PROJECT, tmp_path) == (tmp_path / "opencode.json",)
    (tmp_path / ".opencode/opencode.jsonc").write_text("{}")
    assert client.files(machine, ConfigScope.PROJECT, tmp_path) == (tmp_path / ".opencode/opencode.jsonc",)
