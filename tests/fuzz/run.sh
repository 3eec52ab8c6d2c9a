#!/usr/bin/env bash
# Runs the fuzz targets, each for a given time: tests/fuzz/run.sh SECONDS [TARGET...]
# Findings are written to matchbook-findings/TARGET in the temporary folder. MATCHBOOK_FUZZ_SEED chooses other mutations.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:?how many seconds a target runs}
shift
cargo test --lib --no-run
targets=("$@")
if [ "${#targets[@]}" = 0 ]; then
  mapfile -t targets < <(cargo test --lib -- fuzz:: --list 2>/dev/null | sed -n 's/^fuzz::.*::\(.*\): test$/\1/p')
fi
status=0
for target in "${targets[@]}"; do
  MATCHBOOK_FUZZ_SECONDS=$seconds cargo test --lib -- --nocapture "fuzz::" 2>&1 --exact \
    "$(cargo test --lib -- fuzz:: --list 2>/dev/null | sed -n "s/^\(fuzz::.*::$target\): test$/\1/p")" |
    grep -E "executions|panicked|takes|findings" || { echo "$target failed"; status=1; }
done
exit $status
