/* SPDX-License-Identifier: Apache-2.0 */
/* checkpoint_import - what cc-metric-store stored on disk, host by host, into a target.
 *
 *     DIRECTORY/CLUSTER/HOST/1700000000.json ─┐
 *                            1700043200.bin ──┼▶ series, values ─▶ import_target
 *                            current.wal ─────┘
 *
 * Files of a host are read in order of their time, its log last.  A damaged file costs
 * what follows in it; a log that ends within a record is cut there, as after a crash.
 */
#ifndef MIGRATE_CHECKPOINT_IMPORT_H
#define MIGRATE_CHECKPOINT_IMPORT_H

#include "migrate/import_target.h"
#include "migrate/notice.h"
#include "migrate/time_window.h"

struct checkpoint_import_counts {
    uint64_t hosts, files, bad_files, torn_logs;
    uint64_t directories_done, directories; /* of hosts: read, and all there are */
    uint64_t samples;                       /* read, within the window */
    uint64_t deep_series; /* left out: more levels than a component has */
};

/* All functions may be NULL. */
struct checkpoint_import_opts {
    struct time_window window;
    migrate_warn_fn *warn; /* a file is damaged, a log was torn */
    /* How far it is, after each file. */
    void (*progress)(void *arg, const struct checkpoint_import_counts *counts);
    void *arg; /* of both */
};

/* Read all of a directory into target, which is ended in any case; *ret and *target_ret
 * are filled in any case.  Errors: -ENOENT (no checkpoints there), what files and the
 * target return, -ENOMEM. */
int checkpoint_import(const char *dir, const struct checkpoint_import_opts *opts,
                      const struct import_target *target,
                      struct checkpoint_import_counts *ret,
                      struct import_target_counts *target_ret, struct err *err);

#endif
