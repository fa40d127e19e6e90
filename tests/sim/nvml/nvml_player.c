/* SPDX-License-Identifier: Apache-2.0 */
/* nvml_player - stands in for libnvidia-ml.so.1: GPUs as a file beside it has them.
 *
 *     gpus       mode ok
 *                0 73 0 util 12 mem_util 3 used_mib 1024 ... slices 0
 *
 * A line each GPU: domain, bus and device, then words with a number each; what has no
 * word is not supported.  The file is read anew at each reading.  Modes:
 *
 *     ok | hang (a call does not return) | die (a call ends the process)
 *     lost (GPU 1 is lost) | gone (they cannot be counted) | noisy (prints to stdout)
 *     reach (util is how many things it could do that the process gave up)
 */
#include "source/gpu/nvml.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define GPUS_MAX 128
#define WORDS_MAX 24

struct nvml_device {
    unsigned index;
    unsigned domain, bus, device;
    unsigned count;
    char names[WORDS_MAX][24];
    unsigned long long numbers[WORDS_MAX];
    struct nvml_device *slices; /* GPUs have them, slices not */
};

static struct nvml_device gpus[GPUS_MAX], slices[GPUS_MAX][16];
static unsigned gpu_count;
static char mode[16] = "ok";

/* Of the ABI. */
int nvmlInit_v2(void);
int nvmlShutdown(void);
const char *nvmlErrorString(int status);
int nvmlDeviceGetCount_v2(unsigned *ret);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, struct nvml_device **ret);
int nvmlDeviceGetPciInfo_v3(struct nvml_device *device, struct nvml_pci *ret);
int nvmlDeviceGetUtilizationRates(struct nvml_device *device,
                                  struct nvml_utilization *ret);
int nvmlDeviceGetMemoryInfo(struct nvml_device *device, struct nvml_memory *ret);
int nvmlDeviceGetPowerUsage(struct nvml_device *device, unsigned *ret);
int nvmlDeviceGetPowerManagementLimit(struct nvml_device *device, unsigned *ret);
int nvmlDeviceGetTemperature(struct nvml_device *device, unsigned sensor,
                             unsigned *ret);
int nvmlDeviceGetFanSpeed(struct nvml_device *device, unsigned *ret);
int nvmlDeviceGetClockInfo(struct nvml_device *device, unsigned clock, unsigned *ret);
int nvmlDeviceGetTotalEccErrors(struct nvml_device *device, unsigned error,
                                unsigned since, unsigned long long *ret);
int nvmlDeviceGetEncoderUtilization(struct nvml_device *device, unsigned *ret,
                                    unsigned *ret_us);
int nvmlDeviceGetComputeRunningProcesses_v3(struct nvml_device *device, unsigned *count,
                                            void *ret);
int nvmlDeviceGetMaxMigDeviceCount(struct nvml_device *device, unsigned *ret);
int nvmlDeviceGetMigDeviceHandleByIndex(struct nvml_device *device, unsigned index,
                                        struct nvml_device **ret);

/* ---- the file ---- */

static unsigned long long digits_read(const char *word)
{
    unsigned long long number = 0;
    for (; word && *word >= '0' && *word <= '9'; word++)
        number = 10 * number + (unsigned long long)(*word - '0');
    return number;
}

static void gpu_parse(char *line)
{
    char *rest = NULL, *word = strtok_r(line, " \n", &rest);
    if (!word || *word == '#')
        return;
    if (strcmp(word, "mode") == 0) {
        word = strtok_r(NULL, " \n", &rest);
        (void)snprintf(mode, sizeof mode, "%s", word ? word : "ok");
        return;
    }
    if (gpu_count == GPUS_MAX)
        return;
    struct nvml_device *gpu = &gpus[gpu_count];
    *gpu = (struct nvml_device){ .index = gpu_count, .slices = slices[gpu_count] };
    gpu_count++;
    gpu->domain = (unsigned)digits_read(word);
    gpu->bus = (unsigned)digits_read(strtok_r(NULL, " \n", &rest));
    gpu->device = (unsigned)digits_read(strtok_r(NULL, " \n", &rest));
    while ((word = strtok_r(NULL, " \n", &rest)) && gpu->count < WORDS_MAX) {
        (void)snprintf(gpu->names[gpu->count], sizeof gpu->names[0], "%s", word);
        word = strtok_r(NULL, " \n", &rest);
        gpu->numbers[gpu->count++] = digits_read(word);
    }
}

static int truth_read(void)
{
    Dl_info self;
    char path[4096], line[1024];
    if (!dladdr((void *)&gpu_count, &self) || !self.dli_fname)
        return 999;
    const char *slash = strrchr(self.dli_fname, '/');
    (void)snprintf(path, sizeof path, "%.*s/gpus",
                   slash ? (int)(slash - self.dli_fname) : 1,
                   slash ? self.dli_fname : ".");
    FILE *file = fopen(path, "re");
    if (!file)
        return 9; /* no driver */
    gpu_count = 0;
    while (fgets(line, sizeof line, file))
        gpu_parse(line);
    (void)fclose(file);
    return NVML_DONE;
}

static int number_of(const struct nvml_device *device, const char *name,
                     unsigned long long *ret)
{
    for (unsigned i = 0; i < device->count; i++)
        if (strcmp(device->names[i], name) == 0) {
            *ret = device->numbers[i];
            return NVML_DONE;
        }
    return NVML_NOT_SUPPORTED;
}

static int small_of(const struct nvml_device *device, const char *name, unsigned *ret)
{
    unsigned long long number;
    int status = number_of(device, name, &number);
    if (strcmp(mode, "lost") == 0 && device->index == 1)
        return NVML_GPU_LOST;
    if (status == NVML_DONE)
        *ret = (unsigned)number;
    return status;
}

/* ---- what the process must not be able to do ---- */

static unsigned reach_count(void)
{
    unsigned count = 0;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    count += fd >= 0;
    fd = socket(AF_INET6, SOCK_DGRAM, 0);
    count += fd >= 0;
    fd = open("/tmp/baro-nvml-player", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    count += fd >= 0 && write(fd, "x", 1) == 1;
    count += syscall(SYS_tgkill, getppid(), getppid(), 0) == 0;
    count += fchmod(STDERR_FILENO, 0666) == 0;
    pid_t child = fork();
    if (child == 0) {
        (void)execl("/bin/true", "true", (char *)NULL);
        _exit(1);
    }
    int status = 1;
    count += child > 0 && waitpid(child, &status, 0) == child && status == 0;
    return count;
}

/* ---- the functions ---- */

int nvmlInit_v2(void)
{
    return truth_read();
}

int nvmlShutdown(void)
{
    return NVML_DONE;
}

const char *nvmlErrorString(int status)
{
    return status == NVML_GPU_LOST ? "GPU is lost"
           : status == 9           ? "Driver Not Loaded"
                                   : "Unknown Error";
}

int nvmlDeviceGetCount_v2(unsigned *ret)
{
    int status = truth_read();
    if (strcmp(mode, "gone") == 0)
        return 999;
    *ret = gpu_count;
    return status;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, struct nvml_device **ret)
{
    if (index >= gpu_count)
        return NVML_INVALID;
    *ret = &gpus[index];
    return NVML_DONE;
}

int nvmlDeviceGetPciInfo_v3(struct nvml_device *device, struct nvml_pci *ret)
{
    *ret = (struct nvml_pci){ .domain = device->domain,
                              .bus = device->bus,
                              .device = device->device };
    return NVML_DONE;
}

int nvmlDeviceGetUtilizationRates(struct nvml_device *device,
                                  struct nvml_utilization *ret)
{
    int status = small_of(device, "util", &ret->gpu);
    if (strcmp(mode, "noisy") == 0) {
        (void)printf("acc_power 00000000:FF:00.0 - 666\nnot of the protocol\n");
        (void)fflush(stdout);
    }
    if (strcmp(mode, "reach") == 0)
        ret->gpu = reach_count();
    while (strcmp(mode, "hang") == 0 && device->index == 1)
        (void)pause();
    if (strcmp(mode, "die") == 0 && device->index == 1)
        abort();
    return status == NVML_DONE ? small_of(device, "mem_util", &ret->memory) : status;
}

int nvmlDeviceGetMemoryInfo(struct nvml_device *device, struct nvml_memory *ret)
{
    int status = number_of(device, "used_mib", &ret->used);
    if (status == NVML_DONE)
        status = number_of(device, "total_mib", &ret->total);
    ret->used <<= 20;
    ret->total <<= 20;
    ret->free = ret->total - ret->used;
    return status;
}

int nvmlDeviceGetPowerUsage(struct nvml_device *device, unsigned *ret)
{
    return small_of(device, "power_mw", ret);
}

int nvmlDeviceGetPowerManagementLimit(struct nvml_device *device, unsigned *ret)
{
    return small_of(device, "limit_mw", ret);
}

int nvmlDeviceGetTemperature(struct nvml_device *device, unsigned sensor, unsigned *ret)
{
    return sensor == NVML_SENSOR_GPU ? small_of(device, "temp", ret) : NVML_INVALID;
}

int nvmlDeviceGetFanSpeed(struct nvml_device *device, unsigned *ret)
{
    return small_of(device, "fan", ret);
}

int nvmlDeviceGetClockInfo(struct nvml_device *device, unsigned clock, unsigned *ret)
{
    static const char *const names[] = { "graphics_mhz", "sm_mhz", "mem_mhz",
                                         "video_mhz" };
    return clock < 4 ? small_of(device, names[clock], ret) : NVML_INVALID;
}

int nvmlDeviceGetTotalEccErrors(struct nvml_device *device, unsigned error,
                                unsigned since, unsigned long long *ret)
{
    (void)since;
    return number_of(device, error == NVML_CORRECTED ? "corrected" : "uncorrected",
                     ret);
}

int nvmlDeviceGetEncoderUtilization(struct nvml_device *device, unsigned *ret,
                                    unsigned *ret_us)
{
    *ret_us = 0;
    return small_of(device, "encoder", ret);
}

int nvmlDeviceGetComputeRunningProcesses_v3(struct nvml_device *device, unsigned *count,
                                            void *ret)
{
    unsigned capacity = *count;
    (void)ret;
    int status = small_of(device, "processes", count);
    return status == NVML_DONE && *count > capacity ? NVML_TOO_SMALL : status;
}

int nvmlDeviceGetMaxMigDeviceCount(struct nvml_device *device, unsigned *ret)
{
    int status = small_of(device, "slices", ret);
    return status == NVML_NOT_SUPPORTED ? NVML_DONE : status;
}

/* Slice i has 100 * (i + 1) MiB of the GPU's memory, and there is no slice 1. */
int nvmlDeviceGetMigDeviceHandleByIndex(struct nvml_device *device, unsigned index,
                                        struct nvml_device **ret)
{
    if (!device->slices || index > 15 || index == 1)
        return NVML_NOT_FOUND;
    struct nvml_device *slice = &device->slices[index];
    *slice = (struct nvml_device){ .count = 2,
                                   .names = { "used_mib", "total_mib" },
                                   .numbers = { 100ULL * (index + 1), 10000 } };
    *ret = slice;
    return NVML_DONE;
}
