#!/usr/bin/env bash
# A real emulator by others, ptoxide, judged by the whole corpus: docs/ptoxide.md is what comes out.
#
# Builds the worker of ci/ptoxide, which is a workspace of its own, checks its format and that it has no warnings, checks that it speaks the
# protocol, and runs the corpus. Fails where the tables of the page are out of date; with --bless renews them. WARPDIFF names the binary;
# without it a release build is made.
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
command -v python3 >/dev/null || fail "python3 is missing"
check=(--check)
[[ ${1:-} != --bless ]] || check=()
warpdiff=${WARPDIFF:-}
if [[ -z $warpdiff ]]; then
    cargo build --release --locked --quiet
    warpdiff=${CARGO_TARGET_DIR:-target}/release/warpdiff
fi
step "ptoxide: the worker"
need_component rustfmt fmt
need_component clippy clippy
manifest=(--manifest-path ci/ptoxide/Cargo.toml)
cargo fmt "${manifest[@]}" --check
cargo clippy "${manifest[@]}" --locked --target-dir ci/ptoxide/target --release -- -D warnings
cargo build "${manifest[@]}" --locked --target-dir ci/ptoxide/target --release
# Found by its name alone, so that reports do not have a path of this machine.
export PATH=$PWD/ci/ptoxide/target/release:$PATH
target=process:warpdiff-worker-of-ptoxide
"$warpdiff" conform-protocol --against "$target" --require ld-st,threads,branches,calls,shared
step "ptoxide: the corpus"
results=$(mktemp)
trap 'rm -f "$results"' EXIT
status=0
"$warpdiff" run --against "$target" --no-golden --no-repeat --time-limit 5 --results "$results" >/dev/null || status=$?
# 1: it does something wrong, as the page says; 5: nothing wrong, but not all was judged.
((status == 0 || status == 1 || status == 5)) || fail "the run ended with $status"
python3 ci/ptoxide/page.py "${check[@]}" "$results"
echo "docs/ptoxide.md is up to date"
