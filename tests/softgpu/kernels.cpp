// The program's own kernels on the host, with their real grid and blocks. The threads of a block are fibers that take turns
// at __syncthreads, so that a kernel is run as its source says, barriers and shared memory included.
#undef _FORTIFY_SOURCE
#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <type_traits>
#include <ucontext.h>
#include <utility>
#include <vector>

struct Place { unsigned x, y, z; };
static Place threadIdx, blockIdx, blockDim, gridDim;

// A fiber is made once and runs one thread of block after block. Jumps switch between fibers, which swapcontext would do with
// two system calls.
static std::vector<char *> stacks;
static std::vector<char> done;
static jmp_buf fibers[1024], scheduler;
static unsigned current;
static const size_t STACK = 64 << 10;

static __attribute__((noinline)) void __syncthreads() { if (!_setjmp(fibers[current])) _longjmp(scheduler, 1); }
static float __uint_as_float(unsigned bits) { float value; memcpy(&value, &bits, 4); return value; }
static unsigned __float_as_uint(float value) { unsigned bits; memcpy(&bits, &value, 4); return bits; }
#define __device__
#define __global__ static
#define __shared__ static
namespace f32 {
#include "own.inc"
}
namespace bf16 {
#define BF16
#include "own.inc"
}

typedef void (*Caller)(void **arguments);
template <class... A, size_t... I> static void call(void (*kernel)(A...), void **arguments, std::index_sequence<I...>) {
  kernel(*(A *)arguments[I]...);
}
template <class... A> static void call(void (*kernel)(A...), void **arguments) {
  call(kernel, arguments, std::index_sequence_for<A...>());
}

void check_address(const void *address);
template <class A> static void check_argument(const void *argument) {
  if constexpr (std::is_pointer_v<A>) check_address(*(const void *const *)argument);
}
template <class... A, size_t... I> static void check(void (*)(A...), void **arguments, std::index_sequence<I...>) {
  (check_argument<A>(arguments[I]), ...);
}
template <class... A> static void check(void (*kernel)(A...), void **arguments) {
  check(kernel, arguments, std::index_sequence_for<A...>());
}

struct Named { const char *name; Caller f32, bf16, check; };
static const Named own[] = {
#include "own_names.inc"
};
Caller own_kernel(const char *name, bool is_bf16) {
  for (const Named &each : own)
    if (!strcmp(each.name, name)) return is_bf16 ? each.bf16 : each.f32;
  return nullptr;
}
Caller own_check(const char *name) {
  for (const Named &each : own)
    if (!strcmp(each.name, name)) return each.check;
  return nullptr;
}

static Caller running;
static void **given;
static ucontext_t maker;
static void fiber() {
  for (;;) {
    running(given);
    done[current] = 1;
    __syncthreads();
  }
}
static void make_fiber() {
  stacks.push_back((char *)malloc(STACK));
  done.push_back(1);
  ucontext_t context;
  getcontext(&context);
  context.uc_stack.ss_sp = stacks.back();
  context.uc_stack.ss_size = STACK;
  makecontext(&context, [] {
    if (!_setjmp(fibers[current])) setcontext(&maker);
    fiber();
  }, 0);
  current = stacks.size() - 1;
  swapcontext(&maker, &context);
}

void run_grid(Caller kernel, void **arguments, unsigned blocks, unsigned threads) {
  static std::mutex one_at_a_time;
  std::lock_guard<std::mutex> lock(one_at_a_time);
  running = kernel;
  given = arguments;
  blockDim = {threads, 1, 1};
  gridDim = {blocks, 1, 1};
  while (stacks.size() < threads) make_fiber();
  for (unsigned block = 0; block < blocks; block++) {
    blockIdx = {block, 0, 0};
    std::fill(done.begin(), done.begin() + threads, 0);
    for (bool any = true; any;) {
      any = false;
      for (current = 0; current < threads; current++)
        if (!done[current]) {
          any = true;
          threadIdx = {current, 0, 0};
          if (!_setjmp(scheduler)) _longjmp(fibers[current], 1);
        }
    }
  }
}
