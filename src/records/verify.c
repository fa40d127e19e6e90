/* SPDX-License-Identifier: Apache-2.0 */
/* verify - does what a database holds fit together? */
#include "records/verify.h"

#include "records/engines.h"

int records_verify(const struct records_opts *opts, records_fault_fn *fn,
                   records_progress_fn *progress, void *arg,
                   struct records_verified *ret, struct err *err)
{
    const struct records_engine *engine = engine_find(opts->engine);
    if (!engine)
        return err_set(err, EINVAL, "records: engine '%s' is not known", opts->engine);
    struct records_opts read_only = *opts;
    read_only.access = RECORDS_READ;
    struct verify verify = {
        .engine = engine, .opts = &read_only, .fn = fn, .progress = progress, .arg = arg
    };
    int rc = engine->verify(&read_only, &verify, err);
    if (rc == 0)
        *ret = verify.counts;
    return rc;
}
