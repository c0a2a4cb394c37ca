#!/usr/bin/env bash
# Deploys the shop.
set -euo pipefail

source "./lib/log.sh"
. /etc/profile
. "$HERE/colors.sh"

# Where it all goes.
readonly TARGET="/srv/shop"
#        ^ def constant TARGET

declare -r LIMIT=10 STEP=2
#          ^ def constant LIMIT

declare -A owners
export PATH="$PATH:/opt/bin" EDITOR
#      ^ def variable PATH
#              ^ name

count=0
_quiet= verbose=1
if [[ -n "${CI:-}" ]]; then
#           ^ name

  stage=ci
fi

alias ll='ls -l'

########################################
# Copies one release.
# Arguments: the release.
########################################
copy_release() {
# ^ def function copy_release
  local release="$1" n=2
#       ^ name
  count=$((count + n))
#           ^ name
  log::info "copying ${release}" >&2
# ^ call

  report() { echo "$count"; }
# ^ def function copy_release.report
  report
# ^ call
}

function clean-up {
  rm -rf -- "$TARGET/tmp"
#              ^ name
}

function in_subshell() (
  cd "$TARGET"
)

trap clean-up EXIT
#    ^ name

for file in *.tar; do
#   ^ name
  copy_release "$file"
# ^ call
done

DRY=1 copy_release now
cat <<EOF
to $TARGET by ${owners[me]} with $(in_subshell)
#   ^ name
EOF

# Said to people.
# shellcheck disable=SC2034
quiet() { :; }
