#!/usr/bin/env bash
# Publishes a release on GitHub: the archives of a folder, each with its checksum, and SHA256SUMS with all of them.
#
#   ci/publish.sh TAG FOLDER [--dry-run]     with --dry-run everything is checked, and nothing is published
#
# The tag is `v` and the version in Cargo.toml, and every archive has to have its checksum right. Environment: GH_TOKEN, for the command gh.
# Ends with 0; 1 if anything is missing or wrong, 2 for wrong usage.
caller=$PWD
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
source ci/codes.sh
(($# == 2)) || [[ $# == 3 && $3 == --dry-run ]] || fail "usage: ci/publish.sh TAG FOLDER [--dry-run]"
bad() { printf 'error: %s\n' "$*" >&2; exit 1; }
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
[[ $1 == "v$version" ]] || bad "the tag is $1, and the version in Cargo.toml $version"
folder=$(from_caller "$2")
cd "$folder"
shopt -s nullglob
archives=(warpdiff-*.tar.gz)
((${#archives[@]})) || bad "no archives in $folder"
for archive in "${archives[@]}"; do
    [[ -f $archive.sha256 ]] || bad "$archive has no checksum"
done
cat "${archives[@]/%/.sha256}" > SHA256SUMS
sha256sum --check --strict SHA256SUMS || bad "a checksum is wrong"
# What a release has, so that none is missing without a word.
for target in {x86_64,aarch64}-unknown-linux-{gnu,musl} {x86_64,aarch64}-apple-darwin; do
    [[ -f warpdiff-$target.tar.gz ]] || bad "warpdiff-$target.tar.gz is missing"
done
if [[ ${3:-} == --dry-run ]]; then echo "not published: --dry-run"; exit 0; fi
cd - >/dev/null
command -v gh >/dev/null || bad "the command gh is missing"
notes=$(awk -v version="$version" '/^## / { on = index($0, version) > 0 } on' CHANGELOG.md)
gh release create "$1" --verify-tag --title "warpdiff $version" --notes "${notes:-See CHANGELOG.md.}" \
    "$folder"/warpdiff-*.tar.gz "$folder"/warpdiff-*.sha256 "$folder/SHA256SUMS"
