#!/usr/bin/env bash
# Runs the fuzz targets, each for a given time: tests/fuzz/run.sh SECONDS [TARGET...]
# Inputs that find something are written to matchbook-findings/TARGET in the temporary folder.
# MATCHBOOK_FUZZ_SEED chooses other mutations.
set -uo pipefail
cd "$(dirname "$0")/../.."
export MATCHBOOK_FUZZ_SECONDS=${1:?usage: tests/fuzz/run.sh SECONDS [TARGET...]}
shift
tests=$(cargo test --lib -- fuzz:: --list 2>/dev/null | sed -n 's/: test$//p')
[ -n "$tests" ] || { echo "the tests do not compile" >&2; exit 1; }
failed=0
for test in $tests; do
  target=${test##*::}
  if [ $# -gt 0 ] && [[ " $* " != *" $target "* ]]; then continue; fi
  output=$(cargo test --quiet --lib -- --exact --nocapture "$test" 2>&1)
  if [ $? = 0 ]; then
    grep "executions" <<<"$output"
  else
    echo "$target: FOUND something" && grep -E "panicked|takes|input is|overflow|memory" <<<"$output"
    failed=1
  fi
done
exit $failed
