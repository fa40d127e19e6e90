/* SPDX-License-Identifier: Apache-2.0 */
/* readings - readings of targets to and from what else has them. */
#include "source/health/readings.h"

#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define KIB 1024

/* ---- out of a sample ---- */

int health_sample_readings(const struct health_sample *sample,
                           const struct health_readings_opts *opts,
                           uint64_t *ret_left_out)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sample->count; i++) {
        const struct health_target *t = &sample->targets[i];
        const struct target_reading reading = {
            .cluster = opts->cluster,
            .target = t->name,
            .t_ns = opts->t_ns,
            .mount = t->mount,
            .has_space = (t->has & HEALTH_SPACE) != 0,
            .total_kib = (int64_t)t->total_kib,
            .used_kib = (int64_t)t->used_kib,
            .available_kib = (int64_t)t->available_kib,
            .server = t->server,
            .is_inactive =
                (t->has & (HEALTH_SPACE_INACTIVE | HEALTH_SERVER_INACTIVE)) != 0,
            .source = opts->source,
        };
        if ((t->has & HEALTH_DISK) || target_reading_check(&reading))
            (*ret_left_out)++;
        else
            rc = opts->fn(opts->arg, &reading);
    }
    return rc;
}

/* ---- a table ---- */

enum {
    READING_CLUSTER,
    READING_TARGET,
    READING_TIME,
    READING_USED_PCT,
    READING_TOTAL,
    READING_USED,
    READING_AVAILABLE,
    READING_SERVER,
    READING_ACTIVE,
    READING_MOUNT,
    READING_SOURCE,
    READING_COLUMN_COUNT,
};

static const struct table_column reading_columns[READING_COLUMN_COUNT] = {
    [READING_CLUSTER] = { "cluster", TABLE_TEXT, "" },
    [READING_TARGET] = { "target", TABLE_TEXT, "" },
    [READING_TIME] = { "time", TABLE_TIME, "" },
    [READING_USED_PCT] = { "used_pct", TABLE_DOUBLE, "%" },
    [READING_TOTAL] = { "total", TABLE_I64, "bytes" },
    [READING_USED] = { "used", TABLE_I64, "bytes" },
    [READING_AVAILABLE] = { "available", TABLE_I64, "bytes" },
    [READING_SERVER] = { "server", TABLE_TEXT, "" },
    [READING_ACTIVE] = { "active", TABLE_BOOL, "" },
    [READING_MOUNT] = { "mount", TABLE_TEXT, "" },
    [READING_SOURCE] = { "source", TABLE_TEXT, "" },
};

void health_readings_columns_add(struct table *table)
{
    for (size_t i = 0; i < READING_COLUMN_COUNT; i++)
        table_add_column(table, reading_columns[i].name, reading_columns[i].type,
                         reading_columns[i].unit);
}

static void reading_text_set(struct table *table, size_t column, struct span text)
{
    if (text.size > 0)
        table_set_text(table, column, text);
}

void health_readings_row_add(struct table *table, const struct target_reading *reading)
{
    table_add_row(table);
    reading_text_set(table, READING_CLUSTER, reading->cluster);
    reading_text_set(table, READING_TARGET, reading->target);
    table_set_i64(table, READING_TIME, reading->t_ns / NS_PER_MS);
    if (reading->has_space) {
        if (reading->total_kib > 0)
            table_set_double(table, READING_USED_PCT,
                             100.0 * (double)reading->used_kib /
                                 (double)reading->total_kib);
        table_set_i64(table, READING_TOTAL, reading->total_kib * KIB);
        table_set_i64(table, READING_USED, reading->used_kib * KIB);
        table_set_i64(table, READING_AVAILABLE, reading->available_kib * KIB);
    }
    reading_text_set(table, READING_SERVER, reading->server);
    if (reading->is_inactive || reading->server.size > 0)
        table_set_bool(table, READING_ACTIVE, !reading->is_inactive);
    reading_text_set(table, READING_MOUNT, reading->mount);
    reading_text_set(table, READING_SOURCE, reading->source);
}

static const struct table_cell *cell_at(const struct table *table, size_t row,
                                        size_t column)
{
    int at = table_find_column(table, reading_columns[column].name);
    if (at < 0 || table->columns[at].type != reading_columns[column].type)
        return NULL;
    const struct table_cell *cell = table_at(table, row, (size_t)at);
    return cell->is_null ? NULL : cell;
}

static struct span text_at(const struct table *table, size_t row, size_t column)
{
    const struct table_cell *cell = cell_at(table, row, column);
    return span_of(cell ? cell->text : "");
}

static bool has_columns(const struct table *table)
{
    for (size_t i = 0; i < READING_COLUMN_COUNT; i++) {
        int at = table_find_column(table, reading_columns[i].name);
        if (at < 0 || table->columns[at].type != reading_columns[i].type)
            return false;
    }
    return true;
}

int health_readings_row_read(const struct table *table, size_t row,
                             struct target_reading *ret)
{
    const struct table_cell *time = cell_at(table, row, READING_TIME);
    const struct table_cell *total = cell_at(table, row, READING_TOTAL);
    const struct table_cell *used = cell_at(table, row, READING_USED);
    const struct table_cell *available = cell_at(table, row, READING_AVAILABLE);
    const struct table_cell *active = cell_at(table, row, READING_ACTIVE);
    if (!has_columns(table) || !time || time->i64 > INT64_MAX / NS_PER_MS)
        return -EBADMSG;
    const struct target_reading reading = {
        .cluster = text_at(table, row, READING_CLUSTER),
        .target = text_at(table, row, READING_TARGET),
        .t_ns = time->i64 * NS_PER_MS,
        .mount = text_at(table, row, READING_MOUNT),
        .has_space = total && used && available,
        .total_kib = total ? total->i64 / KIB : 0,
        .used_kib = used ? used->i64 / KIB : 0,
        .available_kib = available ? available->i64 / KIB : 0,
        .server = text_at(table, row, READING_SERVER),
        .is_inactive = active && !active->flag,
        .source = text_at(table, row, READING_SOURCE),
    };
    if (target_reading_check(&reading))
        return -EBADMSG;
    *ret = reading;
    return 0;
}

/* ---- texts ---- */

static bool is_of_kind(const struct target_reading *r, enum health_kind kind)
{
    if (kind == HEALTH_KIND_SERVERS)
        return r->server.size > 0;
    return r->has_space || (r->is_inactive && r->server.size == 0);
}

static void space_print(const struct target_reading *r, struct strbuf *out)
{
    struct span fs = target_reading_fs(r);
    strbuf_addf(out, SPAN_FMT "_UUID ", SPAN_ARG(r->target));
    if (!r->has_space) {
        strbuf_adds(out, ": inactive device\n");
        return;
    }
    strbuf_addf(out, "%lld %lld %lld 0%% ", (long long)r->total_kib,
                (long long)r->used_kib, (long long)r->available_kib);
    /* Servers do not know where clients mount them. */
    if (r->mount.size > 0)
        strbuf_add_span(out, r->mount);
    else
        strbuf_addf(out, "/" SPAN_FMT, SPAN_ARG(fs));
    strbuf_adds(out, "[T:0]\n");
}

static void server_print(const struct target_reading *r, struct strbuf *out)
{
    struct target_name name;
    bool is_mdt = target_parse(r->target, &name) == 0 && name.kind == TARGET_MDT;
    const char *type = is_mdt ? "mdc" : "osc";
    strbuf_addf(out, "0 %s %s " SPAN_FMT "-%s-0 0 0 " SPAN_FMT "\n",
                r->is_inactive ? "IN" : "UP", type, SPAN_ARG(r->target), type,
                SPAN_ARG(r->server));
}

static int by_reading_target(const void *a, const void *b)
{
    const struct target_reading *x = a, *y = b;
    size_t least = x->target.size < y->target.size ? x->target.size : y->target.size;
    int order = least > 0 ? memcmp(x->target.data, y->target.data, least) : 0;
    if (order == 0)
        order = (x->target.size > y->target.size) - (x->target.size < y->target.size);
    return order ? order : (x->t_ns > y->t_ns) - (x->t_ns < y->t_ns);
}

static int by_reading_time(const void *a, const void *b)
{
    const struct target_reading *x = a, *y = b;
    int64_t x_s = x->t_ns / NS_PER_S, y_s = y->t_ns / NS_PER_S;
    return x_s != y_s ? (x_s < y_s ? -1 : 1) : by_reading_target(a, b);
}

static void block_line(struct strbuf *out, int64_t t_s)
{
    strbuf_addf(out, "BEGIN %lld\n", (long long)t_s);
}

static void reading_print(const struct target_reading *r, enum health_kind kind,
                          struct strbuf *out)
{
    if (kind == HEALTH_KIND_SERVERS)
        server_print(r, out);
    else
        space_print(r, out);
}

/* readings: of any target, all before the beginning. */
static void block_before_print(struct target_reading *readings, size_t count,
                               enum health_kind kind, struct strbuf *out)
{
    int64_t oldest_ns = INT64_MAX;
    if (count > 1)
        qsort(readings, count, sizeof *readings, by_reading_target);
    size_t last_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (i + 1 < count && span_eq(readings[i].target, readings[i + 1].target))
            continue;
        readings[last_count++] = readings[i];
        oldest_ns = readings[i].t_ns < oldest_ns ? readings[i].t_ns : oldest_ns;
    }
    if (last_count > 0)
        block_line(out, oldest_ns / NS_PER_S);
    for (size_t i = 0; i < last_count; i++)
        reading_print(&readings[i], kind, out);
}

int health_readings_text(const struct table *table, enum health_kind kind,
                         int64_t from_ns, struct strbuf *out)
{
    AUTO_FREE struct target_reading *readings =
        calloc(table->row_count + 1, sizeof *readings);
    size_t count = 0;
    int64_t block_s = INT64_MIN;
    if (!readings)
        return -ENOMEM;
    if (!has_columns(table))
        return -EBADMSG;
    for (size_t i = 0; i < table->row_count; i++)
        if (health_readings_row_read(table, i, &readings[count]) == 0)
            count += is_of_kind(&readings[count], kind);
    if (count > 1)
        qsort(readings, count, sizeof *readings, by_reading_time);
    size_t before = 0;
    while (before < count && readings[before].t_ns <= from_ns)
        before++;
    block_before_print(readings, before, kind, out);
    for (size_t i = before; i < count; i++) {
        int64_t t_s = readings[i].t_ns / NS_PER_S;
        if (t_s != block_s)
            block_line(out, t_s);
        block_s = t_s;
        reading_print(&readings[i], kind, out);
    }
    return strbuf_error(out);
}
