#!/usr/bin/env bash
# Every test of the workspace: unit tests, the corpus with its recordings, replays of the fuzzers' inputs.
#
# The last line is `N passed, M failed, K skipped`, summed over all test binaries. The exit code is cargo's.
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
step "test"
# The commands that tests run would annotate this workflow and add to the summary of its step.
unset GITHUB_ACTIONS GITHUB_STEP_SUMMARY
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
cargo test --workspace --locked --no-fail-fast 2>&1 | tee "$log" || status=$?
# A test binary that was not built or that died prints no result; cargo's exit code shows it.
awk '
    /^test result: / {
        for (i = 2; i <= NF; i++) {
            if ($i ~ /^passed/) passed += $(i - 1)
            if ($i ~ /^failed/) failed += $(i - 1)
            if ($i ~ /^ignored/) skipped += $(i - 1)
        }
    }
    END { printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped }
' "$log"
exit "$status"
