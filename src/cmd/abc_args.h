/* SPDX-License-Identifier: Apache-2.0 */
/* abc_args - the options of baro-abc, and what they mean for a campaign. */
#ifndef CMD_ABC_ARGS_H
#define CMD_ABC_ARGS_H

#include "base/options.h"
#include "probe/probe.h"

struct abc_args {
    const char *io, *dir, *archive, *site, *fs, *lfs, *lock, *output, *core_hours;
    uint64_t processes, size_bytes, keep;
    int64_t pause_ns;
    bool use_mpi, should_list;
};

extern const struct option abc_options[];
extern const size_t abc_option_count;

/* Fill *fs and *plan, and of *opts interface and form; opts->workers and dir are set.
 * Errors: -EINVAL, as filesystem_read(). */
int abc_args_read(const struct abc_args *args, int64_t begin_ns, struct filesystem *fs,
                  struct plan *plan, struct campaign_opts *opts, struct err *err);

#endif
