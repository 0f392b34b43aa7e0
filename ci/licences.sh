#!/usr/bin/env bash
# Every dependency is under a licence on our list. With cargo-deny installed, it also checks duplicates and sources (deny.toml);
# without it that part is skipped, visibly. The list is the one in deny.toml.
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
step "licences"
command -v python3 >/dev/null || fail "python3 is needed to read the output of cargo metadata"
cargo metadata --format-version 1 --locked | python3 ci/licences.py deny.toml
if cargo deny --version >/dev/null 2>&1; then
    cargo deny --workspace check bans licenses sources
else
    echo "skipped: cargo-deny is not installed (cargo install cargo-deny --locked); bans and sources were not checked"
fi
