/* SPDX-License-Identifier: Apache-2.0 */
/* schema - what both engines' tables have in common: their version and columns. */
#include "records/tables/schema.h"

int schema_version_check(int64_t version, struct err *err)
{
    if (version >= 0 && version <= SCHEMA_VERSION)
        return 0;
    return err_set(err, EBADMSG,
                   "records: schema %lld is newer than this program's %d; upgrade "
                   "barograph",
                   (long long)version, SCHEMA_VERSION);
}

int schema_version_check_readable(int64_t version, struct err *err)
{
    if (version == 0)
        return err_set(err, ENODATA,
                       "records: the database holds no tables of barograph; barod "
                       "makes them when it starts");
    if (version >= SCHEMA_VERSION_READABLE || version < 0)
        return schema_version_check(version, err);
    return err_set(err, EBADMSG,
                   "records: schema %lld is older than what this program reads (%d to "
                   "%d); stop barod and run baro records migrate",
                   (long long)version, SCHEMA_VERSION_READABLE, SCHEMA_VERSION);
}

void schema_add_ops(struct strbuf *out, enum target_kind kind, uint64_t ops,
                    const char *type)
{
    for (int op = 0; op < OP_COUNT; op++) {
        if (!op_is_on((enum op)op, kind) || !(ops >> op & 1))
            continue;
        const char *name = op_name((enum op)op);
        strbuf_addf(out, ", \"%s\"%s, \"%s_sum\"%s", name, type, name, type);
    }
}

uint64_t schema_ops(enum target_kind kind)
{
    uint64_t ops = 0;
    for (int op = 0; op < OP_COUNT; op++)
        if (op_is_on((enum op)op, kind))
            ops |= UINT64_C(1) << op;
    return ops;
}
