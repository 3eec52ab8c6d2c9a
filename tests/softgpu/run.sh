#!/usr/bin/env bash
# Builds matchbook with CUDA and runs it on a software GPU: the tests that compute, and the counts of a training step.
#   run.sh DIR [test|count|all]
# DIR receives the toolkit (1.2 GB, once), the build and the software driver. CARGO names another cargo.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
into=$(cd "$1" && pwd)
what=${2:-all}
cargo=${CARGO:-cargo}
root=$here/../..

[ -e "$into/cu13/bin/nvcc" ] || "$here/toolkit.sh" "$into"
export CUDA_HOME=$into/cu13 CUDA_PATH=$into/cu13 CUDA_COMPUTE_CAP=80
export SOFTGPU_NVCC=$into/cu13/bin/nvcc NVCC=$here/bin/nvcc PATH=$here/bin:$into/cu13/bin:$PATH
(cd "$root" && "$cargo" fetch)
"$here/driver.sh" "$into"
export LD_LIBRARY_PATH=$into/soft
build() { (cd "$root" && "$cargo" "$1" --features cuda --target-dir "$into/target" "${@:2}"); }

if [ "$what" != count ]; then
  export MATCHBOOK_TEST_CUDA=1 SOFTGPU_LOG=$into/exec.log
  # One to three devices, NPT, BERT and formula windows, local and global, frozen layers, chunks, every optimizer, resuming,
  # tf32, bfloat16; and what the panes of the workbench compute themselves.
  SOFTGPU=exec SOFTGPU_DEVICES=3 build test --lib -- --test-threads 1 resident:: a_device_ a_run_on_a_device
  # Every command.
  SOFTGPU=exec SOFTGPU_DEVICES=3 build test --test suite -- --test-threads 1 gpu::
  SOFTGPU=null SOFTGPU_DEVICES=2 SOFTGPU_MARK=24 SOFTGPU_LOG=$into/counts.log build test --lib -- --nocapture a_step_stays_within
  unset SOFTGPU_LOG
fi
if [ "$what" != test ]; then
  # the tests' own build of the program, so that nothing is compiled twice
  build test --no-run --test suite
  for model in "npt f32 cuda:0" "bert f32 cuda:0" "bert bf16 cuda:0" "windows f32 cuda:0" "npt f32 cuda:0,1" "bert f32 cuda:0,1"; do
    set -- $model
    rm -f "$into/counts.log"
    echo "== $1, $2, $3"
    SOFTGPU=null SOFTGPU_DEVICES=2 SOFTGPU_MARK=24 SOFTGPU_LOG=$into/counts.log \
      "$into/target/debug/matchbook" bench gpu --model "$1" --precision "$2" --device "$3" --rounds 20
  done
  # Memory that does not hold a batch: the step is repeated with fewer documents at a time.
  echo "== a device of 1 GB"
  SOFTGPU=null SOFTGPU_MEM=1000000000 "$into/target/debug/matchbook" bench gpu --model npt --precision f32 --device cuda --rounds 1 |
    tee "$into/small.log"
  grep -q "memory ran out" "$into/small.log"
  # A machine whose driver finds no GPU.
  echo "== no GPU"
  if SOFTGPU_DEVICES=0 "$into/target/debug/matchbook" bench gpu --device cuda; then
    echo "a missing GPU was not reported" >&2
    exit 1
  fi
fi
