/* SPDX-License-Identifier: Apache-2.0 */
/* targets - which targets a server serves, and where their files are, below a root.
 *
 *     ROOT/proc/fs/lustre/            up to 2.11 everything, later what is left of it
 *     ROOT/sys/fs/lustre/             from 2.12 the small files
 *     ROOT/sys/kernel/debug/lustre/   from 2.12 the long ones; for root only
 *         mdt/scratch-MDT0000/job_stats
 *         obdfilter/scratch-OST0001/job_stats
 *
 * Files move from one to the next with the releases, so each is looked for in all three
 * places and the first that has it counts.  ROOT is "/" on a server.
 */
#ifndef SOURCE_LUSTRE_TARGETS_H
#define SOURCE_LUSTRE_TARGETS_H

#include "base/err.h"
#include "model/model.h"

#define LUSTRE_PATH_MAX 4096

/* All texts are valid during the call only. */
struct lustre_target {
    enum target_kind kind; /* by its folder, whatever its name says */
    const char *name;      /* "scratch-OST0001" */
    const char *job_stats; /* path of the file */
    const char *cleanup;   /* path of its job_cleanup_interval; NULL: there is none */
};

/* A negative return ends the search and is returned. */
typedef int lustre_target_fn(void *arg, const struct lustre_target *target);

/* Call fn for each target that keeps job_stats below root: MDTs first; place by place,
 * and there in the order of their names.  No target at all is no error.
 * Errors: what fn returned; -EACCES (nothing was found, and a folder may not be read:
 * err names it), -ENAMETOOLONG, -ENOMEM. */
int lustre_find_targets(const char *root, lustre_target_fn *fn, void *arg,
                        struct err *err);

/* A folder of a target, whatever files it holds. */
struct lustre_device {
    enum target_kind kind;
    const char *folder; /* "mdt", "obdfilter"; up to 1.8 "mds" */
    const char *name;
};

typedef int lustre_device_fn(void *arg, const struct lustre_device *device);

/* The same for each target that has a folder; a name is shown once for each kind. */
int lustre_find_devices(const char *root, lustre_device_fn *fn, void *arg,
                        struct err *err);

/* The path of a file of one device: ("obdfilter", "scratch-OST0001", "stats").  device
 * may be a pattern: "osd-*".  name NULL: a file of Lustre itself ("health_check").
 * Errors: -ENOENT, -EACCES (a folder on the way may not be read), -ENAMETOOLONG. */
int lustre_find_file(const char *root, const char *device, const char *name,
                     const char *file, char path[static LUSTRE_PATH_MAX]);

#endif
