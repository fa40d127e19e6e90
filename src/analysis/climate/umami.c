/* SPDX-License-Identifier: Apache-2.0 */
/* umami - one run among comparable runs. */
#include "analysis/climate/umami.h"

#include "base/span.h"

#include "analysis/stats/stats.h"

#include <math.h>

const char *umami_quarter_name(enum umami_quarter quarter)
{
    static const char *const names[] = {
        [UMAMI_WORST] = "worst quarter",
        [UMAMI_WORSE] = "below the middle",
        [UMAMI_BETTER] = "above the middle",
        [UMAMI_BEST] = "best quarter",
        [UMAMI_SAME] = "as ever",
        [UMAMI_UNKNOWN] = "unknown",
    };
    return names[quarter];
}

static int run_find(const struct runs *runs, const struct umami_request *request,
                    size_t *ret, struct err *err)
{
    size_t found = runs->count;
    const char *id = request->id;
    for (size_t i = 0; i < runs->count; i++) {
        const char *set = runs->sets[runs->runs[i].set].name;
        if (strcmp(runs->runs[i].id, id) != 0 ||
            (request->set && !span_glob(span_of(set), request->set)))
            continue;
        if (found < runs->count && runs->runs[found].set == runs->runs[i].set)
            return err_set(err, EEXIST,
                           "there is a run '%s' in '%s' twice: is 'id' of the mapping "
                           "what identifies a run?",
                           id, set);
        if (found < runs->count)
            return err_set(
                err, EEXIST,
                "there is a run '%s' in '%s' and in '%s': choose one with --set", id,
                runs->sets[runs->runs[found].set].name,
                runs->sets[runs->runs[i].set].name);
        found = i;
    }
    if (found == runs->count)
        return err_set(err, ENOENT,
                       "there is no run '%s' among %zu observations; the mapping's "
                       "study.id defines the ids of runs",
                       id, runs->count);
    *ret = found;
    return 0;
}

/* best: the peak that was known when the run was made. */
static double value_at(const struct run *run, size_t row, double best)
{
    if (row > 0)
        return run->measures[row - 1];
    return best > 0 ? run->raw / best : 0;
}

static enum umami_quarter quarter_of(const struct umami_row *row)
{
    double v = row->is_big_good ? row->value : -row->value;
    double low = row->is_big_good ? row->q25 : -row->q75;
    double middle = row->is_big_good ? row->q50 : -row->q50;
    double high = row->is_big_good ? row->q75 : -row->q25;
    if (isnan(v) || row->other_count < UMAMI_OTHERS_MIN)
        return UMAMI_UNKNOWN;
    if (row->others[0] == row->value && row->others[row->other_count - 1] == row->value)
        return UMAMI_SAME;
    if (v < low)
        return UMAMI_WORST;
    if (v < middle)
        return UMAMI_WORSE;
    return v < high ? UMAMI_BETTER : UMAMI_BEST;
}

static int row_make(struct umami *u, const struct run *runs, size_t index,
                    struct umami_row *row)
{
    double *history = arena_alloc(&u->arena, u->count * sizeof(double));
    double *others = arena_alloc(&u->arena, u->count * sizeof(double));
    if (!history || !others)
        return -ENOMEM;
    for (size_t i = 0; i < u->count; i++)
        others[i] = history[i] = value_at(&runs[i], index, runs[u->count - 1].best);
    row->value = history[u->count - 1];
    row->other_count = numbers_sort(others, u->count - 1);
    row->history = history;
    row->others = others;
    row->q05 = quantile(others, row->other_count, 0.05);
    row->q25 = quantile(others, row->other_count, 0.25);
    row->q50 = quantile(others, row->other_count, 0.5);
    row->q75 = quantile(others, row->other_count, 0.75);
    row->q95 = quantile(others, row->other_count, 0.95);
    row->quarter = quarter_of(row);
    return 0;
}

static int rows_make(struct umami *u, const struct mapping *m, const struct run *runs)
{
    int64_t *times = arena_alloc(&u->arena, u->count * sizeof(int64_t));
    u->rows = arena_alloc(&u->arena, (m->measures.count + 1) * sizeof *u->rows);
    if (!times || !u->rows)
        return -ENOMEM;
    for (size_t i = 0; i < u->count; i++)
        times[i] = runs[i].t_ns;
    u->times = times;
    for (size_t i = 0; i <= m->measures.count; i++) {
        const struct mapping_item *item = i ? &m->measures.items[i - 1] : NULL;
        struct umami_row row = { .name = item ? item->name : "fraction",
                                 .label = item ? item->label : "Fraction of peak",
                                 .is_big_good = !item || item->is_big_good };
        int rc = row_make(u, runs, i, &row);
        if (rc < 0)
            return rc;
        /* What none of these runs has is no row. */
        if (row.other_count > 0 || !isnan(row.value))
            u->rows[u->row_count++] = row;
    }
    return 0;
}

int umami_make(const struct mapping *mapping, const struct runs *runs,
               const struct umami_request *request, struct umami *ret, struct err *err)
{
    size_t last = 0;
    int rc = run_find(runs, request, &last, err);
    if (rc < 0)
        return rc;
    const struct run *run = &runs->runs[last];
    const struct run_set *set = &runs->sets[run->set];
    size_t first = set->first;
    if (request->history_max > 0 && last - first > request->history_max)
        first = last - request->history_max;
    struct umami u = {
        .set = set->name, .id = run->id, .t_ns = run->t_ns, .count = last - first + 1
    };
    arena_init(&u.arena, 0);
    rc = rows_make(&u, mapping, &runs->runs[first]);
    if (rc < 0) {
        umami_done(&u);
        return err_set(err, ENOMEM, "out of memory");
    }
    *ret = u;
    return 0;
}

void umami_done(struct umami *umami)
{
    arena_done(&umami->arena);
}
