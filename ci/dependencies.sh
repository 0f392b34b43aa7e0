#!/usr/bin/env bash
# cargo-deny on all dependencies: bans, sources, licences, and known security advisories, whose database it fetches. Installs cargo-deny if it is
# missing. ci/licences.sh is the part that works without a network.
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
step "dependencies"
cargo deny --version >/dev/null 2>&1 || cargo install cargo-deny --locked
cargo deny --workspace check advisories bans licenses sources
