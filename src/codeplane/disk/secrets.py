"""Names of files that contain secrets: never indexed, searched or read unless the operator allows the path.

Decided by name only and case-insensitively, so the content is never opened. A backup or a copy of a secret is a secret:
the marks of editors, backups and copies are stripped before the name is compared. Ordinary source files about keys or
credentials must not match.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from codeplane.base.paths import MAX_NAME_BYTES

_DIRECTORIES = """
.aws .ssh .gnupg .azure .gcloud .password-store .secrets .secret .oci .aliyun .kaggle .cloudflared .pki .putty
private-keys-v1.d .electrum .msal .bluemix .digitalocean .mcp-auth .jfrog
"""
DIRECTORIES = frozenset(_DIRECTORIES.split())
"""Everything under a directory of this name."""

_NAMES = """
.netrc _netrc .npmrc .pypirc .pgpass pgpass.conf .pg_service.conf .my.cnf .mylogin.cnf .s3cfg .boto .odbc.ini
.git-credentials .gitcookies .dockercfg .dockerconfigjson .htpasswd htpasswd .htdigest .rhosts .smbcredentials
.passwd-s3fs passwd-s3fs .vault-token .secrets .secret .token .credentials .terraformrc terraform.rc
.msmtprc .fetchmailrc .mbsyncrc .offlineimaprc .getmailrc .esmtprc .rediscliauth .ftpconfig sftp-config.json sftp.json
filezilla.xml recentservers.xml sitemanager.xml ftpsync.settings .remote-sync.json rclone.conf ngrok.yml
wpa_supplicant.conf ipsec.secrets chap-secrets pap-secrets encrypted_data_bag_secret hudson.util.secret
secring.gpg secring.pgp secring.kbx wallet.dat key3.db key4.db signons.sqlite access_tokens.db credentials.db
local.settings.json oauth_creds.json kaggle.json rootkey.csv wp-config.php
key.properties keystore.properties settings-security.xml datasources.local.xml
.lesshst .viminfo gshadow application_default_credentials.json
.authinfo .databrickscfg .edgerc .transifexrc .ossutilconfig .p4tickets .muttrc .sentryclirc .tokens signing.properties
deploy_key deploy-key private.der wireguard.conf recovery-codes.txt
"""
NAMES = frozenset(_NAMES.split())

_SUFFIXES = """
.pem .key .p8 .p12 .pfx .pkcs12 .pkcs8 .pk8 .jks .jceks .bks .bcfks .keystore .kdb .kdbx .ppk .pvk .keytab .ovpn .agekey
.psafe3 .opvault .agilekeychain .1pux .keychain .keychain-db .priv .privkey .secret .secrets .credentials .wallet
.mnemonic .tfvars .tfvars.json .tfplan .env .kubeconfig .nmconnection .publishsettings .tfrc.json .jwk
"""
SUFFIXES = tuple(_SUFFIXES.split())

_IN_DIRECTORY = """
.kube/config .docker/config.json .cargo/credentials .cargo/credentials.toml
.bundle/config .m2/settings.xml .gradle/gradle.properties .nuget/nuget.config .config/hub gh/hosts.yml
glab-cli/config.yml doctl/config.yaml hcloud/cli.toml .fly/config.yml
.scw/config.yaml .netlify/config.json .mc/config.json .ngrok2/ngrok.yml .huggingface/token huggingface/token
.cache/huggingface age/keys.txt .supabase/access-token .railway/config.json .irssi/config .weechat/sec.conf
.chef/knife.rb .pip/pip.conf .s3/config .snowsql/config .dbt/profiles.yml .circleci/cli.yml etc/shadow
"""
IN_DIRECTORY = frozenset(_IN_DIRECTORY.split())
"""Names that are secret only in this directory."""

_STAGE = r"(?:prod|production|dev|development|stage|staging|test|local|live|secrets?|private|qa|uat|ci|docker)"
_CONFIG = r"(?:json|ya?ml|toml|ini|cfg|conf|properties|xml|txt|csv|env)"
_BESIDE_CODE = frozenset({"auth.json", "token.json", "logins.json", "shadow"})
"""Words of the domain too: secret at the root and directly in a directory of a tool."""
_IN_TOOL_DIRECTORY = re.compile(
    rf"(?:credentials?|token|access[-_]tokens?|api[-_]?keys?|passwords?|passwd)(?:\.{_CONFIG})?|(?:auth|cookies?)\.{_CONFIG}"
)
"""Names that are secret directly in a directory of a tool, which begins with a dot."""
PATTERNS = (
    r"\.env(?:rc)?(?:[._-].+)?",
    rf".+\.env\.{_STAGE}",
    r"\.dev\.vars(?:\..+)?",
    r"\.netrc\..+",
    # SSH, by what ssh-keygen and sshd name their keys.
    r"(?:.+[-_.])?id_(?:rsa|dsa|ecdsa|ed25519|xmss)(?:_sk)?(?:[-_][^.]+)?(?:\.(?:priv|private))?",
    r"ssh_host_[a-z0-9_]*key",
    r"(?:deploy|git|github|gitlab|bitbucket|travis|jenkins|bastion|server|host|ssh|ansible|backup|aws|ec2|prod|staging)"
    r"[-_](?:rsa|dsa|ecdsa|ed25519)",
    r"(?:api[-_]?keys?|secret[-_]?keys?|passwords?)\.txt",
    rf"(?:.+[-_.])?priv(?:ate)?[-_.]?key(?:\.(?:{_CONFIG}|asc|gpg|pgp|der|b64))?",
    r"(?:.+[-_.])?(?:private|secret)(?:[-_]?keys?)?\.(?:asc|gpg|pgp)",
    r".*\.tfstate(?:\..*)?",
    r"\.?kube[-_.]?config(?:[-_.][^.]+)?(?:\.(?:ya?ml|json|conf))?",
    r"(?:.+[-_.])?service[-_]?account.*\.json",
    r"(?:.+[-_.])?client_secrets?.*\.json",
    r".*-firebase-adminsdk-.*\.json",
    rf"\.?(?:.+[-_])?credentials(?:[-_.][^.]+)?\.{_CONFIG}",
    r"(?:.+[-_])?aws[-_]credentials",
    rf"\.?secrets?(?:[-_.]{_STAGE})?\.(?:ya?ml|json|toml|ini|env|properties|cfg|conf|txt)",
    r"(?:.+[-_])?access[-_]?keys?\.csv",
    r"\.?(?:ansible[-_])?vault[-_]pass(?:word)?(?:[-_.][a-z0-9]+)?",
    r"\.?restic[-_]password(?:\.txt)?",
    r"\.(?:[a-z0-9_-]*[_-])?history(?:-\d+)?",
    r"\.histfile",
    r"wg[0-9]+\.conf",
    r"utc--\d{4}-\d\d-\d\dt.+",
)

_TEMPLATE_WORDS = """
example examples sample template templates tmpl tpl dist default defaults schema skeleton
"""
TEMPLATE_WORDS = frozenset(_TEMPLATE_WORDS.split())
"""Part of the name of a template, which is meant to be committed."""

_TEMPLATED = re.compile(r"\.env.*|.*\.env|.*\.tfvars(?:\.json)?|.*credentials.*|.*secrets?.*|\.dev\.vars.*")
_PARTS = re.compile(r"[-_. ]+")
_pattern = re.compile("|".join(PATTERNS), re.DOTALL)

_DATE = r"(?:19|20)\d\d[-_.]?[01]\d[-_.]?[0-3]\d(?:[-_.t]?\d{4,6})?"
_MARKS = (
    r"bak(?:up)?\d*|backup\d*|orig(?:inal)?|old\d*|saved?|sw[a-z]|te?mp|copy\d*|rej|prev(?:ious)?"
    r"|disabled|off|inactive"
)
_PACKAGED = r"dpkg-(?:old|dist|new|bak|tmp)|rpm(?:save|new|orig)|ucf-(?:old|dist|new)|pac(?:save|new|orig)"
_ARCHIVED = r"gz|bz2|xz|zst|zip|7z|tar|tgz"
_trailing = re.compile(
    rf"(?:(?:\.~[0-9]+)?~|[. ]+|:.*|[._ -]+(?:{_MARKS}|{_DATE})|\.(?:{_PACKAGED}|{_ARCHIVED}|\d{{1,10}}|txt|{_STAGE})"
    r"| ?-? ?\(?copy\)?(?: \d+)?| ?\(\d+\))$",
    re.DOTALL,
)
_leading = re.compile(r"(?:#(?=.+#$)|\.#|\._(?=.)|~\$|copy[-_ ]of[-_ ]|backup[-_ ]of[-_ ]|(?:backup|old|bak)[-_.])")
_infix_suffixes = re.compile(rf"\.{_CONFIG}$")
_swap_file = re.compile(r"\..+\.sw[a-z]")
_MAX_MARKS = 4

_FIRST_CHARACTERS = frozenset(".#~_")
_EXTENSIONS = """
json yml yaml toml ini cfg conf config properties xml txt csv gpg pgp asc kbx php rb db dat sqlite rc vars local
settings info tfstate b64 der private bak bakup backup orig original old save saved swp swo swn swx tmp temp copy rej
prev previous disabled off inactive rpmsave rpmnew rpmorig pacsave pacnew pacorig gz xz zst zip tar tgz
prod production dev development stage staging test secret secrets qa uat ci docker env envrc
"""
_CHECKED_EXTENSIONS = frozenset(name.rpartition(".")[2] for name in (*_EXTENSIONS.split(), *NAMES, *SUFFIXES))
"""Names with other extensions are not compared: most files of a repository."""


def is_secret(path: str) -> bool:
    """True if the name of the file or directory indicates secrets."""
    if not path.isascii():
        # Letters of another width, and invisible characters.
        visible = "".join(char for char in path if unicodedata.category(char) not in ("Cf", "Cc"))
        path = unicodedata.normalize("NFKC", visible)
    folders, _, name = path.lower().rpartition("/")
    if _is_secret_name(folders, name):
        return True
    # A swap file of 'id_rsa' is '.id_rsa.swp', one of '.env' is '.env.swp'.
    if _swap_file.fullmatch(name) and _is_secret_name(folders, name[1:]):
        return True
    return "." in folders and not DIRECTORIES.isdisjoint(folders.split("/"))


def _is_secret_name(folders: str, name: str) -> bool:
    stem, _, extension = name.rpartition(".")
    if extension.isalpha() and extension not in _CHECKED_EXTENSIONS and stem and name[0] not in _FIRST_CHARACTERS:
        return False
    if len(name) > MAX_NAME_BYTES:
        return False
    forms = list(_forms(name))
    if not NAMES.isdisjoint(forms) or not DIRECTORIES.isdisjoint(forms):
        return True
    if any(map(_is_template, forms)):
        return False
    return any(_is_secret_form(folders.split("/"), base) for base in forms)


def _is_secret_form(folders: list[str], base: str) -> bool:
    """True if a file of this name in these directories holds secrets."""
    parent = folders[-1]
    if base.endswith(SUFFIXES) or f"{parent}/{base}" in IN_DIRECTORY:
        return True
    if base in _BESIDE_CODE:
        return not parent or parent.startswith(".") or parent in ("composer", "opencode")
    if _pattern.fullmatch(base):
        # A chart's template holds placeholders.
        return not ("." in base and base.startswith("secret") and "templates" in folders)
    return parent.startswith(".") and _IN_TOOL_DIRECTORY.fullmatch(base) is not None


def _forms(name: str) -> Iterator[str]:
    """Yield the name, and what is left as the marks of editors, backups, package managers and copies are stripped."""
    yield name
    for _ in range(_MAX_MARKS):
        bare = _leading.sub("", name, count=1) if name[:1] in "#.~cbo" and _leading.match(name) else name
        if bare != name and bare.endswith("#"):
            bare = bare[:-1]
        bare = _trailing.sub("", bare) or bare
        ending = _infix_suffixes.search(bare)
        if ending is not None and ending.start():
            bare = (_trailing.sub("", bare[: ending.start()]) or bare[: ending.start()]) + ending[0]
        if bare == name:
            return
        name = bare
        yield name


def _is_template(name: str) -> bool:
    return not TEMPLATE_WORDS.isdisjoint(_PARTS.split(name)) and _TEMPLATED.fullmatch(name) is not None
