# Sourced, after strict.sh, by scripts that run several commands of warpdiff: the most urgent of their exit codes, signals, the program.
#
# A script sets `caller=$PWD` before it sources strict.sh, which changes the folder.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the script that sources it

# The exit codes of warpdiff, the most urgent first (README.md, "Exit codes").
order=(2 7 4 1 3 6 5 0)
code=0
# count CODE: a step ended with that; `code` is the most urgent of all.
count() {
    local seen=$1 known
    # Any other code (stopped by `timeout`, killed, not found) means that the step did not run to its end.
    [[ " ${order[*]} " == *" $seen "* ]] || seen=4
    for known in "${order[@]}"; do
        if [[ $known == "$seen" || $known == "$code" ]]; then code=$known; return; fi
    done
}

# Wrong usage has a code of its own.
fail() { printf 'error: %s\n' "$*" >&2; exit 2; }

# The signal that ended the work, and the process that runs.
stopped='' running=''
# pass_on SIGNAL: gives a signal on to the process that runs. A shell alone would wait for its end, and the service that sent the signal
# (a CI time limit) soon kills everything.
pass_on() {
    stopped=SIG$1
    [[ -z $running ]] || kill -s "$1" "$running" 2>/dev/null || true
}
# Passes signals on from here on.
pass_signals_on() {
    local signal
    # shellcheck disable=SC2064 # the signal of this round
    for signal in TERM INT HUP; do trap "pass_on $signal" "$signal"; done
}

# await COMMAND…: runs a command to its end, whatever signals come; `status` is how it ended. A function as command ends with `exec`, so that
# signals reach the program.
await() {
    # In a process group of its own: a signal to the group of this script (Ctrl-C) would reach it twice, and a second signal ends
    # warpdiff without a report.
    set -m
    "$@" &
    running=$!
    set +m
    # A signal ends `wait`, but not the command at once.
    while status=0; wait "$running" || status=$?; kill -0 "$running" 2>/dev/null; do :; done
    running=''
}

# log FILE: copies its input to the standard output and to FILE, to its end: signals do not stop it.
log() {
    trap '' TERM INT HUP
    exec tee -a "$1"
}

# The program that WARPDIFF names: a binary, or an archive of ci/release.sh, which is unpacked below `$1`. Without it a release build is
# made. Sets `warpdiff`.
find_warpdiff() {
    local work=$1
    warpdiff=${WARPDIFF:-}
    case $warpdiff in
        '')
            cargo build --release --locked || exit 4
            warpdiff=${CARGO_TARGET_DIR:-target}/release/warpdiff ;;
        *.tar.gz)
            [[ -f $warpdiff ]] || fail "WARPDIFF is not there: $warpdiff"
            mkdir -p "$work/unpacked"
            tar -C "$work/unpacked" -xzf "$warpdiff" || fail "WARPDIFF is no archive: $warpdiff"
            warpdiff=$(find "$work/unpacked" -type f -name warpdiff -path '*/bin/*') ;;
    esac
    [[ -f $warpdiff && -x $warpdiff ]] || fail "WARPDIFF is not a program: ${warpdiff:-no bin/warpdiff in the archive}"
    warpdiff=$(realpath "$warpdiff")
}

# from_caller PATH: the same path from the folder in which the caller of the script is. Scripts work in the repository root.
from_caller() { (cd "$caller" && realpath -m -- "$1"); }

# is_number NAME VALUE: ends with an error unless the value is a number from 1 on.
is_number() { [[ $2 =~ ^[1-9][0-9]{0,5}$ ]] || fail "$1 is a number from 1 on, not \`$2\`"; }
