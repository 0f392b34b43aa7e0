#!/usr/bin/env bash
# What runs on a machine with a GPU. Today that is the corpus on the reference and a report of what the machine has; a target that runs
# PTX on the device is not part of warpdiff yet, and nothing here pretends that the device was asked.
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
step "machine"
cargo run --release --locked --quiet -- doctor
step "corpus on the reference"
cargo run --release --locked --quiet -- run
echo "skipped: no target that runs on the device"
