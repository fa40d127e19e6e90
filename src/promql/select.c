/* SPDX-License-Identifier: Apache-2.0 */
/* select - series of the source as rows, computed while they are read. */
#include "promql/select.h"

#include <stdlib.h>

struct selecting {
    struct evaluation *ev;
    const struct expr_selector *selector;
    const struct step_grid *grid;
    enum instant_value what;
    const struct window_call *call; /* NULL: instants */
    struct row_set *set;
};

int64_t select_time(const struct evaluation *ev, const struct time_shift *shift,
                    int64_t step_ms)
{
    int64_t t = step_ms;
    if (shift->anchor == ANCHOR_TIME)
        t = shift->anchor_ms;
    else if (shift->anchor == ANCHOR_START)
        t = ev->request->start_ms;
    else if (shift->anchor == ANCHOR_END)
        t = ev->request->end_ms;
    return t - shift->offset_ms;
}

/* The newest sample not after each step, if it is young enough and no mark of an end.
 */
static void instants_of(const struct selecting *s, const struct promql_samples *samples,
                        double *values)
{
    size_t next = 0;
    for (size_t i = 0; i < s->grid->count; i++) {
        int64_t t = select_time(s->ev, &s->selector->shift, step_time(s->grid, i));
        while (next < samples->count && samples->times_ms[next] <= t)
            next++;
        if (next == 0 ||
            samples->times_ms[next - 1] < t - s->ev->request->lookback_ms ||
            is_stale(samples->values[next - 1]))
            continue;
        values[i] = s->what == INSTANT_TIME ? (double)samples->times_ms[next - 1] / 1000
                                            : samples->values[next - 1];
        if (is_absent(values[i]))
            values[i] = __builtin_nan("");
    }
}

/* Samples without marks of an end, in memory of their own where there are any. */
static int without_stale(const struct promql_samples *samples,
                         struct promql_samples *ret, void **ret_memory)
{
    size_t first = 0, count = 0;
    while (first < samples->count && !is_stale(samples->values[first]))
        first++;
    *ret = *samples;
    if (first == samples->count)
        return 0;
    size_t size = samples->count * sizeof(int64_t);
    char *memory = malloc(2 * size);
    if (!memory)
        return -ENOMEM;
    int64_t *times = (int64_t *)(void *)memory;
    double *values = (double *)(void *)(memory + size);
    for (size_t i = 0; i < samples->count; i++) {
        if (is_stale(samples->values[i]))
            continue;
        times[count] = samples->times_ms[i];
        values[count++] = samples->values[i];
    }
    *ret = (struct promql_samples){ count, times, values };
    *ret_memory = memory;
    return 0;
}

static int windows_of(struct evaluation *ev, const struct window_call *call,
                      const struct step_grid *grid, const struct promql_samples *s,
                      double *scratch, double *values)
{
    size_t begin = 0, end = 0;
    for (size_t i = 0; i < grid->count; i++) {
        struct window w = { .now_ms = step_time(grid, i), .scratch = scratch };
        w.to_ms = select_time(ev, &call->shift, w.now_ms);
        w.from_ms = w.to_ms - call->range_ms;
        while (end < s->count && s->times_ms[end] <= w.to_ms)
            end++;
        while (begin < end && s->times_ms[begin] < w.from_ms)
            begin++;
        if (begin == end)
            continue;
        w.count = end - begin;
        w.times_ms = s->times_ms + begin;
        w.values = s->values + begin;
        for (size_t p = 0; p < 2; p++)
            w.parameters[p] = call->parameters[p] ? call->parameters[p][i] : 0;
        double value = 0;
        int rc = call->fn(&w, &value);
        if (rc < 0)
            return err_set(ev->err, EDOM,
                           "holt_winters(): the smoothing and the trend factor must be "
                           "between 0 and 1");
        int canceled = evaluation_spend(ev, w.count);
        if (canceled < 0)
            return canceled;
        if (rc > 0)
            values[i] = is_absent(value) ? __builtin_nan("") : value;
    }
    return 0;
}

int window_call_run(struct evaluation *ev, const struct window_call *call,
                    const struct step_grid *grid, const struct promql_samples *samples,
                    double *values)
{
    AUTO_FREE void *memory = NULL;
    struct promql_samples clean;
    int rc = without_stale(samples, &clean, &memory);
    AUTO_FREE double *scratch = malloc((clean.count + 1) * sizeof *scratch);
    if (rc < 0 || !scratch)
        return evaluation_no_memory(ev);
    rc = windows_of(ev, call, grid, &clean, scratch, values);
    return rc < 0 ? rc : evaluation_charge(ev, grid->count);
}

static int put_series(void *arg, const struct labels *labels,
                      const struct promql_samples *samples)
{
    struct selecting *s = arg;
    struct labels copy;
    struct row *row = NULL;
    int rc = evaluation_charge(s->ev, samples->count);
    if (rc < 0)
        return rc;
    rc = labels_copy(&s->ev->arena, labels, &copy);
    if (rc == -ENOMEM)
        return evaluation_no_memory(s->ev);
    if (rc < 0)
        return err_set(s->ev->err, EINVAL, "a series has one label twice");
    rc = row_set_add(s->set, &copy, &row);
    if (rc < 0)
        return rc;
    if (s->call)
        rc = window_call_run(s->ev, s->call, s->grid, samples, row->values);
    else
        instants_of(s, samples, row->values);
    if (rc == 0 && !row_has_values(s->set, row))
        s->set->count--;
    return rc;
}

static int select_rows(struct selecting *s, int64_t back_ms)
{
    const struct time_shift *shift = &s->selector->shift;
    struct promql_selection selection = {
        .matchers = s->selector->matchers,
        .matcher_count = s->selector->matcher_count,
        .from_ms = select_time(s->ev, shift, s->grid->start_ms) - back_ms,
        .first_ms = select_time(s->ev, shift, s->grid->start_ms),
        .to_ms = select_time(s->ev, shift, step_time(s->grid, s->grid->count - 1)),
    };
    if (s->call)
        selection.first_ms = selection.from_ms;
    else if (selection.to_ms > selection.first_ms)
        selection.step_ms = s->grid->step_ms;
    const struct promql_source *source = s->ev->source;
    int rc = source->select(source->arg, &selection, put_series, s, s->ev->err);
    if (rc == 0)
        row_set_sort(s->set);
    return rc;
}

int select_instants(struct evaluation *ev, const struct expr *selector,
                    const struct step_grid *grid, enum instant_value what,
                    struct row_set *set)
{
    struct selecting s = { ev, &selector->selector, grid, what, NULL, set };
    return select_rows(&s, ev->request->lookback_ms);
}

int select_windows(struct evaluation *ev, const struct expr *selector,
                   const struct step_grid *grid, const struct window_call *call,
                   struct row_set *set)
{
    struct selecting s = { ev, &selector->selector, grid, INSTANT_VALUE, call, set };
    return select_rows(&s, call->range_ms);
}
