#!/usr/bin/env bash
# What authors of emulators need on macOS and Windows: the platform code, a run, a deviation that is found, a target over the worker protocol.
# It runs on Linux as well.
#
# Environment: PYTHON, the name of Python 3 (default python on Windows, python3 elsewhere). Ends with 1 if any of it fails.
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
case ${OSTYPE:-} in msys* | cygwin*) python=${PYTHON:-python} ;; *) python=${PYTHON:-python3} ;; esac
step "tests of the platform code"
cargo test --locked -p warpdiff-files -p warpdiff-worker --lib
step "build"
cargo build --locked --release
warpdiff=${CARGO_TARGET_DIR:-target}/release/warpdiff
step "doctor"
"$warpdiff" doctor
step "a deviation is found"
status=0
"$warpdiff" run "suld/*" --against emulator+suld.clamp-as-zero --show 1 || status=$?
((status == 1)) || fail "the deviation ended the run with $status, not with 1"
step "a target over the worker protocol"
"$warpdiff" conform-protocol --against "process:$python harness/process-example/target.py"
