"""Names of secret files, and similar names that are not secret."""

from __future__ import annotations

import pytest

from codeplane.disk.secrets import is_secret

BLOCKED = """
.env .env.local .env.production .ENV .Env.Local .env-prod prod.env config/.env .envrc
server.pem tls/server.KEY app.key id_rsa id_dsa id_ecdsa id_ed25519 id_ed25519_sk id_rsa_work id_rsa.bak keys/id_rsa
cert.p12 cert.pfx store.jks debug.keystore vault.kdbx putty.ppk AuthKey.p8 krb5.keytab
.netrc _netrc .npmrc web/.npmrc .pypirc .git-credentials .pgpass .my.cnf .htpasswd .dockercfg
.aws/credentials .aws/config home/.aws/anything/deep .ssh/known_hosts .ssh .gnupg/pubring.kbx
.kube/config home/.kube/config .docker/config.json .cargo/credentials.toml
terraform.tfstate terraform.tfstate.backup prod.tfstate prod.tfvars secrets.auto.tfvars.json
service-account.json service-account-prod.json serviceAccountKey.json service_account.json
credentials.json gcp/credentials.json client_secret_123.json my-firebase-adminsdk-x1.json .bash_history
.aws/.env.example
"""

ALLOWED = """
.env.example .env.sample .env.template config/.env.example example.env .env.dist
credentials.py credentials.ts Credentials.java id_card.py id_rsa.py id_rsa.pub id_ed25519.pub identity.go keys.ts
key.py keyboard.js environment.py env.py env.d.ts .environment src/env/main.go monkey.py turkey.txt
config.json docker/config.json kube/config .kube/other aws/credentials.go ssh/client.go pem.go pem/decode.py
terraform.tf variables.tf tfstate.py package.json service-account.go accounts.json secrets.py token.go .npmignore
.gitignore .dockerignore htpasswd.c passwords.md envrc.md
"""


@pytest.mark.parametrize("path", BLOCKED.split())
def test_secret_names_are_blocked(path: str) -> None:
    assert is_secret(path)


@pytest.mark.parametrize("path", ALLOWED.split())
def test_ordinary_names_are_allowed(path: str) -> None:
    assert not is_secret(path)
