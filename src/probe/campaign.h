/* SPDX-License-Identifier: Apache-2.0 */
/* campaign - the probes of one call, one after another, in a directory of its own.
 *
 *     lock ─▶ directory, striped ─▶ probe ─▶ record ─▶ text   ... each shape
 *                                      └ a failure goes into its record
 *
 * Another campaign on the same file system is locked out: two would measure each other
 * (mount.h).
 */
#ifndef PROBE_CAMPAIGN_H
#define PROBE_CAMPAIGN_H

#include "base/span_type.h"
#include "probe/batch.h"
#include "probe/plan.h"
#include "probe/run.h"

enum campaign_form {
    CAMPAIGN_TABLE,
    CAMPAIGN_JSON,
    CAMPAIGN_CSV,
};

/* "table", "json", "csv"; NULL: a table.  Errors: -EINVAL. */
int campaign_form_parse(const char *text, enum campaign_form *ret, struct err *err);

struct campaign_opts {
    const struct plan *plan;
    struct workers *workers;
    const struct interface *interface;
    const char *dir;      /* where the directory is made */
    const char *archive;  /* where records are stored; NULL: nowhere */
    bool has_logs;        /* libdarshan is loaded: its logs go there, too */
    uint64_t records_max; /* in the archive; 0: all */
    const char *lock;     /* lock this in place of the mount point; NULL: that */
    const char *lfs;      /* stripe with this program; NULL: as stripes_set() decides */
    const char *host;     /* of the records */
    const struct batch_job *job; /* that it runs in; NULL: none */
    int64_t pause_ns;            /* between writing and reading */
    enum campaign_form form;
    volatile const int *stop;
    void (*print)(void *arg, struct span text); /* at the leader, after each probe */
    void *print_arg;
    void (*warn)(void *arg,
                 const char *text); /* at the leader: logs that are not there */
};

/* In every process of the workers.  Probes after one that was cancelled or found no
 * time are not begun; other failures let the next begin. Errors: of the first that
 * failed: those of run_probe() and plan_check(), those of
 * mount_lock(), what making the directory returns. */
int campaign_run(const struct campaign_opts *opts,
                 const struct shape *const *shapes_wanted, size_t count,
                 struct err *err);

#endif
