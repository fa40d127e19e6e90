/* SPDX-License-Identifier: Apache-2.0 */
/* library - NVML, opened at run time: each GPU's numbers by its functions. */
#include "source/gpu/gpu.h"

#include "source/gpu/metric.h"
#include "source/gpu/nvml.h"

#include <dlfcn.h>
#include <errno.h>

struct gpu_library {
    void *handle;
    bool is_started;
    int (*init)(void);
    int (*shutdown)(void);
    const char *(*error_text)(int status);
    int (*count)(unsigned *ret);
    int (*device_at)(unsigned index, struct nvml_device **ret);
    int (*pci)(struct nvml_device *device, struct nvml_pci *ret);
    /* The rest may be NULL: an older library has fewer. */
    int (*utilization)(struct nvml_device *device, struct nvml_utilization *ret);
    int (*memory)(struct nvml_device *device, struct nvml_memory *ret);
    int (*power)(struct nvml_device *device, unsigned *ret_mw);
    int (*power_limit)(struct nvml_device *device, unsigned *ret_mw);
    int (*temperature)(struct nvml_device *device, unsigned sensor, unsigned *ret);
    int (*fan)(struct nvml_device *device, unsigned *ret);
    int (*clock)(struct nvml_device *device, unsigned clock, unsigned *ret_mhz);
    int (*ecc)(struct nvml_device *device, unsigned error, unsigned since,
               unsigned long long *ret);
    int (*encoder)(struct nvml_device *device, unsigned *ret, unsigned *ret_us);
    int (*decoder)(struct nvml_device *device, unsigned *ret, unsigned *ret_us);
    int (*processes)(struct nvml_device *device, unsigned *count, void *ret);
    int (*slice_max)(struct nvml_device *device, unsigned *ret);
    int (*slice_at)(struct nvml_device *device, unsigned index,
                    struct nvml_device **ret);
};

/* ---- opening ---- */

/* POSIX has a function's address as a pointer to data here. */
static bool symbol_find(void *handle, const char *name, void *ret)
{
    void *symbol = dlsym(handle, name);
    memcpy(ret, &symbol, sizeof symbol);
    return symbol != NULL;
}

static const char *needed_find(struct gpu_library *l)
{
    const struct {
        const char *name;
        void *ret;
    } needed[] = {
        { "nvmlInit_v2", &l->init },
        { "nvmlShutdown", &l->shutdown },
        { "nvmlErrorString", &l->error_text },
        { "nvmlDeviceGetCount_v2", &l->count },
        { "nvmlDeviceGetHandleByIndex_v2", &l->device_at },
        { "nvmlDeviceGetPciInfo_v3", &l->pci },
    };
    for (size_t i = 0; i < COUNT_OF(needed); i++)
        if (!symbol_find(l->handle, needed[i].name, needed[i].ret))
            return needed[i].name;
    return NULL;
}

static void others_find(struct gpu_library *l)
{
    const struct {
        const char *name;
        void *ret;
    } others[] = {
        { "nvmlDeviceGetUtilizationRates", &l->utilization },
        { "nvmlDeviceGetMemoryInfo", &l->memory },
        { "nvmlDeviceGetPowerUsage", &l->power },
        { "nvmlDeviceGetPowerManagementLimit", &l->power_limit },
        { "nvmlDeviceGetTemperature", &l->temperature },
        { "nvmlDeviceGetFanSpeed", &l->fan },
        { "nvmlDeviceGetClockInfo", &l->clock },
        { "nvmlDeviceGetTotalEccErrors", &l->ecc },
        { "nvmlDeviceGetEncoderUtilization", &l->encoder },
        { "nvmlDeviceGetDecoderUtilization", &l->decoder },
        { "nvmlDeviceGetMaxMigDeviceCount", &l->slice_max },
        { "nvmlDeviceGetMigDeviceHandleByIndex", &l->slice_at },
    };
    for (size_t i = 0; i < COUNT_OF(others); i++)
        (void)symbol_find(l->handle, others[i].name, others[i].ret);
    /* Only the number is wanted, of which all versions have the same form. */
    if (!symbol_find(l->handle, "nvmlDeviceGetComputeRunningProcesses_v3",
                     &l->processes))
        (void)symbol_find(l->handle, "nvmlDeviceGetComputeRunningProcesses_v2",
                          &l->processes);
}

int gpu_library_open(const char *path, struct gpu_library **ret, struct err *err)
{
    AUTO(gpu_library_free) struct gpu_library *l = calloc(1, sizeof *l);
    if (!l)
        return err_set(err, ENOMEM, "out of memory");
    l->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!l->handle) {
        const char *why = dlerror();
        return err_set(err, ENOENT, "%s", why ? why : path);
    }
    const char *missing = needed_find(l);
    if (missing)
        return err_set(err, ENOSYS, "%s has no %s", path, missing);
    others_find(l);
    int status = l->init();
    if (status != NVML_DONE) {
        const char *why = l->error_text(status);
        return err_set(err, ENODEV, "%s does not start: %s", path,
                       why ? why : "unknown error");
    }
    l->is_started = true;
    *ret = TAKE(l);
    return 0;
}

void gpu_library_free(struct gpu_library *l)
{
    if (!l)
        return;
    if (l->is_started)
        (void)l->shutdown();
    if (l->handle)
        (void)dlclose(l->handle);
    free(l);
}

/* ---- one reading ---- */

struct reading {
    struct gpu_library *library;
    const struct gpu_reader *reader;
    struct gpu_value value;
    bool has_complained; /* of this GPU */
};

static void reading_complain(struct reading *r, int status)
{
    char text[200];
    const char *why = r->library->error_text(status);
    if (r->has_complained)
        return;
    r->has_complained = true;
    (void)snprintf(text, sizeof text, "%s: %s", r->value.pci,
                   why ? why : "unknown error");
    r->reader->complain(r->reader->arg, text);
}

/* What this GPU does not have, or does not show to this user, is no error. */
static bool reading_has(struct reading *r, int status)
{
    if (status != NVML_DONE && status != NVML_NOT_SUPPORTED &&
        status != NVML_NO_PERMISSION && status != NVML_INVALID &&
        status != NVML_NOT_FOUND)
        reading_complain(r, status);
    return status == NVML_DONE;
}

static void reading_give(struct reading *r, enum gpu_metric metric, double value)
{
    r->value.metric = gpu_metric_names[metric].name;
    r->value.unit = gpu_metric_names[metric].unit;
    r->value.value = value;
    r->reader->value(r->reader->arg, &r->value);
}

static void memory_read(struct reading *r, struct nvml_device *device)
{
    struct nvml_memory memory = { 0 };
    const double mib = 1024 * 1024;
    if (!r->library->memory || !reading_has(r, r->library->memory(device, &memory)))
        return;
    reading_give(r, GPU_MEMORY_USED, (double)memory.used / mib);
    reading_give(r, GPU_MEMORY_TOTAL, (double)memory.total / mib);
}

static void load_read(struct reading *r, struct nvml_device *device)
{
    const struct gpu_library *l = r->library;
    struct nvml_utilization utilization = { 0 };
    unsigned count = 0, percent = 0, us = 0;
    if (l->utilization && reading_has(r, l->utilization(device, &utilization))) {
        reading_give(r, GPU_UTILIZATION, utilization.gpu);
        reading_give(r, GPU_MEMORY_UTILIZATION, utilization.memory);
    }
    if (l->encoder && reading_has(r, l->encoder(device, &percent, &us)))
        reading_give(r, GPU_ENCODER, percent);
    if (l->decoder && reading_has(r, l->decoder(device, &percent, &us)))
        reading_give(r, GPU_DECODER, percent);
    if (!l->processes)
        return;
    int status = l->processes(device, &count, NULL);
    if (status == NVML_TOO_SMALL || reading_has(r, status))
        reading_give(r, GPU_PROCESSES, count);
}

static void board_read(struct reading *r, struct nvml_device *device)
{
    const struct gpu_library *l = r->library;
    unsigned number = 0;
    unsigned long long errors = 0;
    if (l->power && reading_has(r, l->power(device, &number)))
        reading_give(r, GPU_POWER, number / 1000.0);
    if (l->power_limit && reading_has(r, l->power_limit(device, &number)))
        reading_give(r, GPU_POWER_LIMIT, number / 1000.0);
    if (l->temperature &&
        reading_has(r, l->temperature(device, NVML_SENSOR_GPU, &number)))
        reading_give(r, GPU_TEMPERATURE, number);
    if (l->fan && reading_has(r, l->fan(device, &number)))
        reading_give(r, GPU_FAN, number);
    for (unsigned i = NVML_GRAPHICS; l->clock && i <= NVML_VIDEO; i++)
        if (reading_has(r, l->clock(device, i, &number)))
            reading_give(r, (enum gpu_metric)(GPU_CLOCK_GRAPHICS + i), number);
    for (unsigned i = NVML_CORRECTED; l->ecc && i <= NVML_UNCORRECTED; i++)
        if (reading_has(r, l->ecc(device, i, NVML_SINCE_EVER, &errors)))
            reading_give(r, (enum gpu_metric)(GPU_ECC_CORRECTED + i), (double)errors);
}

/* Of a slice of MIG the library has its memory; there is no utilisation of it. */
static void slices_read(struct reading *r, struct nvml_device *device)
{
    const struct gpu_library *l = r->library;
    unsigned count = 0;
    if (!l->slice_max || !l->slice_at || !reading_has(r, l->slice_max(device, &count)))
        return;
    for (unsigned i = 0; i < count && i < GPU_SLICES_MAX; i++) {
        struct nvml_device *slice = NULL;
        if (!reading_has(r, l->slice_at(device, i, &slice)))
            continue;
        r->value.slice = (int)i;
        memory_read(r, slice);
    }
    r->value.slice = -1;
}

static void device_read(struct reading *r, unsigned index)
{
    const struct gpu_library *l = r->library;
    struct nvml_device *device = NULL;
    struct nvml_pci pci = { 0 };
    r->has_complained = false;
    r->value = (struct gpu_value){ .slice = -1 };
    (void)snprintf(r->value.pci, sizeof r->value.pci, "GPU %u", index);
    if (!reading_has(r, l->device_at(index, &device)) ||
        !reading_has(r, l->pci(device, &pci)))
        return;
    (void)snprintf(r->value.pci, sizeof r->value.pci, "%08X:%02X:%02X.0", pci.domain,
                   pci.bus & 0xFF, pci.device & 0xFF);
    load_read(r, device);
    memory_read(r, device);
    board_read(r, device);
    slices_read(r, device);
}

int gpu_library_read(struct gpu_library *l, const struct gpu_reader *reader,
                     struct err *err)
{
    struct reading r = { .library = l, .reader = reader };
    unsigned count = 0;
    int status = l->count(&count);
    if (status != NVML_DONE) {
        const char *why = l->error_text(status);
        return err_set(err, EIO, "GPUs cannot be counted: %s",
                       why ? why : "unknown error");
    }
    for (unsigned i = 0; i < count && i < GPU_DEVICES_MAX; i++)
        device_read(&r, i);
    return 0;
}
