/* SPDX-License-Identifier: Apache-2.0 */
/* schema - what both engines' tables have in common: columns, days, look-around. */
#include "records/schema.h"

#include "records/engine.h"

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

/* Civil calendar out of a day number and back: Gregorian, by eras of 400 years that
 * begin in March, so that the leap day is the last of its year. */
int32_t schema_day(int64_t t_ms)
{
    int64_t days = t_ms / MS_PER_DAY - (t_ms % MS_PER_DAY < 0) + 719468;
    int64_t era = days / 146097;
    int64_t of_era = days - era * 146097;
    int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
    int64_t month = (5 * of_year + 2) / 153;
    int64_t day = of_year - (153 * month + 2) / 5 + 1;
    month = month < 10 ? month + 3 : month - 9;
    year += era * 400 + (month <= 2);
    return (int32_t)(year * 10000 + month * 100 + day);
}

int64_t schema_day_start_ms(int32_t day)
{
    int64_t year = day / 10000, month = day / 100 % 100, of_month = day % 100;
    year -= month <= 2;
    int64_t era = year / 400;
    int64_t of_era_year = year - era * 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + of_month - 1;
    int64_t of_era = of_era_year * 365 + of_era_year / 4 - of_era_year / 100 + of_year;
    return (era * 146097 + of_era - 719468) * MS_PER_DAY;
}

int64_t records_row_reach_ms(const struct jobrow *row)
{
    int64_t reach_ms = row->t_ms;
    if (row->previous_ms != T_NONE && row->previous_ms < reach_ms)
        reach_ms = row->previous_ms;
    int64_t start_ms = row->start_ns == T_NONE ? T_NONE : row->start_ns / NS_PER_MS;
    bool tells_since = row->since_ms != T_NONE && row->reset == RESET_YES;
    if (!tells_since && start_ms != T_NONE && start_ms >= 0 && start_ms < reach_ms)
        reach_ms = start_ms;
    return reach_ms;
}

int64_t schema_row_span_ms(const struct jobrow *row)
{
    int64_t from_ms = records_row_reach_ms(row);
    if (row->since_ms != T_NONE && row->since_ms < from_ms)
        from_ms = row->since_ms;
    int64_t span_ms = row->t_ms - from_ms;
    bool is_flat = row->since_ms == T_NONE && row->reset == RESET_UNKNOWN;
    return is_flat && span_ms < SCHEMA_FLAT_SPAN_MS ? SCHEMA_FLAT_SPAN_MS : span_ms;
}

size_t schema_days_of(const struct put_row *rows, size_t count, struct day_span *ret,
                      size_t count_max)
{
    size_t found = 0;
    int64_t end_ms = INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        int64_t t_ms = rows[i].row->t_ms;
        if (t_ms >= end_ms) {
            if (found == count_max)
                return found;
            ret[found].day = schema_day(t_ms);
            ret[found].span_ms = 0;
            end_ms = schema_day_start_ms(ret[found].day) + MS_PER_DAY;
            found++;
        }
        int64_t span_ms = schema_row_span_ms(rows[i].row);
        if (span_ms > ret[found - 1].span_ms)
            ret[found - 1].span_ms = span_ms;
    }
    return found;
}
