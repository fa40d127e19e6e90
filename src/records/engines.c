/* SPDX-License-Identifier: Apache-2.0 */
/* engines - which engines there are, by name. */
#include "records/engines.h"

#include "base/span.h"

#include "records/postgres/postgres.h"
#include "records/sqlite/sqlite.h"

const struct records_engine *engine_find(const char *name)
{
    static const struct records_engine *const engines[] = { &records_sqlite,
                                                            &records_postgres };
    for (size_t i = 0; i < COUNT_OF(engines); i++)
        if (span_is(span_of(name), engines[i]->name))
            return engines[i];
    return NULL;
}
