// What NVML reports of the pretended GPUs: fixed numbers, so that a test can expect them.
#include <stdio.h>
#include <stdlib.h>

typedef struct { unsigned version; unsigned long long total, reserved, unused, used; } Memory;
typedef struct { unsigned gpu, memory; } Utilization;
enum { SUCCESS = 0, NOT_FOUND = 6 };

static unsigned long long setting(const char *name, unsigned long long otherwise) {
  const char *value = getenv(name);
  return value && *value ? strtoull(value, 0, 10) : otherwise;
}

int nvmlInit_v2(void) { return SUCCESS; }
int nvmlShutdown(void) { return SUCCESS; }
int nvmlDeviceGetCount_v2(unsigned *count) { *count = setting("SOFTGPU_DEVICES", 1); return SUCCESS; }
// A handle is the number of the device plus one.
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device) {
  if (index >= setting("SOFTGPU_DEVICES", 1)) return NOT_FOUND;
  *device = (void *)(size_t)(index + 1);
  return SUCCESS;
}
int nvmlDeviceGetName(void *device, char *name, unsigned size) { snprintf(name, size, "softgpu"); return SUCCESS; }
int nvmlDeviceGetMemoryInfo_v2(void *device, Memory *memory) {
  memory->total = setting("SOFTGPU_MEM", 1ull << 40);
  memory->reserved = 0;
  memory->used = 2000000000;
  memory->unused = memory->total - memory->used;
  return SUCCESS;
}
int nvmlDeviceGetCudaComputeCapability(void *device, int *major, int *minor) { *major = 8; *minor = 0; return SUCCESS; }
int nvmlDeviceGetUtilizationRates(void *device, Utilization *rates) { rates->gpu = 40; rates->memory = 20; return SUCCESS; }
int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts) { *milliwatts = 150000; return SUCCESS; }
int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *degrees) { *degrees = 50 + (size_t)device; return SUCCESS; }
