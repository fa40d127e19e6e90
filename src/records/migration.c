/* SPDX-License-Identifier: Apache-2.0 */
/* migration - what brings a database to this program's schema. */
#include "records/migration.h"

#include "records/engines.h"

int records_migrate(const struct records_opts *opts, bool is_dry, records_step_fn *fn,
                    void *arg, struct err *err)
{
    const struct records_engine *engine = engine_find(opts->engine);
    if (!engine)
        return err_set(err, EINVAL, "records: engine '%s' is not known", opts->engine);
    return engine->migrate(opts, is_dry, fn, arg, err);
}
