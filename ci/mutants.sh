#!/usr/bin/env bash
# Which small changes of the sources does the corpus notice? docs/mutants.md has the answer of the last run, and says what the numbers mean.
#
# Arguments: parts of paths, to take only some of the files of ci/mutants/files.txt.
# Environment: MUTANTS_JOBS (default 2) processes at a time, MUTANTS_SECONDS (default 120) for each mutant, MUTANTS_TREE (default target/mutants)
# where the rewritten tree is built. MUTANTS_RESUME=1 keeps what an earlier run found out about mutants that are the same. MUTANTS_LIST=1 lists the mutants and builds nothing.
#
# The tests of the tool come first. It ends with 1 if less than 95 % of the mutants of a group are noticed that are not equivalent, or if a line of ci/mutants/equivalent.txt is
# about no mutant or about one that is noticed.
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
tool=(--manifest-path ci/mutants/Cargo.toml --release --locked --quiet --target-dir target/mutants-tool)
[[ -n ${MUTANTS_LIST:-} ]] || cargo test "${tool[@]}" >&2
cargo run "${tool[@]}" -- . "$@"
