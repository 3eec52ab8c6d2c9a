#!/usr/bin/env bash
# Installs CUDA's compiler and headers from PyPI into DIR/cu13. Needs neither a driver nor a GPU.
#   toolkit.sh DIR
set -euo pipefail
into=$(mkdir -p "$1" && cd "$1" && pwd)
python3 -m venv "$into/venv"
"$into/venv/bin/pip" install -q --target "$into/wheels" \
  "cuda-toolkit[nvcc,cudart,cccl,nvrtc,cublas,curand,crt,nvvm]==13.0.2"
ln -sfn "$into/wheels/nvidia/cu13" "$into/cu13"
cd "$into/cu13"
[ -e lib64 ] || ln -s lib lib64
for library in lib/lib*.so.*; do
  plain=${library%%.so.*}.so
  [ -e "$plain" ] || ln -s "$(basename "$library")" "$plain"
done
