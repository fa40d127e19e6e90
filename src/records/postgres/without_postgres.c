/* SPDX-License-Identifier: Apache-2.0 */
/* without_postgres - what a build without libpq reports. */
#include "records/postgres/postgres.h"

static int missing(struct err *err)
{
    return err_set(err, ENOSYS,
                   "engine = postgres: this program was built without libpq");
}

static int refuse_open(const struct records_opts *opts, struct records_backend **ret,
                       struct err *err)
{
    (void)opts;
    (void)ret;
    return missing(err);
}

static int refuse_migrate(const struct records_opts *opts, bool is_dry,
                          records_step_fn *fn, void *arg, struct err *err)
{
    (void)opts;
    (void)is_dry;
    (void)fn;
    (void)arg;
    return missing(err);
}

/* Nothing else is called before one of these was. */
const struct records_engine records_postgres = {
    .name = "postgres",
    .open = refuse_open,
    .migrate = refuse_migrate,
};
