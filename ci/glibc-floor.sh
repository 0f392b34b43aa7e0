#!/usr/bin/env bash
# Checks that programs and libraries run with an old glibc: reads the versions of the symbols that they need (readelf), and names the newest.
#
#   ci/glibc-floor.sh VERSION FILE…     such as ci/glibc-floor.sh 2.17 target/release/warpdiff
#
# Ends with 0 if no file needs a symbol newer than VERSION, with 1 otherwise, 2 for wrong usage.
caller=$PWD
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
source ci/codes.sh
(($# >= 2)) && [[ $1 =~ ^[0-9]+\.[0-9]+$ ]] || fail "usage: ci/glibc-floor.sh VERSION FILE…"
command -v readelf >/dev/null || fail "readelf is missing (binutils)"
floor=$1
shift
newer=0
for file in "$@"; do
    path=$(from_caller "$file")
    [[ -f $path ]] || path=$file
    versions=$(readelf -W --version-info "$path") || fail "$file is no ELF file"
    newest=$(grep -oE '\bGLIBC_[0-9.]+' <<< "$versions" | sed 's/GLIBC_//' | sort -uV | tail -n 1 || true)
    [[ -n $newest ]] || fail "$file needs no glibc: is it the right file?"
    echo "$file: needs glibc $newest"
    if [[ $(printf '%s\n%s\n' "$newest" "$floor" | sort -V | tail -n 1) != "$floor" ]]; then
        echo "error: $file needs glibc $newest, newer than $floor, for:" >&2
        readelf -W --dyn-syms "$path" | grep -F "@GLIBC_$newest" | awk '{ print "  " $8 }' >&2 || true
        newer=1
    fi
done
exit "$newer"
