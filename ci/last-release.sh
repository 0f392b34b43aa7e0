#!/usr/bin/env bash
# Fetches the last release from GitHub, to compare with: its archive for this processor, with the checksum held.
#
#   ci/last-release.sh FOLDER     FOLDER gets warpdiff-TARGET.tar.gz
#
# Environment: GH_TOKEN, for the command gh. Ends with 0; 5 and a reason where there is nothing to compare with: no release, no archive for this
# processor, no gh; 4 if GitHub did not answer or the checksum is wrong; 2 for wrong usage.
caller=$PWD
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
source ci/codes.sh
(($# == 1)) || fail "usage: ci/last-release.sh FOLDER"
folder=$(from_caller "$1")
none() { echo "no last release: $*"; exit 5; }
archive=warpdiff-$(uname -m)-unknown-linux-gnu.tar.gz
command -v gh >/dev/null || none "the command gh, which asks GitHub, is missing"
answer=$(gh release view --json tagName,assets --jq '.tagName, .assets[].name' 2>&1) || {
    [[ $answer != *"release not found"* ]] || none "nothing has been released yet"
    printf 'error: GitHub was asked for the last release: %s\n' "$answer" >&2
    exit 4
}
tag=${answer%%$'\n'*}
grep -qxF "$archive" <<<"$answer" || none "$tag has no $archive"
mkdir -p "$folder"
gh release download "$tag" --dir "$folder" --clobber --pattern "$archive" --pattern "$archive.sha256" || exit 4
(cd "$folder" && sha256sum --check --strict "$archive.sha256") || exit 4
echo "the last release is $tag"
