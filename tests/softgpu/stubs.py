"""Writes a C function for each CUDA function that cudarc declares and the software driver does not have."""
import re
import sys

driver, cudarc, into = sys.argv[1:]
there = set(re.findall(r"^API (\w+)\(", open(driver).read(), re.M))
for module, library in [("driver", "cuda"), ("cublas", "cublas"), ("cublaslt", "cublasLt"), ("curand", "curand")]:
    declared = re.findall(r"^pub unsafe fn (\w+)\(", open(f"{cudarc}/{module}/sys/mod.rs").read(), re.M)
    with open(f"{into}/stub_{library}.c", "w") as out:
        out.write("#include <stdio.h>\n#include <stdlib.h>\n")
        for name in sorted(set(declared) - there):
            out.write(f'int {name}() {{ fprintf(stderr, "softgpu: {name} is missing\\n"); abort(); }}\n')
