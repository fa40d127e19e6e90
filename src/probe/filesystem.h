/* SPDX-License-Identifier: Apache-2.0 */
/* filesystem - what a probe must know of the file system that it measures. */
#ifndef PROBE_FILESYSTEM_H
#define PROBE_FILESYSTEM_H

#include "base/err.h"

#include <stdint.h>

#define FILESYSTEM_NAME_BYTES 128

struct filesystem {
    char name[FILESYSTEM_NAME_BYTES];
    double peak_bytes_per_s; /* 0: not known */
    int64_t measure_ns;      /* how long a phase is to last at the peak */
    double core_hours;       /* the most that one call may use; 0: no limit */
};

/* The section [filesystem NAME] of the site file (doc/formats/site.md), by name, or the
 * one whose path is the longest that dir is below.  path NULL: nothing is known, and
 * name is what the file system is called, or "unknown".  Errors: -EINVAL with a remedy,
 * what the file says. */
int filesystem_read(const char *path, const char *name, const char *dir,
                    struct filesystem *ret, struct err *err);

#endif
