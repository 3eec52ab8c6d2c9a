#!/usr/bin/env bash
# Builds the software GPU into DIR/soft: a driver, cuBLAS and cuRAND that count and, on request, compute, and an NVML. candle's kernels are
# compiled for the host out of cargo's registry, and the program's own out of src/model/resident/kernels.cu.
#   driver.sh DIR
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
into=$(cd "$1" && pwd)
work=$into/soft/objects
mkdir -p "$work/kernels"
registry=$(ls -d "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/ | head -1)
kernels=$(ls -d "$registry"candle-kernels-0.11* | tail -1)/src
cudarc=$(ls -d "$registry"cudarc-0.1* | tail -1)/src

# candle's kernels: one thread of one block does all the work.
cp "$kernels"/*.cu "$kernels"/*.cuh "$work/kernels/"
echo '#include <stdint.h>' > "$work/kernels/compatibility.cuh"
for kernel in affine binary cast fill indexing ternary unary; do
  [ "$work/$kernel.o" -nt "$here/shim.h" ] && continue
  g++ -w -O2 -fPIC -std=c++17 -x c++ -include "$here/shim.h" -I"$into/cu13/include" \
    -c "$work/kernels/$kernel.cu" -o "$work/$kernel.o"
done

# The program's own kernels, once for each type of rows, with a table of their names.
source=$here/../../src/model/resident/kernels.cu
sed 's/extern "C"//' "$source" > "$work/own.inc"
sed -n 's/^KERNEL \([a-z_]*\)(.*/\1/p' "$source" | while read -r name; do
  echo "{\"$name\", [](void **a) { call(f32::$name, a); }, [](void **a) { call(bf16::$name, a); }, [](void **a) { check(f32::$name, a); }},"
done > "$work/own_names.inc"
cp "$here/kernels.cpp" "$work/own.cpp"
g++ -w -O2 -fPIC -std=c++17 -I"$work" -c "$work/own.cpp" -o "$work/own.o"
g++ -w -O2 -fPIC -std=c++17 -c "$here/driver.cpp" -o "$work/driver.o"

# Every function that cudarc may look up and that driver.cpp lacks: it prints its name and stops.
python3 "$here/stubs.py" "$here/driver.cpp" "$cudarc" "$work"
for library in cuda cublas cublasLt curand; do
  gcc -w -fPIC -c "$work/stub_$library.c" -o "$work/stub_$library.o"
done
# candle's kernels share helpers that nvcc compiles into each of them.
link() { g++ -shared -Wl,-z,muldefs -Wl,-soname,"$1" -o "$into/soft/$1" "${@:2}"; }
link libcuda.so.1 "$work"/{driver,own,affine,binary,cast,fill,indexing,ternary,unary,stub_cuda}.o
link libcublas.so.13 "$work/stub_cublas.o"
link libcublasLt.so.13 "$work/stub_cublasLt.o"
link libcurand.so.10 "$work/stub_curand.o"
gcc -w -O2 -shared -fPIC -Wl,-soname,libnvidia-ml.so.1 -o "$into/soft/libnvidia-ml.so.1" "$here/nvml.c"
# The linker needs every function of a driver, which no package has without a GPU.
ln -sf "$into/soft/libcuda.so.1" "$into/cu13/lib/libcuda.so"
# NVRTC is the real one: it compiles kernels without a GPU.
ln -sf "$into"/cu13/lib/libnvrtc*.so.13* "$into"/cu13/lib/libcudart.so.13 "$into/soft/"
