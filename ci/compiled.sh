#!/usr/bin/env bash
# Generated programs as NVIDIA compiles them, against the reference: the level rotates from piece to piece, -O0 to -O3, and then the inputs do, loaded and
# constants. ci/campaign.py says what is kept, and what a known difference is.
#
# Environment:
#   WARPDIFF           a binary (default: built here)
#   COMPILED_PROGRAMS  programs in all (default 21000)
#   COMPILED_PIECE     programs in a piece (default 500)
#   COMPILED_SEED      their seed (default: the day of the year)
#   COMPILED_MINUTES   when to begin no more pieces (default 120)
#   COMPILED_FOLDER    what is kept, so that a later call goes on (default fuzz-findings/compiled-SEED)
#   PTXAS              the compiler (default: the ptxas 12.9 of this machine; without one, it says so and ends with 0)
#
# It ends with 1 at a difference that is not known, with 2 if a piece could not be run.
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
seed=${COMPILED_SEED:-$(date +%-j)}

warpdiff=${WARPDIFF:-}
if [[ -z $warpdiff ]]; then
    cargo build --release --locked --quiet
    warpdiff=${CARGO_TARGET_DIR:-target}/release/warpdiff
fi
compiler=()
if [[ -n ${PTXAS:-} ]]; then
    compiler=(--ptxas "$PTXAS")
elif ! "$warpdiff" doctor 2>/dev/null | grep -qE 'ptxas.*12\.9'; then
    echo "skipped: there is no ptxas 12.9 (the Python package nvidia-cuda-nvcc-cu12 has one)"
    exit 0
fi
exec python3 ci/campaign.py "$warpdiff" "${COMPILED_FOLDER:-fuzz-findings/compiled-$seed}" "${compiler[@]}" \
    --seed "$seed" --programs "${COMPILED_PROGRAMS:-21000}" --piece "${COMPILED_PIECE:-500}" --minutes "${COMPILED_MINUTES:-120}"
