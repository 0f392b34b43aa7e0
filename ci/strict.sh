# Sourced by every script of this folder: strict mode, the repository root, and how steps are announced.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Announces a step.
step() { printf '\n== %s\n' "$*"; }

# Says on stderr why, and ends.
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

# Makes sure that a component of the toolchain is there, installing it where rustup can.
need_component() {
    local component=$1 probe=$2
    if cargo "$probe" --version >/dev/null 2>&1; then return; fi
    command -v rustup >/dev/null || fail "cargo $probe is missing, and there is no rustup to install it"
    rustup component add "$component" || fail "cargo $probe is missing, and rustup cannot install it"
}
