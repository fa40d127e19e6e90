/* SPDX-License-Identifier: Apache-2.0 */
/* selection - what a query is about: which series, which operations, groups, window. */
#include "query/counters/selection.h"

#include "base/number.h"
#include "base/span.h"
#include "base/suggest.h"
#include "base/timetext.h"

#include <stdio.h>

/* ---- dimensions ---- */

static const char *const dim_names[DIM_COUNT] = {
    [DIM_FS] = "fs",     [DIM_TARGET] = "target", [DIM_SERVER] = "server",
    [DIM_JOB] = "job",   [DIM_USER] = "user",     [DIM_GROUP] = "group",
    [DIM_NODE] = "node", [DIM_OP] = "op",         [DIM_EXECUTABLE] = "executable",
};

const char *dim_name(enum dim dim)
{
    return dim_names[dim];
}

int dim_parse(struct span name, enum dim *ret)
{
    for (enum dim d = 0; d < DIM_COUNT; d++) {
        if (!span_is(name, dim_names[d]))
            continue;
        *ret = d;
        return 0;
    }
    return -EINVAL;
}

struct span dim_of_series(enum dim dim, const struct series *series)
{
    switch (dim) {
    case DIM_FS:
        return series->fs;
    case DIM_TARGET:
        return series->target;
    case DIM_JOB:
        return series->job;
    case DIM_USER:
        return series->user;
    case DIM_GROUP:
        return series->group;
    case DIM_NODE:
        return series->node;
    case DIM_EXECUTABLE:
        return series->executable;
    default:
        return (struct span){ 0 };
    }
}

/* ---- filling ---- */

void selection_init(struct selection *sel, int64_t now_ms)
{
    *sel = (struct selection){ .now_ms = now_ms, .from_ms = T_NONE, .to_ms = T_NONE };
    arena_init(&sel->arena, 1 << 20);
}

void selection_done(struct selection *sel)
{
    arena_done(&sel->arena);
    hostset_free(sel->nodes);
}

/* ---- groups and operations ---- */

int selection_set_by(struct selection *sel, struct span value, struct err *err)
{
    sel->by_count = 0;
    sel->by_op = false;
    sel->has_by = true;
    struct span word;
    while (value.size) {
        (void)span_cut(&value, ',', &word);
        enum dim dim;
        if (dim_parse(span_trim(word), &dim) < 0)
            return suggest_invalid(err, "by", word,
                                   "fs, target, server, job, user, group, node, "
                                   "executable, op");
        if (dim == DIM_OP) {
            sel->by_op = true;
            continue;
        }
        bool is_known = false;
        for (size_t i = 0; i < sel->by_count; i++)
            is_known |= sel->by[i] == dim;
        if (!is_known)
            sel->by[sel->by_count++] = dim;
    }
    return 0;
}

static int measure_add(struct selection *sel, const struct measure *measure,
                       struct err *err)
{
    for (size_t i = 0; i < sel->measure_count; i++)
        if (strcmp(sel->measures[i].name, measure->name) == 0)
            return 0;
    if (sel->measure_count == MEASURES_MAX)
        return err_set(err, EINVAL, "op: more than %d", MEASURES_MAX);
    sel->measures[sel->measure_count++] = *measure;
    return 0;
}

int selection_set_ops(struct selection *sel, struct span value, struct err *err)
{
    struct span word;
    int rc = 0;
    while (rc == 0 && value.size) {
        struct measure measure;
        (void)span_cut(&value, ',', &word);
        word = span_trim(word);
        for (enum op op = 0; rc == 0 && span_is(word, "all") && op < OP_COUNT; op++) {
            measure_of_op(op, &measure);
            rc = measure_add(sel, &measure, err);
        }
        if (span_is(word, "all"))
            continue;
        rc = measure_parse(word, &measure, err);
        if (rc < 0)
            return err_prefix(err, rc, "op");
        rc = measure_add(sel, &measure, err);
    }
    sel->has_ops = sel->measure_count > 0;
    return rc;
}

/* ---- settling ---- */

static int settle_window(struct selection *sel, int64_t last_ms, int64_t latest_ms,
                         struct err *err)
{
    if (sel->last_is_rounds && !sel->rated_ms &&
        (sel->from_ms != T_NONE || sel->to_ms != T_NONE))
        return err_set(err, EINVAL,
                       "last=rounds is of now: it goes with neither from nor to");
    if (sel->last_ms && sel->from_ms != T_NONE)
        return err_set(err, EINVAL,
                       "last and from exclude each other: give one of them");
    if (sel->last_ms)
        last_ms = sel->last_ms;
    if (sel->to_ms == T_NONE) {
        sel->to_ms = sel->now_ms;
        /* What has not been observed yet would make every rate too low. */
        if (sel->from_ms == T_NONE && latest_ms != T_NONE && latest_ms < sel->now_ms)
            sel->to_ms = latest_ms;
    }
    if (sel->from_ms == T_NONE)
        sel->from_ms = sel->to_ms > last_ms ? sel->to_ms - last_ms : 0;
    if (sel->from_ms < sel->not_before_ms) {
        sel->from_ms = sel->not_before_ms;
        if (sel->to_ms <= sel->from_ms)
            sel->to_ms = sel->from_ms + 1;
    }
    if (sel->from_ms < 0 || sel->from_ms >= sel->to_ms)
        return err_set(err, EINVAL, "from must lie before to");
    return 0;
}

static int settle_step(const struct selection *sel, struct err *err)
{
    if (sel->step_ms == 0)
        return 0;
    if ((sel->to_ms - sel->from_ms) / sel->step_ms >= SELECTION_STEPS_MAX)
        return err_set(err, EINVAL, "step: more than %d steps: use a longer one",
                       SELECTION_STEPS_MAX);
    return 0;
}

int selection_settle(struct selection *sel, const struct selection_defaults *defaults,
                     int64_t latest_ms, struct err *err)
{
    int rc = 0;
    if (sel->measure_count == 0) {
        rc = selection_set_ops(sel, span_of(defaults->ops), err);
        sel->has_ops = false;
    }
    if (rc == 0 && !sel->has_by)
        rc = selection_set_by(sel, span_of(defaults->by), err);
    bool is_relative = sel->from_ms == T_NONE;
    if (rc == 0)
        rc = settle_window(sel, defaults->last_ms, latest_ms, err);
    if (rc == 0)
        rc = settle_step(sel, err);
    if (rc < 0)
        return rc;
    /* "By the hour of the last week" means hours as a clock has them. */
    if (is_relative && sel->step_ms && sel->step_ms % ROLLUP_HOUR_MS == 0)
        sel->skew_ms = sel->from_ms % sel->step_ms;
    if (sel->limit == 0)
        sel->limit = defaults->limit;
    sel->lookback_ms = defaults->lookback_ms;
    return 0;
}

void selection_cut(struct selection *sel, int64_t count)
{
    sel->step_ms = (sel->to_ms - sel->from_ms + count - 1) / count;
    /* Fewer steps than wanted, down to half of them, are less than reading rows: an
     * edge within an hour would cost that whole hour's. */
    if (sel->step_ms < ROLLUP_HOUR_MS / 2)
        return;
    sel->step_ms =
        (sel->step_ms + ROLLUP_HOUR_MS - 1) / ROLLUP_HOUR_MS * ROLLUP_HOUR_MS;
    sel->skew_ms = sel->from_ms % ROLLUP_HOUR_MS;
}

size_t selection_steps(const struct selection *sel)
{
    if (sel->step_ms == 0)
        return 1;
    int64_t span_ms = sel->to_ms - sel->from_ms + sel->skew_ms;
    return (size_t)((span_ms + sel->step_ms - 1) / sel->step_ms);
}

int64_t selection_rated_from_ms(const struct selection *sel)
{
    return sel->rated_ms ? sel->to_ms - sel->rated_ms : sel->from_ms;
}

size_t selection_step_of(const struct selection *sel, int64_t t_ms)
{
    if (sel->step_ms == 0 || t_ms <= sel->from_ms)
        return 0;
    return (size_t)((t_ms - sel->from_ms + sel->skew_ms - 1) / sel->step_ms);
}

int64_t selection_follow_ms(const struct selection *sel)
{
    int64_t reach_ms = selection_reach_ms(sel);
    int64_t far_ms =
        sel->lookback_ms > SELECTION_FOLLOW_MS ? sel->lookback_ms : SELECTION_FOLLOW_MS;
    return sel->to_ms - far_ms > reach_ms ? sel->to_ms - far_ms : reach_ms;
}

int64_t selection_reach_ms(const struct selection *sel)
{
    int64_t back = sel->to_ms - sel->lookback_ms;
    if (back < sel->not_before_ms)
        back = sel->not_before_ms;
    return sel->lookback_ms && back < sel->from_ms ? back : sel->from_ms;
}

/* ---- matching ---- */

static bool text_fits(struct span wanted, struct span text)
{
    return !wanted.data || (text.data && span_eq(wanted, text));
}

/* Of numbers that are given any, else the text. */
static bool number_fits(struct span wanted, const struct span *numbers, size_t count,
                        struct span text)
{
    for (size_t i = 0; numbers && i < count; i++)
        if (text.data && span_eq(numbers[i], text))
            return true;
    return !numbers && text_fits(wanted, text);
}

bool selection_has(const struct selection *sel, const struct series *series)
{
    const struct series_filter *f = &sel->filter;
    if (f->target && !span_glob_any(series->target, f->target))
        return false;
    if (f->id && memcmp(f->id, &series->id, sizeof *f->id) != 0)
        return false;
    return text_fits(f->fs, series->fs) && text_fits(f->job, series->job) &&
           number_fits(f->user, f->users, f->user_count, series->user) &&
           number_fits(f->group, f->groups, f->group_count, series->group) &&
           (f->nodes ? hostset_has(f->nodes, series->node)
                     : text_fits(f->node, series->node)) &&
           text_fits(f->executable, series->executable) &&
           text_fits(f->entry_id, series->entry_id);
}

bool selection_is_open(const struct selection *sel)
{
    const struct series_filter *f = &sel->filter;
    return !f->fs.data && !f->target && !f->job.data && !f->user.data &&
           !f->group.data && !f->node.data && !f->executable.data &&
           !f->entry_id.data && !f->id;
}
