// The program's own kernels on the host, with their real grid and blocks. The threads of a block are fibers that take turns
// at __syncthreads, so that a kernel is run as its source says, barriers and shared memory included.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <ucontext.h>
#include <utility>
#include <vector>

struct Place { unsigned x, y, z; };
static Place threadIdx, blockIdx, blockDim, gridDim;

static std::vector<ucontext_t> fibers;
static std::vector<char> stacks, done;
static ucontext_t scheduler;
static unsigned current;
static const size_t STACK = 64 << 10;

static void __syncthreads() { swapcontext(&fibers[current], &scheduler); }
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

struct Named { const char *name; Caller f32, bf16; };
static const Named own[] = {
#include "own_names.inc"
};
Caller own_kernel(const char *name, bool is_bf16) {
  for (const Named &each : own)
    if (!strcmp(each.name, name)) return is_bf16 ? each.bf16 : each.f32;
  return nullptr;
}

static Caller running;
static void **given;
static void fiber() {
  running(given);
  done[current] = 1;
  swapcontext(&fibers[current], &scheduler);
}

void run_grid(Caller kernel, void **arguments, unsigned blocks, unsigned threads) {
  running = kernel;
  given = arguments;
  blockDim = {threads, 1, 1};
  gridDim = {blocks, 1, 1};
  fibers.resize(threads);
  stacks.resize(threads * STACK);
  done.resize(threads);
  for (unsigned block = 0; block < blocks; block++) {
    blockIdx = {block, 0, 0};
    for (unsigned thread = 0; thread < threads; thread++) {
      done[thread] = 0;
      getcontext(&fibers[thread]);
      fibers[thread].uc_stack.ss_sp = &stacks[thread * STACK];
      fibers[thread].uc_stack.ss_size = STACK;
      fibers[thread].uc_link = &scheduler;
      makecontext(&fibers[thread], fiber, 0);
    }
    for (bool any = true; any;) {
      any = false;
      for (current = 0; current < threads; current++)
        if (!done[current]) {
          any = true;
          threadIdx = {current, 0, 0};
          swapcontext(&scheduler, &fibers[current]);
        }
    }
  }
}
