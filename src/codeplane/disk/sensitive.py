"""Names of files that decide what runs on a machine or how an agent behaves: CI, hooks, agents, editors, shells.

Creating or changing one needs `allow_sensitive`. Decided by name only and case-insensitively. A directory with a
leading dot belongs to some tool, so everything in one is sensitive unless the directory is known to hold documents or
data; a file with a leading dot is sensitive only if it belongs to a family that is executed or obeyed.
"""

from __future__ import annotations

import re

_PLAIN_DIRECTORIES = """
.changeset .changesets .changelog .changes .chglog .well-known .storybook .vitepress .vuepress .reuse .licenses .tx
.sqlx .assets .images .img .docs .design .templates .snapshots .meta .notes .hidden .dvc .allure .jsdoc .sphinx
"""
PLAIN_DIRECTORIES = frozenset(_PLAIN_DIRECTORIES.split())
"""Directories with a leading dot that hold documents, data or pages of the project."""

_FORGES = frozenset({".github", ".gitlab", ".gitea", ".forgejo"})
_DOCUMENTS = """
issue_template issue_templates pull_request_template pull_request_templates merge_request_template
merge_request_templates discussion_template discussion_templates assets images img media docs screenshots
"""
_FORGE_DOCUMENTS = frozenset(_DOCUMENTS.split())
"""Directories of a forge that hold templates of texts and pictures; all others configure what it runs."""
_EDITOR_DATA = re.compile(r"extensions\.json|[^/]+\.code-snippets|cspell\.json|[^/]*\.md|\.gitignore")
"""Files of `.vscode` that recommend or complete, and run nothing."""

_INSTRUCTIONS = "agents?|claude|gemini|qwen|warp|crush|codex|copilot(?:-instructions)?|grok|kiro|junie"
_AGENTS = (
    f"{_INSTRUCTIONS}|cursor|jules|amp|goose|cline|continue|roo|windsurf|kilocode|augment|opencode|aider|devin|trae|zed"
)
_GIT_HOOKS = (
    "applypatch-msg|pre-applypatch|post-applypatch|pre-commit|pre-merge-commit|prepare-commit-msg|commit-msg|post-commit"
    "|pre-rebase|post-checkout|post-merge|pre-push|pre-receive|update|proc-receive|post-receive|post-update"
    "|reference-transaction|push-to-checkout|pre-auto-gc|post-rewrite|sendemail-validate|fsmonitor-watchman"
)
_YAML = r"\.ya?ml"

_FILES = (
    # Instructions and settings of agents.
    rf"(?:{_INSTRUCTIONS})(?:\.[a-z]+)?\.mdc?",
    rf"\.(?:{_AGENTS})(?:[-_.]?(?:rules|modes|hints|guidelines|ignore|config|conf|settings|rc))?"
    r"(?:\.(?:jsonc?|ya?ml|toml|mdc?|txt))?",
    r"\.openhands_instructions|\.rules|\.[a-z]+rules|\.[a-z]+modes|[^/]+\.(?:instructions|prompt|chatmode|agent)\.md|skill\.md",
    r"\.?mcp\.(?:jsonc?|ya?ml|toml)|\.?[a-z]+[-_.]mcp\.jsonc?|\.?mcp[-_.](?:config|servers|settings)\.jsonc?",
    r"(?:opencode|crush|codex|claude|gemini|goose|aider|amp)(?:[-_.](?:config|settings))?\.(?:jsonc?|ya?ml|toml)",
    # Continuous integration.
    rf"(?:.*[-_.])?gitlab-ci(?:[-_.].*)?{_YAML}|\.?(?:travis|appveyor|cirrus|drone|woodpecker|circle|wercker|shippable)"
    rf"(?:[-_.].*)?(?:{_YAML}|\.star|\.jsonnet)",
    rf"\.?(?:azure|bitbucket)-pipelines?(?:[-_.].*)?{_YAML}|\.?(?:buildspec|cloudbuild|codefresh|semaphore|buddy|bamboo"
    rf"|screwdriver|zuul|vela|cirun|mergify|scrutinizer|buildkite|harness|concourse)(?:[-_.].*)?{_YAML}",
    rf"\.?(?:coderabbit|sourcery|sweep){_YAML}",
    rf"\.build{_YAML}|codeship-(?:steps|services){_YAML}|jenkinsfile(?:[-_.][^.]*)?|.+\.jenkinsfile",
    # Hooks.
    rf"\.?pre-commit(?:-config|-hooks){_YAML}|\.?lefthook(?:-local)?(?:{_YAML}|\.toml|\.json)|\.overcommit{_YAML}",
    rf"\.?grumphp{_YAML}(?:\.dist)?|captainhook\.json|\.?(?:huskyrc|lintstagedrc|simple-git-hooks)(?:\..+)?",
    r"\.gitmodules|\.gitconfig|\.hgrc|\.lfsconfig",
    # Development environments.
    rf"\.?devcontainer\.json|\.gitpod(?:{_YAML}|\.dockerfile)|\.replit|replit\.nix|\.?mise(?:\..+)?\.toml|\.envrc.*",
    r"(?:site|user)customize\.py|\.(?:jvm|sbt)opts|\.autoenv(?:\..+)?|\.direnvrc|\.rvmrc|\.bazelrc|\.yarnrc(?:\.yml)?|\.pnpmfile\.[cm]?js|\.npmrc",
    # Start files of shells, editors, interpreters and debuggers.
    r"\.(?:ba|z|k|c|tc|da|fi)?sh(?:rc|env)|\.(?:bash|z|k|csh|tcsh)?_?(?:profile|login|logout|aliases)|\.bash_.+",
    r"\.(?:[a-z]?vim(?:rc|info)?|ideavimrc|exrc|nexrc|n?vim|gvimrc|lvimrc)(?:\.(?:lua|vim|local))?|\.local\.n?vimrc",
    r"\.dir-locals(?:-2)?\.el|\.emacs(?:\..+)?|\.spacemacs|\.ycm_extra_conf\.py|\.kakrc|\.helix.*|\.clangd|\.lldbinit|\.gdbinit",
    r"\.(?:pdbrc|pythonrc|irbrc|pryrc|rprofile|renviron|sbclrc|ghci|sqliterc|psqlrc|mongorc|mongoshrc|inputrc)(?:\..+)?",
    r"\.(?:screenrc|tmux\.conf|xinitrc|xprofile|xsession|curlrc|wgetrc|lessfilter|lesskey)",
    r".+\.(?:code-workspace|sublime-project|sublime-build)",
)
_file = re.compile("|".join(f"(?:{pattern})" for pattern in _FILES))
_hook = re.compile(rf"(?:{_GIT_HOOKS})(?:\.[a-z0-9]+)?|.+\.sh")
_hook_directory = re.compile(r"\.?(?:git[-_]?)?hooks(?:\.d)?")
_TREES = ("/bamboo-specs/",)


def is_sensitive(path: str) -> bool:
    """True if the file controls what runs on a machine: agent and editor settings, hooks, CI."""
    *folders, name = path.lower().split("/")
    if _file.fullmatch(name) is not None:
        return True
    if folders and _hook.fullmatch(name) and any(map(_hook_directory.fullmatch, folders)):
        return True
    if any(tree in f"/{path.lower()}" for tree in _TREES):
        return True
    return any(
        folder.startswith(".") and _is_sensitive_in(folder, [*folders[place + 1 :], name])
        for place, folder in enumerate(folders)
    )


def _is_sensitive_in(folder: str, rest: list[str]) -> bool:
    """True if a directory with a leading dot belongs to a tool that runs or obeys the file."""
    if folder in _FORGES:
        return len(rest) > 1 and rest[0] not in _FORGE_DOCUMENTS
    if folder == ".vscode":
        return len(rest) > 1 or _EDITOR_DATA.fullmatch(rest[0]) is None
    return folder not in PLAIN_DIRECTORIES
