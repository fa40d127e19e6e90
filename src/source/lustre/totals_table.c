/* SPDX-License-Identifier: Apache-2.0 */
/* totals_table - the totals of a Lustre server as a table: a row each. */
#include "source/lustre/totals_table.h"

#include "base/input.h"
#include "base/span.h"
#include "base/timetext.h"

#include <errno.h>
#include <string.h>

#define TEXT_BYTES_MAX ((size_t)256 << 20)

enum column {
    COLUMN_TARGET,
    COLUMN_KIND,
    COLUMN_FILE,
    COLUMN_NAME,
    COLUMN_BUCKET,
    COLUMN_UNIT,
    COLUMN_SAMPLES,
    COLUMN_MIN,
    COLUMN_MAX,
    COLUMN_SUM,
    COLUMN_SUMSQ,
    COLUMN_READ,
    COLUMN_WRITE,
    COLUMN_VALUE,
    COLUMN_COUNT,
};

void lustre_totals_table_init(struct table *table)
{
    static const struct {
        const char *name;
        enum table_type type;
    } columns[COLUMN_COUNT] = {
        [COLUMN_TARGET] = { "target", TABLE_TEXT },
        [COLUMN_KIND] = { "kind", TABLE_TEXT },
        [COLUMN_FILE] = { "file", TABLE_TEXT },
        [COLUMN_NAME] = { "name", TABLE_TEXT },
        [COLUMN_BUCKET] = { "bucket", TABLE_TEXT },
        [COLUMN_UNIT] = { "unit", TABLE_TEXT },
        [COLUMN_SAMPLES] = { "samples", TABLE_U64 },
        [COLUMN_MIN] = { "min", TABLE_U64 },
        [COLUMN_MAX] = { "max", TABLE_U64 },
        [COLUMN_SUM] = { "sum", TABLE_U64 },
        [COLUMN_SUMSQ] = { "sumsq", TABLE_U64 },
        [COLUMN_READ] = { "read", TABLE_U64 },
        [COLUMN_WRITE] = { "write", TABLE_U64 },
        [COLUMN_VALUE] = { "value", TABLE_TEXT },
    };
    table_init(table);
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        table_add_column(table, columns[i].name, columns[i].type, "");
}

static void lustre_text_set(struct table *table, size_t column, struct span text)
{
    if (text.size > 0)
        table_set_text(table, column, text);
}

static int on_total(void *arg, const struct lustre_total *total)
{
    struct table *table = arg;
    const struct lustre_reading *r = &total->reading;
    const struct {
        unsigned bit;
        enum column column;
        uint64_t value;
    } numbers[] = {
        { READING_SAMPLES, COLUMN_SAMPLES, r->samples },
        { READING_MIN, COLUMN_MIN, r->min },
        { READING_MAX, COLUMN_MAX, r->max },
        { READING_SUM, COLUMN_SUM, r->sum },
        { READING_SUMSQ, COLUMN_SUMSQ, r->sumsq },
        { READING_READ, COLUMN_READ, r->read },
        { READING_WRITE, COLUMN_WRITE, r->write },
    };
    table_add_row(table);
    lustre_text_set(table, COLUMN_TARGET, total->target);
    if (total->target.size > 0)
        table_set_text(table, COLUMN_KIND, span_of(target_kind_name(total->kind)));
    lustre_text_set(table, COLUMN_FILE, span_of(total->file));
    lustre_text_set(table, COLUMN_NAME, r->name);
    lustre_text_set(table, COLUMN_BUCKET, r->bucket);
    lustre_text_set(table, COLUMN_UNIT, r->unit);
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        if (r->has & numbers[i].bit)
            table_set_u64(table, numbers[i].column, numbers[i].value);
    if (r->has & READING_TIME) {
        char text[TIMETEXT_SIZE];
        size_t size = timetext_print_seconds(text, r->t_ns);
        lustre_text_set(table, COLUMN_VALUE, (struct span){ text, size });
    }
    if (r->has & (READING_VALUE | READING_TEXT))
        lustre_text_set(table, COLUMN_VALUE, r->text);
    return table_error(table);
}

int lustre_totals_table_dump(const char *path, lustre_totals_fault_fn *fault,
                             struct table *table, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    const struct lustre_totals totals = { on_total, fault, table };
    size_t before = table->row_count;
    int rc = input_read_all(path, TEXT_BYTES_MAX, &text, err);
    if (rc == 0 && (rc = lustre_read_totals_text(strbuf_span(&text), &totals)) < 0)
        return err_set(err, -rc, "%s: %s", path, strerror(-rc));
    if (rc == 0 && table->row_count == before)
        rc = err_set(err, ENODATA,
                     "%s: no total of a Lustre server; wants what lctl get_param "
                     "prints of obdfilter.*.stats, health_check ...",
                     path);
    return rc;
}

int lustre_totals_table_root(const char *root, lustre_totals_fault_fn *fault,
                             struct table *table, struct err *err)
{
    const struct lustre_totals totals = { on_total, fault, table };
    int rc = lustre_read_totals(root, &totals, err);
    if (rc == 0 && table->row_count == 0)
        rc = err_set(err, ENODATA,
                     "no Lustre server is found below '%s': nothing readable in "
                     "proc/fs/lustre, sys/fs/lustre, sys/kernel/debug/lustre",
                     root);
    return rc;
}
