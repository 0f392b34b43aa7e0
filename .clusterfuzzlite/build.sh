#!/bin/bash -eu
# Builds the libFuzzer targets for OSS-Fuzz and ClusterFuzzLite, with their dictionaries and seeds.
#
# Environment, as both document it:
#   SRC                the folder above the checkout
#   OUT                where targets, TARGET.dict, TARGET.options and TARGET_seed_corpus.zip go
#   WORK               for what lies between
#   SANITIZER          address, memory, undefined, coverage, none
#   FUZZING_ENGINE     libfuzzer: others are refused, because cargo-fuzz builds no others
#   LIB_FUZZING_ENGINE what C and C++ targets link; cargo-fuzz links its own, so that it is not used
# and one of our own:
#   TRACE_COMPARES     no: what programs compare is not traced, which takes half of the time of a run (default: yes)
# ARCHITECTURE, RUSTFLAGS and CARGO_BUILD_TARGET mean what they mean to cargo.
: "${SRC:?}" "${OUT:?}" "${WORK:?}"
engine=${FUZZING_ENGINE:-libfuzzer} sanitizer=${SANITIZER:-address}
if [[ $engine != libfuzzer ]]; then
    echo "FUZZING_ENGINE=$engine: Rust targets run under libfuzzer alone" >&2
    exit 1
fi
case $sanitizer in
    # Coverage builds set the flags of the compiler themselves.
    coverage) sanitizer=none ;;
    address | memory | none) ;;
    # Rust has no such sanitizer: overflow and casts are checked by the debug assertions below.
    undefined) sanitizer=none ;;
    *) echo "SANITIZER=$sanitizer: unknown" >&2; exit 1 ;;
esac
cd "$SRC/warpdiff"
traced=()
case ${TRACE_COMPARES:-yes} in
    yes) ;;
    no) traced=(--no-trace-compares) ;;
    *) echo "TRACE_COMPARES=$TRACE_COMPARES: expected yes or no" >&2; exit 1 ;;
esac
triple=${CARGO_BUILD_TARGET:-x86_64-unknown-linux-gnu}
cargo fuzz build --release --debug-assertions --sanitizer "$sanitizer" ${traced[@]+"${traced[@]}"} --target "$triple" --target-dir "$WORK/fuzz"
zipped=$WORK/seeds
for source in fuzz/fuzz_targets/*.rs; do
    name=$(basename "$source" .rs)
    cp "$WORK/fuzz/$triple/release/$name" "$OUT/"
    # Memory in MiB and seconds: the bounds that an input must stay within.
    printf '[libfuzzer]\nrss_limit_mb = 1024\ntimeout = 5\n' > "$OUT/$name.options"
    [[ ! -f fuzz/dictionaries/$name.dict ]] || cp "fuzz/dictionaries/$name.dict" "$OUT/"
    rm -rf "$zipped"
    mkdir -p "$zipped"
    cp "fuzz/corpus/$name"/* "$zipped/"
    # The corpus of cases, for those that read such files: each case a seed, because a file of many takes a hundred times as long as one of them. Cases that refer to
    # an anchor of another one end at that.
    case $name in
        case_file)
            find cases -name '*.yaml' ! -name requirements.yaml -exec awk -v "folder=$zipped" '
                FNR == 1 { if (seed) close(seed); name = FILENAME; gsub("/", "-", name); number = 0; seed = "" }
                /^- / { if (seed) close(seed); seed = folder "/" name "-" ++number }
                seed { print > seed }' {} +
            find "$zipped" -type f -size +16k -delete
            ;;
        front_end) find cases -name '*.ptx' -size -64k -exec sh -c 'cp "$1" "$2/$(echo "$1" | tr / -)"' _ {} "$zipped" \; ;;
    esac
    rm -f "$OUT/${name}_seed_corpus.zip"
    (cd "$zipped" && zip -q -r "$OUT/${name}_seed_corpus.zip" .)
done
