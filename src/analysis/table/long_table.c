/* SPDX-License-Identifier: Apache-2.0 */
/* long_table - a table with a metric a row, as one with a row a run. */
#include "analysis/table/long_table.h"

#include "base/arena.h"
#include "base/hashmap.h"
#include "base/span.h"
#include "base/strbuf.h"

#define KEYS_MAX 16

struct long_value { /* what one row gives for a run */
    struct long_value *next;
    size_t metric;
    struct span value;
};

struct long_run {
    uint64_t line;
    struct span *fields;
    struct long_value *values;
};

struct long_table {
    const struct sheet *form;
    size_t field_count;
    size_t by[KEYS_MAX];
    size_t by_count;
    size_t name, value;
    struct hashmap run_of;    /* key -> index + 1 */
    struct hashmap metric_of; /* name -> index + 1 */
    struct long_run *runs;
    size_t run_count, run_capacity;
    struct span metrics[CSV_FIELDS_MAX];
    size_t metric_count;
    uint64_t doubles;
    struct arena arena;
    struct strbuf key;
    struct span fields[2 * CSV_FIELDS_MAX];
};

static int column_find(const struct span *header, size_t count, const char *name,
                       size_t *ret, struct err *err)
{
    for (size_t i = 0; i < count; i++)
        if (span_is(header[i], name)) {
            *ret = i;
            return 0;
        }
    return err_set(err, EINVAL, "[table]: there is no column '%s'", name);
}

int long_table_new(const struct sheet *form, const struct span *header, size_t count,
                   struct long_table **ret, struct err *err)
{
    AUTO(long_table_free) struct long_table *t = calloc(1, sizeof *t);
    if (!t)
        return err_set(err, ENOMEM, "out of memory");
    arena_init(&t->arena, LONG_BYTES_MAX);
    t->form = form;
    t->field_count = count;
    if (form->long_by.count > COUNT_OF(t->by))
        return err_set(err, EINVAL, "table.long_by: at most %zu", COUNT_OF(t->by));
    int rc = column_find(header, count, form->long_name, &t->name, err);
    if (rc == 0)
        rc = column_find(header, count, form->long_value, &t->value, err);
    for (size_t i = 0; rc == 0 && i < form->long_by.count; i++)
        rc = column_find(header, count, form->long_by.items[i], &t->by[i], err);
    t->by_count = form->long_by.count;
    if (rc == 0)
        *ret = TAKE(t);
    return rc;
}

void long_table_free(struct long_table *t)
{
    if (!t)
        return;
    hashmap_done(&t->run_of);
    hashmap_done(&t->metric_of);
    arena_done(&t->arena);
    strbuf_done(&t->key);
    free(t->runs);
    free(t);
}

static int span_keep(struct long_table *t, struct span text, struct span *ret)
{
    const char *copy = arena_dup(&t->arena, text);
    *ret = (struct span){ copy, text.size };
    return copy ? 0 : -ENOMEM;
}

/* NULL: memory is out. */
static struct long_run *run_new(struct long_table *t, const struct span *fields,
                                uint64_t line)
{
    if (t->run_count == t->run_capacity) {
        size_t capacity = t->run_capacity ? 2 * t->run_capacity : 256;
        struct long_run *more = reallocarray(t->runs, capacity, sizeof *more);
        if (!more)
            return NULL;
        t->runs = more;
        t->run_capacity = capacity;
    }
    struct long_run run = { .line = line };
    run.fields = arena_alloc(&t->arena, t->field_count * sizeof *run.fields);
    for (size_t i = 0; run.fields && i < t->field_count; i++)
        if (span_keep(t, fields[i], &run.fields[i]) < 0)
            return NULL;
    if (!run.fields)
        return NULL;
    t->runs[t->run_count] = run;
    return &t->runs[t->run_count++];
}

static struct long_run *run_find(struct long_table *t, const struct span *fields,
                                 uint64_t line)
{
    strbuf_clear(&t->key);
    for (size_t i = 0; i < t->by_count; i++) {
        strbuf_add_span(&t->key, span_trim(fields[t->by[i]]));
        strbuf_addc(&t->key, '\0');
    }
    uintptr_t *place = strbuf_error(&t->key) < 0
                           ? NULL
                           : hashmap_put(&t->run_of, strbuf_span(&t->key), NULL);
    if (!place)
        return NULL;
    if (*place > 0)
        return &t->runs[*place - 1];
    struct long_run *run = run_new(t, fields, line);
    *place = t->run_count;
    return run;
}

static int metric_find(struct long_table *t, struct span name, size_t *ret)
{
    uintptr_t *place = hashmap_put(&t->metric_of, name, NULL);
    if (!place)
        return -ENOMEM;
    if (*place == 0) {
        if (t->metric_count + t->field_count >= CSV_FIELDS_MAX)
            return -E2BIG;
        if (span_keep(t, name, &t->metrics[t->metric_count]) < 0)
            return -ENOMEM;
        *place = ++t->metric_count;
    }
    *ret = *place - 1;
    return 0;
}

static int value_add(struct long_table *t, struct long_run *run,
                     const struct span *fields)
{
    struct long_value value = { .next = run->values };
    int rc = metric_find(t, span_trim(fields[t->name]), &value.metric);
    for (const struct long_value *other = run->values; rc == 0 && other;
         other = other->next)
        if (other->metric == value.metric) {
            t->doubles++;
            return 0;
        }
    if (rc == 0)
        rc = span_keep(t, fields[t->value], &value.value);
    struct long_value *stored = rc == 0 ? arena_alloc(&t->arena, sizeof *stored) : NULL;
    if (!stored)
        return rc < 0 ? rc : -ENOMEM;
    *stored = value;
    run->values = stored;
    return 0;
}

int long_table_add(struct long_table *t, const struct span *fields, uint64_t line,
                   struct err *err)
{
    struct long_run *run = run_find(t, fields, line);
    int rc = run ? value_add(t, run, fields) : -ENOMEM;
    if (rc == -E2BIG)
        return err_set(err, E2BIG,
                       "more than %d columns and metrics; is '%s' what names them?",
                       CSV_FIELDS_MAX, t->form->long_name);
    return rc < 0 ? err_set(err, E2BIG, "a long table of more than %zu GiB",
                            LONG_BYTES_MAX >> 30)
                  : 0;
}

size_t long_table_metrics(const struct long_table *t, const struct span **ret)
{
    *ret = t->metrics;
    return t->metric_count;
}

bool long_table_run(struct long_table *t, size_t index, const struct span **ret,
                    uint64_t *ret_line)
{
    if (index >= t->run_count)
        return false;
    const struct long_run *run = &t->runs[index];
    memcpy(t->fields, run->fields, t->field_count * sizeof *t->fields);
    for (size_t i = 0; i < t->metric_count; i++)
        t->fields[t->field_count + i] = (struct span){ "", 0 };
    for (const struct long_value *value = run->values; value; value = value->next)
        t->fields[t->field_count + value->metric] = value->value;
    *ret = t->fields;
    *ret_line = run->line;
    return true;
}

uint64_t long_table_doubles(const struct long_table *t)
{
    return t->doubles;
}
