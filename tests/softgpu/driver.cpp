// A pretended CUDA driver, cuBLAS and cuRAND. It counts what a program asks of a GPU; with SOFTGPU=exec it also
// computes: candle's kernels as they are compiled for the host, reductions and products by plain loops. What runs on one device
// may then use memory of that device only.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <sys/mman.h>
#include <type_traits>
#include <unordered_map>
#include <vector>

#define API extern "C" int
enum { OK = 0, OUT_OF_MEMORY = 2, NO_DEVICE = 100, INVALID_DEVICE = 101, NOT_FOUND = 500, LAUNCH_FAILED = 719, DRIVER_MISMATCH = 803 };

static const char *setting(const char *name) { const char *value = getenv(name); return value ? value : ""; }
static bool computes() { static const bool yes = !strcmp(setting("SOFTGPU"), "exec"); return yes; }
static long devices() { static const long n = *setting("SOFTGPU_DEVICES") ? atol(setting("SOFTGPU_DEVICES")) : 1; return n; }
static size_t memory() {
  static const size_t n = *setting("SOFTGPU_MEM") ? strtoull(setting("SOFTGPU_MEM"), 0, 10) : (size_t)1 << 40;
  return n;
}

struct Counts {
  uint64_t launches, products, span, allocations, events, uploads, downloads, copies, fills, waits, modules;
  double flop, upload_bytes, download_bytes, copy_bytes;
};
static std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();
static Counts count;
static size_t in_use, peak;
static std::map<std::string, uint64_t> by_kernel;
static std::mutex guard;

static void report(const char *title) {
  const char *path = setting("SOFTGPU_LOG");
  FILE *out = *path ? fopen(path, "a") : stderr;
  if (!out) return;
  fprintf(out,
          "softgpu %s: launches %lu products %lu span %lu gflop %.1f uploads %lu upload_mb %.3f downloads %lu download_mb %.6f "
          "copies %lu copy_mb %.1f fills %lu allocations %lu events %lu waits %lu modules %lu peak_mb %.1f host_ms %.1f\n",
          title, count.launches, count.products, count.span, count.flop / 1e9, count.uploads, count.upload_bytes / 1e6, count.downloads,
          count.download_bytes / 1e6, count.copies, count.copy_bytes / 1e6, count.fills, count.allocations, count.events,
          count.waits, count.modules, peak / 1e6, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - since).count());
  if (*setting("SOFTGPU_KINDS"))
    for (auto &kernel : by_kernel) fprintf(out, "  %-28s %lu\n", kernel.first.c_str(), kernel.second);
  if (out != stderr) fclose(out);
  count = Counts{};
  by_kernel.clear();
  peak = in_use;
  since = std::chrono::steady_clock::now();
}
static struct AtExit { ~AtExit() { if (count.allocations || count.launches) report("rest"); } } at_exit_report;

// Devices, contexts, streams, events.
static long fails_at() { static const long n = *setting("SOFTGPU_FAIL") ? atol(setting("SOFTGPU_FAIL")) : -1; return n; }
API cuInit(unsigned) { return fails_at() == 0 ? DRIVER_MISMATCH : devices() > 0 ? OK : NO_DEVICE; }
// NVRTC asks for private tables of the driver, and compiles without them.
API cuGetExportTable(const void **table, const void *) { *table = nullptr; return NOT_FOUND; }
API cuDriverGetVersion(int *version) { *version = 13000; return OK; }
API cuDeviceGet(int *device, int ordinal) { if (ordinal >= devices()) return INVALID_DEVICE; *device = ordinal; return OK; }
API cuDeviceGetCount(int *n) { *n = devices(); return OK; }
API cuDeviceGetName(char *name, int size, int) { snprintf(name, size, "softgpu"); return OK; }
API cuDeviceTotalMem_v2(size_t *bytes, int) { *bytes = memory(); return OK; }
API cuDeviceGetAttribute(int *value, int what, int) { *value = what == 75 ? 8 : what == 76 ? 0 : 1; return OK; }
API cuDevicePrimaryCtxRetain(void **context, int device) { *context = (void *)(uintptr_t)(0x1000 + device); return OK; }
API cuDevicePrimaryCtxRelease_v2(int) { return OK; }
static thread_local void *current;
static int device() { return current ? (int)((uintptr_t)current - 0x1000) : 0; }

// Devices work at the same time: every launch takes one unit, and the span is what the longest of them take together.
static uint64_t queued[1024];
static void submit() { queued[device()]++; }
static void wait() {
  count.waits++;
  uint64_t passed = queued[device()];
  count.span += passed;
  for (long each = 0; each < devices() && each < 1024; each++) queued[each] -= std::min(queued[each], passed);
}
API cuCtxGetCurrent(void **context) { *context = current; return OK; }
API cuCtxSetCurrent(void *context) { current = context; return OK; }
API cuCtxSynchronize() { wait(); return OK; }
API cuStreamCreate(void **stream, unsigned) { *stream = (void *)0x77; return OK; }
API cuStreamDestroy_v2(void *) { return OK; }
API cuStreamSynchronize(void *) { wait(); return OK; }
struct Event { int device; };
API cuStreamWaitEvent(void *, void *event, unsigned) {
  queued[device()] = std::max(queued[device()], queued[((Event *)event)->device]);
  return OK;
}
API cuStreamIsCapturing(void *, int *answer) { *answer = 0; return OK; }
API cuEventCreate(void **event, unsigned) { count.events++; *event = new Event{device()}; return OK; }
API cuEventDestroy_v2(void *event) { delete (Event *)event; return OK; }
API cuEventRecord(void *event, void *) { ((Event *)event)->device = device(); return OK; }
API cuEventSynchronize(void *) { wait(); return OK; }
API cuEventQuery(void *) { return OK; }

// Memory. Large blocks are reserved without being touched, so that counting a big model costs nothing.
struct Block { size_t bytes; bool mapped; int device; };
static std::map<uint64_t, Block> blocks;
// Stops the program when an address is not in memory of the current device.
void check_address(const void *address) {
  if (!address || !computes()) return;
  std::lock_guard<std::mutex> lock(guard);
  auto after = blocks.upper_bound((uint64_t)address);
  if (after != blocks.begin()) {
    auto block = std::prev(after);
    if ((uint64_t)address < block->first + block->second.bytes && block->second.device == device()) return;
  }
  fprintf(stderr, "softgpu: %p is not in memory of device %d\n", address, device());
  abort();
}
static int take(uint64_t *address, size_t wanted) {
  std::lock_guard<std::mutex> lock(guard);
  size_t bytes = wanted ? (wanted + 511) / 512 * 512 : 512;
  if (in_use + bytes > memory()) return OUT_OF_MEMORY;
  bool mapped = bytes >= 1 << 16;
  void *block = mapped ? mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                       : calloc(1, bytes);
  if (!block || block == MAP_FAILED) return OUT_OF_MEMORY;
  *address = (uint64_t)block;
  blocks[*address] = {bytes, mapped, device()};
  count.allocations++;
  in_use += bytes;
  if (in_use > peak) peak = in_use;
  return OK;
}
static int give(uint64_t address) {
  std::lock_guard<std::mutex> lock(guard);
  auto block = blocks.find(address);
  if (block == blocks.end()) return 1;
  in_use -= block->second.bytes;
  block->second.mapped ? (void)munmap((void *)address, block->second.bytes) : free((void *)address);
  blocks.erase(block);
  return OK;
}
API cuMemAllocAsync(uint64_t *address, size_t bytes, void *) { return take(address, bytes); }
API cuMemAlloc_v2(uint64_t *address, size_t bytes) { return take(address, bytes); }
API cuMemFreeAsync(uint64_t address, void *) { return give(address); }
API cuMemFree_v2(uint64_t address) { return give(address); }
API cuMemGetInfo_v2(size_t *unused, size_t *all) { *all = memory(); *unused = memory() - in_use; return OK; }
API cuMemsetD8Async(uint64_t to, unsigned char value, size_t bytes, void *) {
  count.fills++;
  check_address((void *)to);
  if (computes()) memset((void *)to, value, bytes);
  return OK;
}
API cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *) {
  count.uploads++;
  count.upload_bytes += bytes;
  check_address((void *)to);
  if (computes() || bytes < 1024) memcpy((void *)to, from, bytes);
  return OK;
}
API cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *) {
  count.downloads++;
  count.download_bytes += bytes;
  check_address((void *)from);
  wait();
  computes() ? memcpy(to, (void *)from, bytes) : memset(to, 0, bytes);
  static const size_t mark = strtoull(setting("SOFTGPU_MARK"), 0, 10);
  if (mark && mark == bytes) report("mark");
  return OK;
}
API cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *) {
  count.copies++;
  count.copy_bytes += bytes;
  if (computes()) memmove((void *)to, (void *)from, bytes);
  return OK;
}
API cuMemcpyPeerAsync(uint64_t to, void *, uint64_t from, void *, size_t bytes, void *stream) {
  return cuMemcpyDtoDAsync_v2(to, from, bytes, stream);
}

// Modules and kernels. A name that the PTX has not is an error, as on a GPU.
// Kernels of the program itself run with their real grid and blocks: see kernels.cpp.
typedef void (*Caller)(void **arguments);
Caller own_kernel(const char *name, bool is_bf16);
Caller own_check(const char *name);
void run_grid(Caller kernel, void **arguments, unsigned blocks, unsigned threads);
struct Kernel { std::string name; void *on_host; Caller own, check; };
struct Module { std::string ptx; bool is_own, is_bf16; std::unordered_map<std::string, Kernel *> known; };
API cuModuleLoadData(void **module, const void *image) {
  std::string ptx((const char *)image);
  count.modules++;
  bool is_own = ptx.find(".entry embed_backward(") != std::string::npos;
  // the kernels of bfloat16 store rows of 16 bits
  size_t embed = ptx.find(".entry take_rows(");
  bool is_bf16 = is_own && ptx.substr(embed, ptx.find(".entry", embed + 8) - embed).find("st.global.u16") != std::string::npos;
  if (is_own && !is_bf16) is_bf16 = ptx.substr(embed, ptx.find(".entry", embed + 8) - embed).find("st.global.b16") != std::string::npos;
  *module = new Module{ptx, is_own, is_bf16, {}};
  return OK;
}
API cuModuleLoadDataEx(void **module, const void *image, unsigned, void *, void **) { return cuModuleLoadData(module, image); }
API cuModuleUnload(void *) { return OK; }
API cuModuleGetFunction(void **function, void *module, const char *name) {
  std::lock_guard<std::mutex> lock(guard);
  Module *from = (Module *)module;
  Kernel *&kernel = from->known[name];
  if (!kernel) {
    if (from->ptx.find(std::string(".entry ") + name + "(") == std::string::npos) {
      fprintf(stderr, "softgpu: the PTX has no kernel %s\n", name);
      return NOT_FOUND;
    }
    Caller own = from->is_own ? own_kernel(name, from->is_bf16) : nullptr;
    kernel = new Kernel{name, own ? nullptr : dlsym(RTLD_DEFAULT, name), own, own ? own_check(name) : nullptr};
  }
  *function = kernel;
  return OK;
}
API cuFuncGetAttribute(int *value, int, void *) { *value = 0; return OK; }
API cuFuncSetAttribute(void *, int, int) { return OK; }
API cuGetErrorName(int error, const char **name) {
  *name = error == OUT_OF_MEMORY    ? "CUDA_ERROR_OUT_OF_MEMORY"
          : error == NO_DEVICE      ? "CUDA_ERROR_NO_DEVICE"
          : error == INVALID_DEVICE ? "CUDA_ERROR_INVALID_DEVICE"
          : error == NOT_FOUND      ? "CUDA_ERROR_NOT_FOUND"
          : error == LAUNCH_FAILED  ? "CUDA_ERROR_LAUNCH_FAILED"
          : error == DRIVER_MISMATCH ? "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"
                                    : "CUDA_ERROR_UNKNOWN";
  return OK;
}
API cuGetErrorString(int error, const char **text) {
  *text = error == OUT_OF_MEMORY    ? "out of memory"
          : error == NO_DEVICE      ? "no CUDA-capable device is detected"
          : error == INVALID_DEVICE ? "invalid device ordinal"
          : error == NOT_FOUND      ? "named symbol not found"
          : error == LAUNCH_FAILED  ? "unspecified launch failure"
          : error == DRIVER_MISMATCH ? "system has unsupported display driver / cuda driver combination"
                                    : "unknown error";
  return OK;
}

typedef size_t Z;
typedef void *P;
template <class T> static T argument(void **all, int at) {
  if constexpr (std::is_pointer_v<T>) check_address((const void *)*(T *)all[at]);
  return *(T *)all[at];
}

static Z strided(Z index, Z rank, const Z *dims, const Z *strides) {
  Z offset = 0;
  for (Z d = rank; d-- > 0; index /= dims[d]) offset += index % dims[d] * strides[d];
  return offset;
}
// candle's block reductions, in the order in which a block of threads adds, so that rounding is theirs.
static void reduce(bool maximum, bool small, void **a, unsigned blocks, unsigned threads) {
  Z n = argument<Z>(a, 0), each = argument<Z>(a, 1), rank = argument<Z>(a, 2);
  const Z *info = argument<const Z *>(a, 3);
  const float *from = argument<const float *>(a, 4);
  float *to = argument<float *>(a, 5);
  auto value = [&](Z at) { return from[strided(at, rank, info, info + rank)]; };
  if (small) {
    for (Z out = 0; out < n; out++) { float sum = 0; for (Z j = 0; j < each; j++) sum += value(out * each + j); to[out] = sum; }
    return;
  }
  std::vector<float> shared(1024);
  for (Z block = 0; block < blocks; block++) {
    for (unsigned t = 0; t < threads; t++) {
      float sum = maximum ? -INFINITY : 0;
      for (Z at = block * each + t; at < std::min(block * each + each, n); at += threads)
        sum = maximum ? fmaxf(sum, value(at)) : sum + value(at);
      shared[t] = sum;
    }
    for (int half = threads / 2; half > 0; half >>= 1)
      for (int t = 0; t < half; t++) shared[t] = maximum ? fmaxf(shared[t], shared[t + half]) : shared[t] + shared[t + half];
    to[block] = shared[0];
  }
}
// An element of a tensor: f32, or bfloat16, which cuBLAS numbers 14.
static float element(const void *matrix, int type, Z at) {
  if (type != 14) return ((const float *)matrix)[at];
  uint32_t bits = (uint32_t)((const uint16_t *)matrix)[at] << 16;
  float value;
  memcpy(&value, &bits, 4);
  return value;
}
static void set_element(void *matrix, int type, Z at, float value) {
  if (type != 14) { ((float *)matrix)[at] = value; return; }
  uint32_t bits;
  memcpy(&bits, &value, 4);
  bits = (bits & 0x7fffffffu) > 0x7f800000u ? bits | 0x400000u : bits + 0x7fffu + ((bits >> 16) & 1u);
  ((uint16_t *)matrix)[at] = (uint16_t)(bits >> 16);
}
// candle's casts to and from bfloat16 are compiled for devices only.
static void cast(int from_type, int to_type, void **a) {
  Z n = argument<Z>(a, 0), rank = argument<Z>(a, 1);
  const Z *info = argument<const Z *>(a, 2);
  for (Z at = 0; at < n; at++)
    set_element(argument<P>(a, 4), to_type, at, element(argument<P>(a, 3), from_type, info ? strided(at, rank, info, info + rank) : at));
}
static int launch(Kernel *kernel, unsigned blocks, unsigned threads, void **a) {
  if (kernel->own) { kernel->check(a); run_grid(kernel->own, a, blocks, threads); return OK; }
  const std::string &name = kernel->name;
  auto is = [&](const char *start) { return name.rfind(start, 0) == 0; };
  if (is("fast_")) { reduce(is("fast_max"), is("fast_sum_small"), a, blocks, threads); return OK; }
  if (is("copy2d_f32")) {
    const float *from = argument<const float *>(a, 0);
    float *to = argument<float *>(a, 1);
    unsigned rows = argument<unsigned>(a, 2), columns = argument<unsigned>(a, 3), from_row = argument<unsigned>(a, 4), to_row = argument<unsigned>(a, 5);
    for (Z i = 0; i < rows; i++) memcpy(to + i * to_row, from + i * from_row, columns * sizeof(float));
    return OK;
  }
  if (is("cast_bf16_f32") || is("cast_f32_bf16")) { bool widens = is("cast_bf16"); cast(widens ? 14 : 0, widens ? 0 : 14, a); return OK; }
  void *f = kernel->on_host;
  if (!f) { fprintf(stderr, "softgpu: kernel %s has no host code\n", name.c_str()); abort(); }
  if (is("affine")) ((void (*)(Z, Z, P, P, P, float, float))f)(argument<Z>(a, 0), argument<Z>(a, 1), argument<P>(a, 2), argument<P>(a, 3), argument<P>(a, 4), argument<float>(a, 5), argument<float>(a, 6));
  else if (is("is_")) ((void (*)(Z, Z, P, P, P, P, Z, Z, Z, Z))f)(argument<Z>(a, 0), argument<Z>(a, 1), argument<P>(a, 2), argument<P>(a, 3), argument<P>(a, 4), argument<P>(a, 5), argument<Z>(a, 6), argument<Z>(a, 7), argument<Z>(a, 8), argument<Z>(a, 9));
  else if (is("ia_")) ((void (*)(P, Z, P, P, Z, Z, Z, Z))f)(argument<P>(a, 0), argument<Z>(a, 1), argument<P>(a, 2), argument<P>(a, 3), argument<Z>(a, 4), argument<Z>(a, 5), argument<Z>(a, 6), argument<Z>(a, 7));
  else if (is("const_set_f32")) ((void (*)(Z, Z, P, float, P))f)(argument<Z>(a, 0), argument<Z>(a, 1), argument<P>(a, 2), argument<float>(a, 3), argument<P>(a, 4));
  else if (is("u") || is("cast_")) ((void (*)(Z, Z, P, P, P))f)(argument<Z>(a, 0), argument<Z>(a, 1), argument<P>(a, 2), argument<P>(a, 3), argument<P>(a, 4));
  else if (is("b") || is("eq_") || is("ge_") || is("gt_") || is("le_") || is("lt_") || is("ne_")) ((void (*)(Z, Z, P, P, P, P))f)(argument<Z>(a, 0), argument<Z>(a, 1), argument<P>(a, 2), argument<P>(a, 3), argument<P>(a, 4), argument<P>(a, 5));
  else { fprintf(stderr, "softgpu: kernel %s has no caller in driver.cpp\n", name.c_str()); abort(); }
  return OK;
}
API cuLaunchKernel(void *function, unsigned blocks, unsigned, unsigned, unsigned threads, unsigned, unsigned, unsigned, void *, void **arguments, void **) {
  Kernel *kernel = (Kernel *)function;
  // an error of a kernel ends the context: all that follows fails too
  static long launched;
  if (fails_at() > 0 && ++launched >= fails_at()) return LAUNCH_FAILED;
  count.launches++;
  submit();
  by_kernel[kernel->name]++;
  return computes() ? launch(kernel, blocks, threads, arguments) : OK;
}

// cuBLAS and cuRAND, as much of them as candle asks for.
API cublasCreate_v2(void **handle) { *handle = (void *)0x55; return OK; }
API cublasDestroy_v2(void *) { return OK; }
API cublasSetStream_v2(void *, void *) { return OK; }
API cublasGemmStridedBatchedEx(void *, int ta, int tb, int m, int n, int k, const void *alpha, const void *A, int type_a, int lda, long long sa, const void *B, int type_b, int ldb, long long sb, const void *, void *C, int type_c, int ldc, long long sc, int batch, int compute, int) {
  count.products++;
  submit();
  count.flop += 2.0 * m * n * k * batch;
  if (!computes()) return OK;
  for (const void *matrix : {A, B, (const void *)C}) check_address(matrix);
  // tensor cores read ten bits of a mantissa in tf32, which cuBLAS numbers 77
  auto operand = [&](const void *matrix, int type, Z at) {
    float value = element(matrix, type, at);
    if (compute != 77 || type == 14) return value;
    uint32_t bits;
    memcpy(&bits, &value, 4);
    if ((bits & 0x7f800000u) != 0x7f800000u) bits = (bits + 0xfffu + ((bits >> 13) & 1u)) & ~0x1fffu;
    memcpy(&value, &bits, 4);
    return value;
  };
  std::vector<float> rows((Z)m * k), columns((Z)n * k);
  for (int each = 0; each < batch; each++) {
    for (int i = 0; i < m; i++)
      for (int l = 0; l < k; l++) rows[(Z)i * k + l] = operand(A, type_a, each * sa + (ta ? l + (Z)i * lda : i + (Z)l * lda));
    for (int j = 0; j < n; j++)
      for (int l = 0; l < k; l++) columns[(Z)j * k + l] = operand(B, type_b, each * sb + (tb ? j + (Z)l * ldb : l + (Z)j * ldb));
    for (int j = 0; j < n; j++)
      for (int i = 0; i < m; i++) {
        const float *row = &rows[(Z)i * k], *column = &columns[(Z)j * k];
        float sum = 0;
        for (int l = 0; l < k; l++) sum += row[l] * column[l];
        set_element(C, type_c, each * sc + i + (Z)j * ldc, *(const float *)alpha * sum);
      }
  }
  return OK;
}
API curandCreateGenerator(void **generator, int) { *generator = (void *)0x66; return OK; }
API curandSetPseudoRandomGeneratorSeed(void *, unsigned long long) { return OK; }
API curandSetStream(void *, void *) { return OK; }
API curandDestroyGenerator(void *) { return OK; }
