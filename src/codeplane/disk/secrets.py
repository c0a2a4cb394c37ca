"""Names of files that contain secrets: never indexed, searched or read by default.

Decided by name only and case-insensitively, so the content is never opened. Ordinary source files about keys or
credentials must not match.
"""

from __future__ import annotations

import re

from codeplane.base.paths import basename

DIRECTORIES = frozenset({".aws", ".ssh", ".gnupg", ".azure", ".gcloud", ".password-store"})
"""Everything under a directory of this name."""

_NAMES = """
.env .envrc .netrc _netrc .npmrc .pypirc .pgpass .my.cnf .mylogin.cnf .s3cfg .boto .htpasswd .git-credentials
.dockercfg .dockerconfigjson .vault-token .vault_pass .vault_password .credentials .terraformrc terraform.rc
.bash_history .zsh_history .python_history .psql_history .mysql_history .node_repl_history
credentials.json application_default_credentials.json
"""
NAMES = frozenset(_NAMES.split())

_SUFFIXES = """
.pem .key .p8 .p12 .pfx .pkcs12 .jks .keystore .kdb .kdbx .ppk .keytab .ovpn .agekey
.tfvars .tfvars.json .env
"""
SUFFIXES = tuple(_SUFFIXES.split())

_IN_DIRECTORY = """
.kube/config .docker/config.json .cargo/credentials .cargo/credentials.toml .gem/credentials .m2/settings.xml
.streamlit/secrets.toml gcloud/credentials.db gcloud/access_tokens.db .config/hub gh/hosts.yml
"""
IN_DIRECTORY = frozenset(_IN_DIRECTORY.split())
"""Names that are secret only in this directory."""

PATTERNS = (
    r"\.env[._-].+",
    r"\.envrc\..+",
    r"\.netrc\..+",
    r"id_(?:rsa|dsa|ecdsa|ed25519|xmss)(?:_sk)?(?:[-_][^.]+)?(?:\.(?:old|bak|backup|orig|priv|private|[0-9]+))?",
    r".*\.tfstate(?:\..*)?",
    r"service[-_]?account.*\.json",
    r"client_secret.*\.json",
    r".*-firebase-adminsdk-.*\.json",
)

ALLOWED = frozenset(
    f"{before}{word}{after}"
    for word in ("example", "sample", "template", "dist", "defaults", "schema")
    for before, after in (
        (".env.", ""),
        (".env-", ""),
        (".env_", ""),
        (".envrc.", ""),
        ("", ".env"),
        (".env.", ".local"),
    )
)
"""Templates that are meant to be committed."""

_pattern = re.compile("|".join(PATTERNS), re.DOTALL)


def is_secret(path: str) -> bool:
    """True if the name of the file or directory indicates secrets."""
    folders, _, name = path.lower().rpartition("/")
    if name in ALLOWED:
        return _in_secret_directory(folders)
    if name in NAMES or name in DIRECTORIES or name.endswith(SUFFIXES) or _pattern.fullmatch(name):
        return True
    if not folders:
        return False
    return f"{basename(folders)}/{name}" in IN_DIRECTORY or _in_secret_directory(folders)


def _in_secret_directory(folders: str) -> bool:
    return "." in folders and not DIRECTORIES.isdisjoint(folders.split("/"))
