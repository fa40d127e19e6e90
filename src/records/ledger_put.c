/* SPDX-License-Identifier: Apache-2.0 */
/* ledger_put - submitted rows into a ledger: which are new, which change anything. */
#include "records/ledger_put.h"

#include "records/transaction.h"

struct ledger_put {
    struct records *records;
    const struct ledger *ledger;
    const struct scalar *const *submitted;
    size_t count;
    struct arena *arena;
    enum ledger_outcome *outcomes;
    const struct scalar **replaced; /* NULL: not wanted */
    size_t *order;                  /* indices of submitted, by key, then as given */
    struct ledger_row *rows;        /* one a key, in the order of keys */
    size_t row_count;
    struct ledger_row *due; /* of these, those to be stored */
    size_t due_count;
};

static int scalar_order(enum scalar_type type, const struct scalar *a,
                        const struct scalar *b)
{
    if (type == SCALAR_I64)
        return (a->i64 > b->i64) - (a->i64 < b->i64);
    if (type == SCALAR_DOUBLE)
        return (a->dbl > b->dbl) - (a->dbl < b->dbl);
    size_t size = a->text.size < b->text.size ? a->text.size : b->text.size;
    int order = size ? memcmp(a->text.data, b->text.data, size) : 0;
    return order ? order
                 : (a->text.size > b->text.size) - (a->text.size < b->text.size);
}

static int key_order(const struct ledger *ledger, const struct scalar *a,
                     const struct scalar *b)
{
    int order = 0;
    for (size_t i = 0; i < ledger->key_count && order == 0; i++)
        order = scalar_order(ledger->columns[i].type, &a[i], &b[i]);
    return order;
}

static int told_order(const void *a, const void *b, void *arg)
{
    const struct ledger_put *put = arg;
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    int order = key_order(put->ledger, put->submitted[x], put->submitted[y]);
    return order ? order : (x > y) - (x < y);
}

/* Each key once, sorted: indices are walked in one direction. */
static int keys_unite(struct ledger_put *put)
{
    put->order = arena_alloc(put->arena, put->count * sizeof *put->order);
    put->rows = arena_alloc(put->arena, put->count * sizeof *put->rows);
    put->due = arena_alloc(put->arena, put->count * sizeof *put->due);
    if (!put->order || !put->rows || !put->due)
        return -ENOMEM;
    for (size_t i = 0; i < put->count; i++)
        put->order[i] = i;
    qsort_r(put->order, put->count, sizeof *put->order, told_order, put);
    for (size_t i = 0; i < put->count; i++) {
        const struct scalar *submitted = put->submitted[put->order[i]];
        const struct ledger_row *last =
            put->row_count ? &put->rows[put->row_count - 1] : NULL;
        if (!last || key_order(put->ledger, last->submitted, submitted) != 0)
            put->rows[put->row_count++] = (struct ledger_row){ .submitted = submitted };
    }
    return 0;
}

static bool is_same(const struct ledger *ledger, const struct scalar *a,
                    const struct scalar *b)
{
    for (size_t i = ledger->key_count; i + 1 < ledger->column_count; i++)
        if (!scalar_eq(ledger->columns[i].type, &a[i], &b[i]))
            return false;
    return true;
}

/* All that was submitted of one key, in order; *at is where it begins in order.
 */
static int row_decide(struct ledger_put *put, const struct ledger_row *row, size_t *at)
{
    const struct ledger *ledger = put->ledger;
    const struct scalar *holds = row->stored;
    for (; *at < put->count; (*at)++) {
        size_t index = put->order[*at];
        const struct scalar *submitted = put->submitted[index];
        if (key_order(ledger, row->submitted, submitted) != 0)
            break;
        if (holds && ledger->unite)
            submitted = ledger->unite(holds, submitted, put->arena);
        if (!submitted)
            return -ENOMEM;
        bool stays = holds && ((ledger->keeps && ledger->keeps(holds, submitted)) ||
                               is_same(ledger, holds, submitted));
        put->outcomes[index] = !holds  ? LEDGER_ACCEPTED
                               : stays ? LEDGER_DUPLICATE
                                       : LEDGER_CHANGED;
        if (put->replaced)
            put->replaced[index] = stays ? NULL : holds;
        if (!stays)
            holds = submitted;
    }
    if (holds != row->stored)
        put->due[put->due_count++] =
            (struct ledger_row){ .submitted = holds, .stored = row->stored };
    return 0;
}

/* What was stored only to be pruned at once was nothing new. */
static void on_pruned(void *arg, const struct scalar *key)
{
    struct ledger_put *put = arg;
    size_t low = 0, high = put->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (key_order(put->ledger, put->submitted[put->order[middle]], key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < put->count; low++) {
        if (key_order(put->ledger, put->submitted[put->order[low]], key) != 0)
            return;
        put->outcomes[put->order[low]] = LEDGER_DUPLICATE;
    }
}

/* Between begin and commit. */
static int put_in(struct ledger_put *put, struct err *err)
{
    const struct records_engine *engine = put->records->engine;
    struct records_backend *backend = put->records->backend;
    int rc = engine->ledger_find(backend, put->ledger, put->rows, put->row_count,
                                 put->arena, err);
    size_t at = 0;
    for (size_t i = 0; i < put->row_count && rc == 0; i++)
        rc = row_decide(put, &put->rows[i], &at);
    if (rc < 0 || put->due_count == 0)
        return rc;
    rc = engine->ledger_put(backend, put->ledger, put->due, put->due_count, err);
    if (rc == 0 && put->ledger->prune)
        rc = engine->ledger_prune(backend, put->ledger, put->due, put->due_count,
                                  on_pruned, put, err);
    return rc;
}

int ledger_put_within(struct records *records, const struct ledger_rows *rows,
                      struct arena *arena, struct err *err)
{
    struct ledger_put put = { .records = records,
                              .ledger = rows->ledger,
                              .submitted = rows->submitted,
                              .count = rows->count,
                              .arena = arena,
                              .outcomes = rows->outcomes,
                              .replaced = rows->replaced };
    if (rows->count == 0)
        return 0;
    int rc = keys_unite(&put);
    return rc < 0 ? rc : put_in(&put, err);
}

int ledger_put(struct records *records, const struct ledger *ledger,
               const struct scalar *const *submitted, size_t count, struct arena *arena,
               enum ledger_outcome *ret_outcomes, struct err *err)
{
    int rc = check_writable(records, err);
    if (rc < 0 || count == 0)
        return rc;
    rc = transaction_begin(records, err);
    if (rc < 0)
        return rc;
    const struct ledger_rows rows = { ledger, submitted, count, ret_outcomes, NULL };
    rc = ledger_put_within(records, &rows, arena, err);
    if (rc == 0) {
        rc = transaction_commit(records, err);
    } else {
        transaction_failed(records, rc, err);
        transaction_rollback(records);
    }
    return rc == -EEXIST ? -EAGAIN : rc;
}
