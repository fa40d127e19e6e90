/* SPDX-License-Identifier: Apache-2.0 */
/* trial - plugins tried by hand: what they yield, what they cost, what they state.
 *
 *     files ─▶ host ─▶ a trigger a step, each with its recorded input ─▶ a table
 *
 * Threads  the caller's, which waits.
 */
#ifndef PLUGIN_TRIAL_H
#define PLUGIN_TRIAL_H

#include "base/table/table.h"
#include "plugin/host.h"

struct trial_opts {
    const char *program;      /* baro-plugin-host */
    const char *const *roots; /* recorded input, a step each; the last one stays */
    size_t root_count;        /* 0: this machine */
    uint64_t steps;
    int64_t t_ns, step_ns;    /* of the first step, and between steps */
    const char *const *reads; /* patterns; NULL: the default */
    size_t read_count;
};

/* A row a yield and a call.  *ret_failed: calls that did not end well.
 * Errors: of the file, -EINVAL (it is no plugin; with err), of the process. */
int trial_test(const struct trial_opts *opts, const char *file, struct table *ret,
               uint64_t *ret_failed, struct err *err);
/* One row: what a call costs. */
int trial_bench(const struct trial_opts *opts, const char *file, struct table *ret,
                struct err *err);
/* A row a field of the manifest. */
int trial_show(const struct trial_opts *opts, const char *file, struct table *ret,
               struct err *err);
/* A row a plugin; of directories all *.lua in them.  One that is refused is a row. */
int trial_list(const struct trial_opts *opts, const char *const *paths, size_t count,
               struct table *ret, struct err *err);

#endif
