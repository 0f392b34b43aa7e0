#!/usr/bin/env bash
# Clients of the CUDA driver API run on our libcuda and give the right values: NVIDIA's Python bindings, numba-cuda, tinygrad.
#
# They come from PyPI, and are optional: what is not there is skipped, and said. `ci/prepare.sh clients` installs them in target/clients, where
# they are found; WARPDIFF_PYTHON names another Python.
#
# With --require a missing package is a failure. LIBCUDA names a library to use instead of the one that is built.
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"

required=no
[ "${1:-}" = --require ] && required=yes
python=python3
prepared=${CARGO_TARGET_DIR:-target}/clients/bin/python
[[ ! -x $prepared ]] || python=$prepared
python=${WARPDIFF_PYTHON:-$python}
library=${LIBCUDA:-}
if [ -z "$library" ]; then
    cargo build --release --locked --package warpdiff-libcuda
    library=${CARGO_TARGET_DIR:-target}/release/libwarpdiff_cuda.so
fi
library=$(realpath "$library")

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# Some clients open libcuda.so.1, others libcuda.so, by that name.
ln -s "$library" "$folder/libcuda.so.1"
ln -s "$library" "$folder/libcuda.so"

failed=0
run() {
    local script=$1 module=$2
    if ! "$python" -c "import $module" 2> "$folder/why"; then
        echo "skipped: $script, as $python has no $module: $(grep . "$folder/why" | tail -n 1)"
        [ $required = no ] || failed=1
        return
    fi
    echo "$script"
    local code=0
    LD_LIBRARY_PATH=$folder PYTHONDONTWRITEBYTECODE=1 "$python" "ci/clients/$script" | sed 's/^/    /' || code=$?
    # A script that ends with 77 has said why it does not run.
    if [ "$code" = 77 ] && [ $required = no ]; then return; fi
    if [ "$code" != 0 ]; then
        echo "failed: $script"
        failed=1
    fi
}

run cuda_bindings.py cuda.bindings.driver
run report.py cuda.bindings.driver
run numba_kernels.py 'numba.cuda, numba_cuda'
run tinygrad_operations.py tinygrad
exit "$failed"
