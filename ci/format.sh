#!/usr/bin/env bash
# Sources are formatted as rustfmt.toml says.
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
need_component rustfmt fmt
step "format"
cargo fmt --all --check
# Workspaces of their own.
cargo fmt --manifest-path ci/ptoxide/Cargo.toml --check
cargo fmt --manifest-path ci/mutants/Cargo.toml --check
