/* SPDX-License-Identifier: Apache-2.0 */
/* gpu - what NVIDIA's management library (NVML) reports of each GPU; the room's door.
 *
 *     libnvidia-ml.so.1 ─dlopen─▶ gpu_library_read ─▶ gpu_value ─▶ a line ─▶ the agent
 *                      (baro-gpu-read, a process of its own)      gpu_line_parse
 *
 * The library runs code of a driver, which may hang or end its process: no daemon
 * opens it.  Names and units are those of ClusterCockpit (doc/node-metrics.md).  What
 * the library, or this GPU, does not have is left out.
 *
 * Threads  one at a time.
 */
#ifndef SOURCE_GPU_GPU_H
#define SOURCE_GPU_GPU_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/span_type.h"
#include "base/strbuf.h"

#include <stdint.h>

#define GPU_LIBRARY "libnvidia-ml.so.1"
#define GPU_DEVICES_MAX 64
#define GPU_SLICES_MAX 16 /* of a GPU, by MIG */
#define GPU_LINE_MAX 256  /* bytes, with its end */
/* Of one reading: each of the metrics of each GPU, and memory of its slices. */
#define GPU_LINES_MAX ((size_t)GPU_DEVICES_MAX * (32 + 2 * GPU_SLICES_MAX))
#define GPU_PCI_BYTES 24

struct gpu_value {
    const char *metric, *unit; /* static */
    char pci[GPU_PCI_BYTES];   /* "00000000:49:00.0": domain, bus, device */
    int slice;                 /* of MIG, by its index; -1: the GPU itself */
    double value;
};

/* ---- the library ---- */

struct gpu_library;

/* path: a file, or a name that the linker finds.  Errors: -ENOENT (it cannot be
 * loaded), -ENOSYS (it lacks a function that is needed), -ENODEV (it does not start: no
 * driver), -ENOMEM. */
int gpu_library_open(const char *path, struct gpu_library **ret, struct err *err);
void gpu_library_free(struct gpu_library *library);
DEFINE_AUTO(struct gpu_library, gpu_library_free);

struct gpu_reader {
    void (*value)(void *arg, const struct gpu_value *value);
    /* A GPU, or one of its numbers, cannot be read; once a GPU and reading. */
    void (*complain)(void *arg, const char *text);
    void *arg;
};
/* Errors: -EIO (no GPU can be counted any more: open it anew). */
int gpu_library_read(struct gpu_library *library, const struct gpu_reader *reader,
                     struct err *err);

/* ---- what the process prints ----
 *
 *     acc_power 00000000:49:00.0 - 250.5      value of the GPU
 *     acc_mem_used 00000000:49:00.0 0 1024    of its slice 0
 *     error 00000000:4a:00.0: GPU is lost
 *     end 7                                   of request 7 that was all
 */
enum gpu_line_kind { GPU_LINE_VALUE, GPU_LINE_ERROR, GPU_LINE_END };

struct gpu_line {
    enum gpu_line_kind kind;
    struct gpu_value value; /* of GPU_LINE_VALUE */
    struct span text;       /* of GPU_LINE_ERROR: points into the line */
    uint64_t request;       /* of GPU_LINE_END */
};

void gpu_value_print(const struct gpu_value *value, struct strbuf *out);
void gpu_error_print(const char *text, struct strbuf *out);
/* One line without its end, from a process that is not trusted.  Errors: -EBADMSG. */
int gpu_line_parse(struct span line, struct gpu_line *ret);

/* ---- the process ---- */

/* What it gives up before it opens the library: network, programs, files written,
 * other processes (no_new_privs, capabilities, limits, a filter of system calls; on
 * processors that the filter is not written for there is none).  Errors: of prctl,
 * setrlimit, seccomp.
 * results: where it prints; if that is a file, files can be written, but none made. */
int gpu_confine(int results, struct err *err);
/* Standard input has lines "read NUMBER"; for each all values go to standard output,
 * then "end NUMBER".  Dies with its parent.  What the library itself prints there is
 * lost, and stays so.  Returns at the end of the input.  Errors: those above; the
 * reason was printed. */
int gpu_serve(const char *library);

#endif
