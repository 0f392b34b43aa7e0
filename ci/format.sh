#!/usr/bin/env bash
# Sources are formatted as rustfmt.toml says.
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
need_component rustfmt fmt
step "format"
cargo fmt --all --check
# A workspace of its own; ci/ptoxide.sh checks the rest of it.
cargo fmt --manifest-path ci/ptoxide/Cargo.toml --check
