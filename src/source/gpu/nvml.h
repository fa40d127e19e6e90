/* SPDX-License-Identifier: Apache-2.0 */
/* nvml - the calling convention of the few functions of NVML that are used: facts of
 * its ABI, so that neither its header nor its library is needed to build.
 *
 * A function's name ends with the version of its ABI (_v2, _v3): a library that goes
 * on has the old ones, too.
 */
#ifndef SOURCE_GPU_NVML_H
#define SOURCE_GPU_NVML_H

enum nvml_status {
    NVML_DONE = 0,
    NVML_INVALID = 2,
    NVML_NOT_SUPPORTED = 3,
    NVML_NO_PERMISSION = 4,
    NVML_NOT_FOUND = 6,
    NVML_TOO_SMALL = 7, /* of an array: its count was stored */
    NVML_GPU_LOST = 15,
};

enum nvml_clock { NVML_GRAPHICS, NVML_SM, NVML_MEMORY, NVML_VIDEO };
enum nvml_error { NVML_CORRECTED, NVML_UNCORRECTED };
enum nvml_since { NVML_SINCE_START, NVML_SINCE_EVER };
#define NVML_SENSOR_GPU 0U

struct nvml_device; /* opaque */

struct nvml_pci {
    char name_old[16];
    unsigned domain, bus, device, id, subsystem;
    char name[32];
};

struct nvml_utilization {
    unsigned gpu, memory; /* percent */
};

struct nvml_memory {
    unsigned long long total, free, used; /* bytes */
};

#endif
