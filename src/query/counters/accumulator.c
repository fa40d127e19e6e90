/* SPDX-License-Identifier: Apache-2.0 */
/* accumulator - increments added up by group and window, in integers. */
#include "query/counters/accumulator.h"

#include "base/hashmap.h"
#include "base/span.h"

#define ACCUMULATOR_CELLS_MAX ((size_t)1 << 20)

struct accumulator_builder {
    struct arena arena;
    int error;
    struct hashmap texts;   /* bytes -> number */
    struct span *text_list; /* by number; 0 is nothing */
    size_t text_count, text_capacity;
    struct hashmap groups; /* key -> index + 1 */
    size_t group_capacity;
    struct hashmap distinct; /* (group, dim, text) */
    size_t span_bytes;
    struct budget_meter meter;
    /* the series that is being added */
    int64_t sid;
    enum target_kind kind;
    uint32_t dims[DIM_TEXT_COUNT];
    bool is_counted;                  /* in notes.series */
    bool is_elsewhere;                /* observed by a server that is not selected */
    size_t step;                      /* that the last increment ended in */
    int64_t step_from_ms, step_to_ms; /* of sums: its borders; from > to: not known */
    struct accumulator_group *group;  /* NULL: to be found */
    struct accumulator_span active;   /* gathered so far; t_ms T_NONE: nothing */
};

/* What it holds by now is charged, wherever something was added. */
static void follow(struct accumulator_builder *m)
{
    size_t bytes =
        m->arena.used_bytes + hashmap_bytes(&m->texts) + hashmap_bytes(&m->groups) +
        hashmap_bytes(&m->distinct) + m->text_capacity * sizeof *m->text_list +
        m->group_capacity * sizeof(struct accumulator_group *) + m->span_bytes;
    if (!m->error)
        m->error = budget_meter_follow(&m->meter, bytes);
}

/* ---- texts ---- */

static uint32_t text_number(struct accumulator_builder *m, struct span text)
{
    if (!text.data || m->error)
        return 0;
    uintptr_t *number = hashmap_get(&m->texts, text);
    if (number)
        return (uint32_t)*number;
    if (m->text_count == m->text_capacity) {
        size_t capacity = m->text_capacity ? m->text_capacity * 2 : 256;
        struct span *grown = realloc(m->text_list, capacity * sizeof *grown);
        if (!grown) {
            m->error = -ENOMEM;
            return 0;
        }
        m->text_list = grown;
        m->text_capacity = capacity;
    }
    char *copy = arena_dup(&m->arena, text);
    number = copy ? hashmap_put(&m->texts, text, NULL) : NULL;
    if (!number) {
        m->error = copy ? -ENOMEM : -E2BIG;
        return 0;
    }
    m->text_list[m->text_count] = (struct span){ copy, text.size };
    *number = m->text_count++;
    follow(m);
    return (uint32_t)*number;
}

struct span accumulator_text(const struct accumulator *accumulator, uint32_t text)
{
    return accumulator->builder->text_list[text];
}

/* ---- groups ---- */

static struct accumulator_group *group_new(struct accumulator *accumulator,
                                           const uint32_t *key)
{
    struct accumulator_builder *m = accumulator->builder;
    size_t measures = accumulator->sel->measure_count;
    if (accumulator->group_count == m->group_capacity) {
        size_t capacity = m->group_capacity ? m->group_capacity * 2 : 64;
        size_t size = capacity * sizeof(struct accumulator_group *);
        struct accumulator_group **grown = realloc(accumulator->groups, size);
        if (!grown) {
            m->error = -ENOMEM;
            return NULL;
        }
        accumulator->groups = grown;
        m->group_capacity = capacity;
    }
    struct accumulator_group *group = arena_alloc(&m->arena, sizeof *group);
    size_t cells = accumulator->step_count * measures;
    accumulator_sum *sums = arena_alloc(&m->arena, (cells + measures) * sizeof *sums);
    if (!group || !sums) {
        m->error = -E2BIG;
        return NULL;
    }
    memcpy(group->key, key, sizeof group->key);
    group->sums = sums;
    group->unknown = sums + cells;
    accumulator->groups[accumulator->group_count++] = group;
    follow(m);
    return m->error ? NULL : group;
}

/* Count a text that this group has not had before in this dimension. */
static void group_count_dim(struct accumulator *accumulator, size_t index, enum dim dim)
{
    struct accumulator_builder *m = accumulator->builder;
    uint32_t key[3] = { (uint32_t)index, dim, m->dims[dim] };
    if (key[2] == 0)
        return;
    bool is_new = false;
    struct span bytes = { (const char *)key, sizeof key };
    if (!hashmap_put(&m->distinct, bytes, &is_new)) {
        m->error = -ENOMEM;
        return;
    }
    if (!is_new)
        return;
    follow(m);
    struct accumulator_group *group = accumulator->groups[index];
    group->distinct[dim]++;
    if (!group->sample[dim])
        group->sample[dim] = key[2];
}

static struct accumulator_group *group_of(struct accumulator *accumulator)
{
    struct accumulator_builder *m = accumulator->builder;
    if (m->group)
        return m->group;
    uint32_t key[DIM_TEXT_COUNT] = { 0 };
    for (size_t i = 0; i < accumulator->sel->by_count; i++)
        key[i] = m->dims[accumulator->sel->by[i]];
    struct span bytes = { (const char *)key, sizeof key };
    uintptr_t *index = hashmap_put(&m->groups, bytes, NULL);
    if (!index) {
        m->error = -ENOMEM;
        return NULL;
    }
    if (*index == 0) {
        if (!group_new(accumulator, key))
            return NULL;
        *index = accumulator->group_count;
    }
    m->group = accumulator->groups[*index - 1];
    return m->group;
}

static void group_count_dims(struct accumulator *accumulator)
{
    uint32_t key[DIM_TEXT_COUNT] = { 0 };
    for (size_t i = 0; i < accumulator->sel->by_count; i++)
        key[i] = accumulator->builder->dims[accumulator->sel->by[i]];
    struct span bytes = { (const char *)key, sizeof key };
    const uintptr_t *index = hashmap_get(&accumulator->builder->groups, bytes);
    for (enum dim d = 0; index && d < DIM_TEXT_COUNT; d++)
        group_count_dim(accumulator, *index - 1, d);
}

/* ---- activity ---- */

static void span_keep(struct accumulator *accumulator)
{
    struct accumulator_builder *m = accumulator->builder;
    struct accumulator_group *group = m->group;
    if (m->active.t_ms == T_NONE || !group)
        return;
    if (group->span_count == group->span_capacity) {
        size_t capacity = group->span_capacity ? group->span_capacity * 2 : 4;
        m->span_bytes += (capacity - group->span_capacity) * sizeof *group->spans;
        struct accumulator_span *grown = NULL;
        if (m->span_bytes <= ACCUMULATOR_BYTES_MAX)
            grown = realloc(group->spans, capacity * sizeof *grown);
        if (!grown) {
            m->error = m->span_bytes <= ACCUMULATOR_BYTES_MAX ? -ENOMEM : -E2BIG;
            return;
        }
        group->spans = grown;
        group->span_capacity = capacity;
        follow(m);
    }
    group->spans[group->span_count++] = m->active;
    m->active.t_ms = T_NONE;
}

/* In the order of time but for rows that were read once more; those of two servers may
 * overlap. */
static void span_add(struct accumulator *accumulator, const struct increment *inc)
{
    struct accumulator_builder *m = accumulator->builder;
    struct accumulator_span *active = &m->active;
    if (active->t_ms != T_NONE && inc->since_ms - active->t_ms <= ACCUMULATOR_GAP_MS &&
        active->since_ms - inc->t_ms <= ACCUMULATOR_GAP_MS) {
        active->since_ms =
            inc->since_ms < active->since_ms ? inc->since_ms : active->since_ms;
        active->t_ms = inc->t_ms > active->t_ms ? inc->t_ms : active->t_ms;
        return;
    }
    span_keep(accumulator);
    *active = (struct accumulator_span){ inc->since_ms, inc->t_ms };
}

static int compare_spans(const void *a, const void *b)
{
    const struct accumulator_span *x = a, *y = b;
    if (x->t_ms != y->t_ms)
        return x->t_ms < y->t_ms ? 1 : -1; /* latest end first */
    return (x->since_ms > y->since_ms) - (x->since_ms < y->since_ms);
}

int64_t accumulator_active_since(const struct accumulator *accumulator,
                                 struct accumulator_group *group, bool *ret_is_cut)
{
    *ret_is_cut = false;
    if (group->span_count == 0)
        return T_NONE;
    qsort(group->spans, group->span_count, sizeof *group->spans, compare_spans);
    int64_t since = group->spans[0].since_ms;
    for (size_t i = 1; i < group->span_count; i++) {
        if (since - group->spans[i].t_ms > ACCUMULATOR_GAP_MS)
            break;
        if (group->spans[i].since_ms < since)
            since = group->spans[i].since_ms;
    }
    int64_t follow_ms = selection_follow_ms(accumulator->sel);
    *ret_is_cut = since - follow_ms <= ACCUMULATOR_GAP_MS;
    return since;
}

/* ---- adding ---- */

/* Of sums only the names of groups are ever read. */
static void number_by_dims(struct accumulator *accumulator, const struct series *series)
{
    const struct selection *sel = accumulator->sel;
    for (size_t i = 0; i < sel->by_count; i++)
        if (sel->by[i] < DIM_TEXT_COUNT)
            accumulator->builder->dims[sel->by[i]] =
                text_number(accumulator->builder, dim_of_series(sel->by[i], series));
}

void accumulator_series(struct accumulator *accumulator, const struct series *series)
{
    struct accumulator_builder *m = accumulator->builder;
    if (m->sid != 0 && m->sid == series->sid)
        return;
    span_keep(accumulator);
    m->sid = series->sid;
    m->group = NULL;
    m->is_counted = false;
    m->kind = series->kind;
    m->is_elsewhere = accumulator->sel->server.data;
    if (accumulator->sel->is_sums)
        number_by_dims(accumulator, series);
    else
        for (enum dim d = 0; d < DIM_TEXT_COUNT; d++)
            m->dims[d] = text_number(m, dim_of_series(d, series));
}

static bool is_by_server(const struct selection *sel)
{
    for (size_t i = 0; i < sel->by_count; i++)
        if (sel->by[i] == DIM_SERVER)
            return true;
    return false;
}

void accumulator_server(struct accumulator *accumulator, struct span server)
{
    struct accumulator_builder *m = accumulator->builder;
    const struct selection *sel = accumulator->sel;
    if (sel->is_sums && !sel->server.data && !is_by_server(sel))
        return;
    m->is_elsewhere = sel->server.data && !span_eq(server, sel->server);
    if (m->is_elsewhere || m->error)
        return;
    if (server.size == 0)
        server.data = NULL;
    if (server.data && m->dims[DIM_SERVER] &&
        span_eq(server, m->text_list[m->dims[DIM_SERVER]]))
        return;
    uint32_t number = text_number(m, server);
    if (number == m->dims[DIM_SERVER])
        return;
    span_keep(accumulator);
    m->group = NULL;
    m->is_counted = false;
    m->dims[DIM_SERVER] = number;
}

static accumulator_sum amount_of(const struct increment *inc,
                                 const struct measure *measure)
{
    accumulator_sum sum = 0;
    for (uint64_t ops = measure->samples & inc->has_samples; ops; ops &= ops - 1)
        sum += inc->samples[__builtin_ctzll(ops)];
    for (uint64_t ops = measure->sums & inc->has_sum; ops; ops &= ops - 1)
        sum += inc->sum[__builtin_ctzll(ops)];
    return sum;
}

static bool any_of(uint64_t ops, const uint64_t *values)
{
    for (; ops; ops &= ops - 1)
        if (values[__builtin_ctzll(ops)])
            return true;
    return false;
}

/* Does the increment have anything of what is selected, whenever it was? */
static bool is_active(const struct accumulator *accumulator,
                      const struct increment *inc)
{
    for (size_t i = 0; i < accumulator->sel->measure_count; i++) {
        const struct measure *measure = &accumulator->sel->measures[i];
        if ((measure->kinds >> accumulator->builder->kind & 1) &&
            (any_of(measure->samples & inc->has_samples, inc->samples) ||
             any_of(measure->sums & inc->has_sum, inc->sum)))
            return true;
    }
    return false;
}

/* Increments come in the order of time: it is mostly where the last one ended. */
static size_t step_near_last(const struct accumulator *accumulator, int64_t t_ms)
{
    const struct selection *sel = accumulator->sel;
    size_t step = accumulator->builder->step;
    if (t_ms > selection_step_from(sel, step) && t_ms <= selection_step_to(sel, step))
        return step;
    if (step + 1 < accumulator->step_count && t_ms > selection_step_to(sel, step) &&
        t_ms <= selection_step_to(sel, step + 1))
        return step + 1;
    return selection_step_of(sel, t_ms);
}

/* What has accrued at the end of each step, from the first that ends after since on. */
static void spread_counter(const struct accumulator *accumulator,
                           const struct increment *inc, uint64_t amount, size_t step,
                           accumulator_sum *sum)
{
    const struct selection *sel = accumulator->sel;
    uint64_t before = counter_accrued(amount, inc->since_ms, inc->t_ms,
                                      selection_step_from(sel, step));
    for (; step < accumulator->step_count && before < amount; step++) {
        uint64_t by_then = counter_accrued(amount, inc->since_ms, inc->t_ms,
                                           selection_step_to(sel, step));
        *sum += by_then - before;
        before = by_then;
        sum += sel->measure_count;
    }
}

static void spread_measure(const struct accumulator *accumulator,
                           const struct increment *inc, const struct measure *measure,
                           size_t step, accumulator_sum *sum)
{
    for (uint64_t ops = measure->samples & inc->has_samples; ops; ops &= ops - 1)
        spread_counter(accumulator, inc, inc->samples[__builtin_ctzll(ops)], step, sum);
    for (uint64_t ops = measure->sums & inc->has_sum; ops; ops &= ops - 1)
        spread_counter(accumulator, inc, inc->sum[__builtin_ctzll(ops)], step, sum);
}

static void add_parts(struct accumulator *accumulator, struct accumulator_group *group,
                      const struct increment *inc)
{
    const struct selection *sel = accumulator->sel;
    struct accumulator_builder *m = accumulator->builder;
    /* The first step that ends after since; a point at t lies in t's own step. */
    bool is_point = inc->since_ms >= inc->t_ms || inc->since_ms == T_NONE;
    size_t step = step_near_last(accumulator, is_point ? inc->t_ms : inc->since_ms + 1);
    if (step >= accumulator->step_count || selection_step_from(sel, step) >= inc->t_ms)
        return;
    int64_t to_ms = selection_step_to(sel, step);
    bool is_whole =
        selection_step_from(sel, step) <= inc->since_ms && inc->t_ms <= to_ms;
    if (is_point && inc->t_ms > to_ms)
        return;
    m->step = inc->t_ms > to_ms && step + 1 < accumulator->step_count ? step + 1 : step;
    for (size_t i = 0; i < sel->measure_count; i++) {
        accumulator_sum *sum = &group->sums[step * sel->measure_count + i];
        if (!(sel->measures[i].kinds >> m->kind & 1))
            continue;
        if (is_whole || is_point)
            *sum += amount_of(inc, &sel->measures[i]);
        else
            spread_measure(accumulator, inc, &sel->measures[i], step, sum);
    }
}

static void add_unknown(struct accumulator *accumulator,
                        struct accumulator_group *group, const struct increment *inc)
{
    const struct selection *sel = accumulator->sel;
    for (size_t i = 0; i < sel->measure_count; i++)
        if (sel->measures[i].kinds >> accumulator->builder->kind & 1)
            group->unknown[i] += amount_of(inc, &sel->measures[i]);
}

/* Does the result depend on how the increment lay in a time longer than rounds are? */
static bool is_spread(const struct selection *sel, const struct increment *inc)
{
    if (inc->t_ms - inc->since_ms <= ACCUMULATOR_GAP_MS ||
        (inc->flags & (INCREMENT_UNKNOWN | INCREMENT_INTERPOLATED)))
        return false; /* or it has its own note */
    return inc->since_ms < sel->from_ms || inc->t_ms > sel->to_ms ||
           selection_step_of(sel, inc->since_ms + 1) !=
               selection_step_of(sel, inc->t_ms);
}

static void count_notes(struct accumulator *accumulator, const struct increment *inc)
{
    struct accumulator_notes *notes = &accumulator->notes;
    notes->increments++;
    notes->spread += is_spread(accumulator->sel, inc);
    if (notes->last_ms == T_NONE || inc->since_ms < notes->first_ms)
        notes->first_ms = inc->since_ms;
    if (inc->t_ms > notes->last_ms)
        notes->last_ms = inc->t_ms;
    for (int i = 0; i < INCREMENT_FLAG_COUNT; i++)
        accumulator->notes.flags[i] += inc->flags >> i & 1;
    if (!accumulator->builder->is_counted) {
        accumulator->notes.series++;
        group_count_dims(accumulator);
    }
    accumulator->builder->is_counted = true;
}

static bool lacks_counters(const struct accumulator *accumulator,
                           const struct increment *inc)
{
    const unsigned lossy = INCREMENT_LOST_TAIL | INCREMENT_MISSING;
    if (!(inc->flags & lossy))
        return false;
    if (inc->flags & INCREMENT_LOST_TAIL)
        return true;
    for (size_t i = 0; i < accumulator->sel->measure_count; i++)
        if ((accumulator->sel->measures[i].samples & inc->missing_samples) ||
            (accumulator->sel->measures[i].sums & inc->missing_sum))
            return true;
    return false;
}

/* Can any of it have accrued in what is looked at? */
static bool is_within(const struct selection *sel, const struct increment *inc)
{
    if (inc->t_ms <= selection_reach_ms(sel))
        return false;
    if (inc->flags & INCREMENT_UNKNOWN) /* since when is not known */
        return inc->t_ms - INCREMENT_UNKNOWN_MS < sel->to_ms;
    return inc->since_ms < sel->to_ms || inc->t_ms <= sel->to_ms;
}

static void note_step(struct accumulator *accumulator, size_t step)
{
    struct accumulator_builder *m = accumulator->builder;
    m->step = step;
    m->step_from_ms = selection_step_from(accumulator->sel, step);
    m->step_to_ms = selection_step_to(accumulator->sel, step);
}

/* It lies in the step of the one before, as most do, or in the one behind it. */
static bool is_in_last_step(struct accumulator *accumulator,
                            const struct increment *inc)
{
    struct accumulator_builder *m = accumulator->builder;
    if (!m->group || inc->since_ms < m->step_from_ms || inc->since_ms >= inc->t_ms)
        return false;
    if (inc->since_ms >= m->step_to_ms && m->step + 1 < accumulator->step_count)
        note_step(accumulator, m->step + 1);
    return inc->since_ms >= m->step_from_ms && inc->t_ms <= m->step_to_ms;
}

/* What is not known to have accrued in the window is in no sum. */
static void add_to_sums(struct accumulator *accumulator, const struct increment *inc)
{
    const struct selection *sel = accumulator->sel;
    struct accumulator_builder *m = accumulator->builder;
    if (inc->flags & INCREMENT_UNKNOWN)
        return;
    if (is_in_last_step(accumulator, inc)) {
        accumulator_sum *sum = &m->group->sums[m->step * sel->measure_count];
        for (size_t i = 0; i < sel->measure_count; i++)
            if (sel->measures[i].kinds >> m->kind & 1)
                sum[i] += amount_of(inc, &sel->measures[i]);
        return;
    }
    if (inc->t_ms <= sel->from_ms || !is_active(accumulator, inc) ||
        !is_within(sel, inc))
        return;
    struct accumulator_group *group = group_of(accumulator);
    if (!group)
        return;
    add_parts(accumulator, group, inc);
    note_step(accumulator, m->step);
}

void accumulator_add(struct accumulator *accumulator, const struct increment *inc)
{
    const struct selection *sel = accumulator->sel;
    if (accumulator->builder->error || accumulator->builder->is_elsewhere)
        return;
    if (sel->is_sums) {
        add_to_sums(accumulator, inc);
        return;
    }
    bool is_active_now = is_active(accumulator, inc);
    bool is_lacking = lacks_counters(accumulator, inc);
    if ((!is_active_now && !is_lacking) || !is_within(sel, inc))
        return;
    struct accumulator_group *group = group_of(accumulator);
    if (!group)
        return;
    bool is_known = !(inc->flags & INCREMENT_UNKNOWN);
    if (sel->lookback_ms && is_active_now && is_known &&
        inc->t_ms > selection_follow_ms(sel))
        span_add(accumulator, inc);
    if (inc->t_ms <= sel->from_ms)
        return;
    /* What lies before it is for the trend only. */
    bool is_rated = inc->t_ms > selection_rated_from_ms(sel);
    if (is_rated) {
        count_notes(accumulator, inc);
        group->is_unbounded |= is_lacking;
    }
    if (is_known)
        add_parts(accumulator, group, inc);
    else if (is_rated)
        add_unknown(accumulator, group, inc);
}

accumulator_sum accumulator_total(const struct accumulator *accumulator,
                                  const struct accumulator_group *group, size_t measure)
{
    accumulator_sum total = 0;
    size_t first = accumulator->sel->rated_ms ? accumulator->step_count - 1 : 0;
    for (size_t step = first; step < accumulator->step_count; step++)
        total += group->sums[step * accumulator->sel->measure_count + measure];
    return total;
}

/* ---- making ---- */

int accumulator_new(const struct selection *sel, struct accumulator **ret,
                    struct err *err)
{
    size_t steps = selection_steps(sel);
    if (steps * sel->measure_count > ACCUMULATOR_CELLS_MAX)
        return err_set(err, E2BIG, "too many steps for %zu operations",
                       sel->measure_count);
    AUTO(accumulator_free)
    struct accumulator *accumulator = calloc(1, sizeof *accumulator);
    if (!accumulator)
        return -ENOMEM;
    accumulator->builder = calloc(1, sizeof *accumulator->builder);
    if (!accumulator->builder)
        return -ENOMEM;
    accumulator->notes.first_ms = accumulator->notes.last_ms = T_NONE;
    accumulator->sel = sel;
    accumulator->step_count = steps;
    arena_init(&accumulator->builder->arena, ACCUMULATOR_BYTES_MAX);
    accumulator->builder->meter.hold = sel->hold;
    accumulator->builder->active.t_ms = T_NONE;
    accumulator->builder->step_from_ms = INT64_MAX;
    accumulator->builder->text_list =
        calloc(256, sizeof *accumulator->builder->text_list);
    if (!accumulator->builder->text_list)
        return -ENOMEM;
    accumulator->builder->text_capacity = 256;
    accumulator->builder->text_count = 1;
    *ret = TAKE(accumulator);
    return 0;
}

void accumulator_free(struct accumulator *accumulator)
{
    if (!accumulator)
        return;
    for (size_t i = 0; i < accumulator->group_count; i++)
        free(accumulator->groups[i]->spans);
    free(accumulator->groups);
    if (accumulator->builder) {
        budget_meter_done(&accumulator->builder->meter);
        hashmap_done(&accumulator->builder->texts);
        hashmap_done(&accumulator->builder->groups);
        hashmap_done(&accumulator->builder->distinct);
        free(accumulator->builder->text_list);
        arena_done(&accumulator->builder->arena);
    }
    free(accumulator->builder);
    free(accumulator);
}

int accumulator_finish(struct accumulator *accumulator, struct err *err)
{
    span_keep(accumulator);
    if (accumulator->builder->error == -E2BIG)
        return err_set(err, E2BIG,
                       "too many groups: narrow the selection, or choose fewer steps");
    return accumulator->builder->error;
}
