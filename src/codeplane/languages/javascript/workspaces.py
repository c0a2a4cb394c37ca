"""npm, pnpm, Yarn, Lerna and Deno packages and workspaces."""

from __future__ import annotations

from collections.abc import Mapping

from codeplane.languages.family import Family, Marker, WorkspaceRules, markers
from codeplane.languages.manifest import Manifest, nonempty_string, parse_json, parse_jsonc, string_list


def read_package_json(data: bytes) -> Manifest:
    document = parse_json(data)
    workspaces = document.get("workspaces")
    if isinstance(workspaces, dict):
        workspaces = workspaces.get("packages")
    members = string_list(workspaces) if isinstance(workspaces, list) else None
    invalid = document.get("workspaces") is not None and members is None
    note = "its workspaces are neither a list nor an object with packages" if invalid else None
    return Manifest(nonempty_string(document.get("name")), members, note=note)


def read_deno_json(data: bytes) -> Manifest:
    document = parse_jsonc(data)
    workspace = document.get("workspace")
    if isinstance(workspace, dict):
        workspace = workspace.get("members")
    members = string_list(workspace) if isinstance(workspace, list) else None
    return Manifest(nonempty_string(document.get("name")), members)


def read_lerna_json(data: bytes) -> Manifest:
    # Without packages, Lerna uses the workspaces of package.json.
    packages = parse_jsonc(data).get("packages")
    return Manifest(members=string_list(packages) if isinstance(packages, list) else None)


def read_pnpm_workspace(document: Mapping[object, object]) -> Manifest:
    packages = document.get("packages")
    # Without packages the file only holds settings of the root package.
    return Manifest(members=string_list(packages) if isinstance(packages, list) else None)


FAMILY = Family(
    name="javascript",
    unit_files=("*.js", "*.jsx", "*.mjs", "*.cjs", "*.vue", "*.svelte", "*.astro", "*.ts", "*.tsx", "*.cts", "*.mts"),
    markers=(
        Marker("package.json", read_package_json, 0),
        Marker("deno.json", read_deno_json, 1),
        Marker("deno.jsonc", read_deno_json, 2),
        Marker("lerna.json", read_lerna_json, fence=True, package=False),
        Marker("pnpm-workspace.yaml", read_yaml=read_pnpm_workspace, fence=True, package=False),
        *markers("nx.json turbo.json rush.json yarn.lock pnpm-lock.yaml", fence=True, package=False),
        *markers("tsconfig.json jsconfig.json", package=False),
    ),
    workspace=WorkspaceRules(
        member_file="package.json",
        superseded={"pnpm-workspace.yaml": ("package.json", "lerna.json")},
        unordered_negations=("pnpm-workspace.yaml",),
    ),
)
