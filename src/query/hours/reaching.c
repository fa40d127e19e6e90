/* SPDX-License-Identifier: Apache-2.0 */
/* reaching - rows that are read once more with those before them. */
#include "query/hours/reaching.h"

void reaching_done(struct reaching *reaching)
{
    free(reaching->rows);
    *reaching = (struct reaching){ 0 };
}

struct finding {
    struct reaching *reaching;
    int64_t until_ms;
};

int reaching_add(struct reaching *reaching, int64_t sid, int64_t t_ms)
{
    if (reaching->count == reaching->capacity) {
        size_t capacity = reaching->capacity ? reaching->capacity * 2 : 64;
        struct reaching_row *grown =
            realloc(reaching->rows, capacity * sizeof *reaching->rows);
        if (!grown)
            return -ENOMEM;
        reaching->rows = grown;
        reaching->capacity = capacity;
    }
    reaching->rows[reaching->count++] = (struct reaching_row){ sid, t_ms };
    return 0;
}

static int keep_row(void *arg, int64_t sid, const struct jobrow *row)
{
    const struct finding *f = arg;
    return row->t_ms > f->until_ms ? 0 : reaching_add(f->reaching, sid, row->t_ms);
}

static int compare_rows(const void *a, const void *b)
{
    const struct reaching_row *x = a, *y = b;
    int64_t x_hour = rollup_hour_of(x->t_ms), y_hour = rollup_hour_of(y->t_ms);
    if (x_hour != y_hour)
        return x_hour < y_hour ? -1 : 1;
    if (x->sid != y->sid)
        return x->sid < y->sid ? -1 : 1;
    return (x->t_ms > y->t_ms) - (x->t_ms < y->t_ms);
}

void reaching_sort(struct reaching *reaching)
{
    if (reaching->count)
        qsort(reaching->rows, reaching->count, sizeof *reaching->rows, compare_rows);
}

int reaching_find(const struct history *history, const struct row_range *range,
                  int64_t after_ms, int64_t until_ms, struct reaching *ret,
                  struct err *err)
{
    AUTO(reaching_done) struct reaching found = { 0 };
    struct finding finding = { &found, until_ms };
    struct row_range after = *range;
    after.from_ms = after.to_ms = after_ms;
    after.with_after = true;
    after.until_ms = until_ms;
    after.with_before = false;
    int rc = history->read_rows(history->arg, &after, keep_row, &finding, err);
    if (rc < 0)
        return rc;
    reaching_sort(&found);
    *ret = found;
    found = (struct reaching){ 0 };
    return 0;
}

size_t reaching_hour_end(const struct reaching *reaching, size_t first)
{
    int64_t hour_ms = rollup_hour_of(reaching->rows[first].t_ms);
    size_t end = first + 1;
    while (end < reaching->count && rollup_hour_of(reaching->rows[end].t_ms) == hour_ms)
        end++;
    return end;
}

bool reaching_has(const struct reaching *reaching, size_t first, size_t end,
                  int64_t sid, int64_t t_ms)
{
    const struct reaching_row key = { sid, t_ms };
    return bsearch(&key, reaching->rows + first, end - first, sizeof key,
                   compare_rows) != NULL;
}
