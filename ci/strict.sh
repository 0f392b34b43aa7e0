# Sourced by every script of this folder: strict mode, the repository root, and how steps are announced.
# shellcheck shell=bash
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Announces a step.
step() { printf '\n== %s\n' "$*"; }

# Prints an error on stderr and ends with 1.
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

# Installs a component of the toolchain with rustup if it is missing.
need_component() {
    local component=$1 probe=$2
    if cargo "$probe" --version >/dev/null 2>&1; then return; fi
    command -v rustup >/dev/null || fail "cargo $probe is missing, and so is rustup, which could install it"
    rustup component add "$component" || fail "cargo $probe is missing, and rustup cannot install it"
}
