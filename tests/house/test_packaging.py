"""The wheel installs and runs in an environment of exactly the locked versions."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import venv
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

from codeplane import __version__

ROOT = Path(__file__).resolve().parents[2]


def run(*command: str | Path, cwd: Path, home: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "XDG_"))}
    environment |= {"PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    if Path(command[0]).name == "cpl":
        environment["HOME"] = str(home)
    done = subprocess.run(list(map(str, command)), cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("wheel")
    command = (sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", target, ROOT)
    run(*command, cwd=target, home=target)
    (made,) = target.glob("*.whl")
    return made


def test_queries_and_licence_travel_in_the_wheel(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    source = ROOT / "src"
    queries = {str(path.relative_to(source)) for path in source.rglob("*.scm")}
    modules = {str(path.relative_to(source)) for path in source.rglob("*.py")}
    assert queries
    assert queries | modules <= set(names)
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not [name for name in names if name.startswith("tests") or "__pycache__" in name]


def test_metadata_of_the_wheel_is_complete(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = message_from_bytes(archive.read(name))
    assert metadata["Name"] == "codeplane" and metadata["Version"] == __version__
    assert metadata["License-Expression"] == "Apache-2.0" and metadata["Requires-Python"] == ">=3.11"
    assert metadata["Author"] and metadata["Maintainer"] and len(metadata["Keywords"].split(",")) >= 5
    classifiers = metadata.get_all("Classifier", [])
    assert {classifier.partition(" ::")[0] for classifier in classifiers} >= {
        "Development Status",
        "Intended Audience",
        "Operating System",
        "Programming Language",
        "Topic",
    }
    # Licence classifiers are deprecated beside a licence expression (PEP 639).
    assert not [classifier for classifier in classifiers if classifier.startswith("License ::")]
    urls = [url.partition(", ")[2] for url in metadata.get_all("Project-URL", [])]
    assert urls and all(url.startswith("https://") and "example" not in url for url in urls)
    assert metadata.get_payload()


@pytest.mark.timeout(300)
def test_the_installed_command_indexes_a_repository(wheel: Path, tmp_path: Path) -> None:
    environment = tmp_path / "venv"
    venv.create(environment, with_pip=True)
    pip = (environment / "bin" / "python", "-m", "pip", "install", "--quiet")
    run(*pip, "--require-hashes", "-r", ROOT / "requirements" / "runtime.lock", cwd=tmp_path, home=tmp_path)
    run(*pip, "--no-deps", wheel, cwd=tmp_path, home=tmp_path)
    repository = tmp_path / "repository"
    repository.mkdir()
    (repository / "hello.py").write_text("def greet(name: str) -> str:\n    return name\n")
    run("git", "init", "--quiet", cwd=repository, home=tmp_path)
    run("git", "add", "hello.py", cwd=repository, home=tmp_path)
    cpl = environment / "bin" / "cpl"
    assert run(cpl, "--version", cwd=repository, home=tmp_path) == f"cpl {__version__}\n"
    report = json.loads(run(cpl, "init", "--json", cwd=repository, home=tmp_path))
    assert report["result"]["definitions"] == 1
    assert "hello.py:1" in run(cpl, "defs", "greet", cwd=repository, home=tmp_path)


@pytest.mark.parametrize("name", ["runtime", "dev"])
def test_the_lock_holds_the_pins_hashes_and_no_addresses(name: str) -> None:
    lock = (ROOT / "requirements" / f"{name}.lock").read_text()
    assert "://" not in lock and "--index" not in lock and "--find-links" not in lock
    blocks = re.findall(r"^([a-z0-9-]+==\S+)(.*?)(?=^[a-z]|\Z)", lock, flags=re.MULTILINE | re.DOTALL)
    assert all("--hash=sha256:" in rest for _, rest in blocks)
    locked = {requirement for requirement, _ in blocks}
    project = (ROOT / "pyproject.toml").read_text()
    lists = re.findall(r"^(dependencies|dev) = \[(.*?)^\]", project, flags=re.MULTILINE | re.DOTALL)
    wanted = ["dependencies"] if name == "runtime" else ["dependencies", "dev"]
    pins = {pin.lower() for key, body in lists if key in wanted for pin in re.findall(r'"([^"]+)"', body)}
    assert len(pins) > 10
    assert pins <= locked
