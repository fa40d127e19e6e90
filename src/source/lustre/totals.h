/* SPDX-License-Identifier: Apache-2.0 */
/* totals - every total that a server keeps, below a root.
 *
 * Which file has it moved over the years; the folder of the device is looked at first,
 * then those of the storage below it (osd-ldiskfs, osd-zfs):
 *
 *     1.8         mds/NAME/stats                  obdfilter/NAME/kbytesfree
 *     2.0         mdt/NAME/md_stats               obdfilter/NAME/kbytesfree
 *     2.4 - 2.11  the same                        osd-X/NAME/kbytesfree, brw_stats
 *     2.12 -      files in proc, sysfs and debugfs (see targets.h)
 */
#ifndef SOURCE_LUSTRE_TOTALS_H
#define SOURCE_LUSTRE_TOTALS_H

#include "base/err.h"
#include "source/lustre/stats.h"

struct lustre_total {
    struct span target; /* empty: of the whole server */
    enum target_kind kind;
    const char *file; /* "md_stats" */
    struct lustre_reading reading;
};

struct lustre_totals {
    int (*total)(void *arg, const struct lustre_total *total);
    /* A line that cannot be read; or, with line 0, a file: text says why. */
    void (*fault)(void *arg, const char *path, uint64_t line, struct span text);
    void *arg;
};

/* Read all there is: MDTs first, in the order of their names.  A root without Lustre
 * has none, which is no error.
 * Errors: what total returned; -EACCES (nothing was found, and a folder may not be
 * read), -ENAMETOOLONG, -ENOMEM. */
int lustre_read_totals(const char *root, const struct lustre_totals *totals,
                       struct err *err);

/* The same out of what lctl get_param prints, of any number of parameters:
 *
 *     obdfilter.scratch-OST0001.stats=
 *     snapshot_time             1669010520.123456789 secs.nsecs
 *     osd-ldiskfs.scratch-OST0001.kbytesfree=48000000000
 *
 * Parameters that are no totals are passed over with their values.  Spans point into
 * text; a fault's path is the parameter.  Errors: what total returned.
 */
int lustre_read_totals_text(struct span text, const struct lustre_totals *totals);

/* Every file of totals below root, for those who print them so. */
typedef int lustre_total_file_fn(void *arg, const char *param, const char *path);
/* Errors: as lustre_read_totals(). */
int lustre_find_total_files(const char *root, lustre_total_file_fn *fn, void *arg,
                            struct err *err);

#endif
