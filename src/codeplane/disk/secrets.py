"""Names of files that contain secrets: never indexed, searched or read unless the operator allows the path.

Decided by name only and case-insensitively, so the content is never opened. A backup or a copy of a secret is a secret:
the marks of editors, backups and copies are stripped before the name is compared. Ordinary source files about keys or
credentials must not match.
"""

from __future__ import annotations

import re

from codeplane.base.paths import MAX_NAME_BYTES, basename

_DIRECTORIES = """
.aws .ssh .gnupg .azure .gcloud .password-store .secrets .secret .oci .aliyun .kaggle .cloudflared .pki .putty
private-keys-v1.d .electrum .msal .bluemix .digitalocean
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
.lesshst .viminfo gshadow
"""
NAMES = frozenset(_NAMES.split())

_SUFFIXES = """
.pem .key .p8 .p12 .pfx .pkcs12 .pkcs8 .pk8 .jks .jceks .bks .bcfks .keystore .kdb .kdbx .ppk .pvk .keytab .ovpn .agekey
.psafe3 .opvault .agilekeychain .1pux .keychain .keychain-db .priv .privkey .secret .secrets .credentials .wallet
.mnemonic .tfvars .tfvars.json .tfplan .env .kubeconfig .nmconnection .publishsettings .tfrc.json .jwk
"""
SUFFIXES = tuple(_SUFFIXES.split())

_IN_DIRECTORY = """
.kube/config .docker/config.json .cargo/credentials .cargo/credentials.toml .gem/credentials
.bundle/config .m2/settings.xml .gradle/gradle.properties .nuget/nuget.config .ivy2/credentials .sbt/credentials
.coursier/credentials .config/hub gh/hosts.yml glab-cli/config.yml doctl/config.yaml hcloud/cli.toml .fly/config.yml
.scw/config.yaml .netlify/config.json .mc/config.json .ngrok2/ngrok.yml .huggingface/token huggingface/token
.cache/huggingface age/keys.txt .supabase/access-token .railway/config.json .irssi/config .weechat/sec.conf
.heroku/credentials .chef/knife.rb .pip/pip.conf .s3/config
"""
IN_DIRECTORY = frozenset(_IN_DIRECTORY.split())
"""Names that are secret only in this directory."""

_STAGE = r"(?:prod|production|dev|development|stage|staging|test|local|live|secrets?|private|qa|uat|ci|docker)"
_CONFIG = r"(?:json|ya?ml|toml|ini|cfg|conf|properties|xml|txt|csv|env)"
_BESIDE_CODE = frozenset({"auth.json", "token.json", "logins.json", "shadow"})
"""Words of the domain too: secret at the root and directly in a directory of a tool."""
PATTERNS = (
    r"\.env(?:rc)?(?:[._-].+)?",
    rf".+\.env\.{_STAGE}",
    r"\.dev\.vars(?:\..+)?",
    r"\.netrc\..+",
    # SSH, by what ssh-keygen and sshd name their keys.
    r"(?:.+[-_.])?id_(?:rsa|dsa|ecdsa|ed25519|xmss)(?:_sk)?(?:[-_][^.]+)?(?:\.(?:priv|private))?",
    r"ssh_host_[a-z0-9_]*key",
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
    rf"(?:(?:\.~[0-9]+)?~|[. ]+|:.*|[._ -]+(?:{_MARKS}|{_DATE})|\.(?:{_PACKAGED}|{_ARCHIVED}|\d{{1,10}})"
    r"| ?-? ?\(?copy\)?(?: \d+)?| ?\(\d+\))$",
    re.DOTALL,
)
_leading = re.compile(r"(?:#(?=.+#$)|\.#|\._(?=.)|~\$|copy of |copy-of-|backup[-_ ]of[-_ ]|(?:backup|old|bak)[-_.])")
_infix_suffixes = re.compile(rf"\.{_CONFIG}$")
_MAX_MARKS = 4

_FIRST_CHARACTERS = frozenset(".#~_")
_EXTENSIONS = """
json yml yaml toml ini cfg conf config properties xml txt csv gpg pgp asc kbx php rb db dat sqlite rc vars local
settings info tfstate b64 der private bak bakup backup orig original old save saved swp swo swn swx tmp temp copy rej
prev previous disabled off inactive rpmsave rpmnew rpmorig pacsave pacnew pacorig gz xz zst zip tar tgz
"""
_CHECKED_EXTENSIONS = frozenset((*_EXTENSIONS.split(), *(suffix.rpartition(".")[2] for suffix in SUFFIXES)))
"""Names with other extensions are not compared: most files of a repository."""


def is_secret(path: str) -> bool:
    """True if the name of the file or directory indicates secrets."""
    folders, _, name = path.lower().rpartition("/")
    if _is_secret_name(folders, name):
        return True
    return "." in folders and not DIRECTORIES.isdisjoint(folders.split("/"))


def _is_secret_name(folders: str, name: str) -> bool:
    stem, dot, extension = name.rpartition(".")
    if extension.isalpha() and extension not in _CHECKED_EXTENSIONS and stem and name[0] not in _FIRST_CHARACTERS:
        return False
    if len(name) > MAX_NAME_BYTES:
        return False
    base = _strip_marks(name)
    if _is_template(base):
        return False
    if base in NAMES or base in DIRECTORIES or base.endswith(SUFFIXES):
        return True
    parent = basename(folders)
    if base in _BESIDE_CODE:
        return not parent or parent.startswith(".") or parent in ("composer", "opencode")
    if _pattern.fullmatch(base):
        # A chart's template holds placeholders.
        return not (dot and base.startswith("secret") and "templates" in folders.split("/"))
    return f"{parent}/{base}" in IN_DIRECTORY


def _strip_marks(name: str) -> str:
    """Strip what editors, backups, package managers and copies add to a name."""
    for _ in range(_MAX_MARKS):
        bare = _leading.sub("", name, count=1) if name[:1] in "#.~cbo" and _leading.match(name) else name
        if bare != name and bare.endswith("#"):
            bare = bare[:-1]
        # A swap file of 'key.pem' is '.key.pem.swp'.
        if bare.startswith(".") and re.search(r"\.sw[a-z]$", bare) and bare.count(".") > 2:
            bare = bare[1:]
        bare = _trailing.sub("", bare) or bare
        ending = _infix_suffixes.search(bare)
        if ending is not None and ending.start():
            bare = (_trailing.sub("", bare[: ending.start()]) or bare[: ending.start()]) + ending[0]
        if bare == name:
            break
        name = bare
    return name


def _is_template(name: str) -> bool:
    return not TEMPLATE_WORDS.isdisjoint(_PARTS.split(name)) and _TEMPLATED.fullmatch(name) is not None
