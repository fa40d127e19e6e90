/* SPDX-License-Identifier: Apache-2.0 */
/* job_targets - how the targets of a job's file system were while it ran. */
#include "analysis/job/job_targets.h"

#include "base/number.h"
#include "base/span.h"
#include "model/model.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void job_targets_done(struct job_targets *targets)
{
    arena_done(&targets->arena);
    *targets = (struct job_targets){ 0 };
}

/* The column of this name and type; -1: there is none. */
static int typed_column(const struct table *table, const char *name,
                        enum table_type type)
{
    int column = table_find_column(table, name);
    return column >= 0 && table->columns[column].type == type ? column : -1;
}

static const char *target_text(const struct table *table, size_t row, int column)
{
    const struct table_cell *cell = table_at(table, row, (size_t)column);
    return cell->is_null ? NULL : cell->text;
}

/* The target of this name, which is added where it is new; NULL: it names none.
 * *ret_rc: -ENOMEM. */
static struct job_target *target_named(struct job_targets *t, const char *name,
                                       int *ret_rc)
{
    struct target_name parts;
    for (size_t i = 0; name && i < t->count; i++)
        if (strcmp(t->items[i].name, name) == 0)
            return &t->items[i];
    if (!name || target_parse(span_of(name), &parts) < 0)
        return NULL;
    const char *copy = arena_dup(&t->arena, span_of(name));
    if (!copy) {
        *ret_rc = -ENOMEM;
        return NULL;
    }
    t->items[t->count] = (struct job_target){ .name = copy,
                                              .is_mdt = parts.kind == TARGET_MDT,
                                              .index = (int)parts.index,
                                              .used_pct = NAN };
    return &t->items[t->count++];
}

static int space_read(struct job_targets *t, const struct table *space)
{
    int name = typed_column(space, "target", TABLE_TEXT);
    int share = typed_column(space, "share", TABLE_DOUBLE);
    int rc = 0;
    for (size_t i = 0; name >= 0 && share >= 0 && rc == 0 && i < space->row_count;
         i++) {
        const struct table_cell *cell = table_at(space, i, (size_t)share);
        bool is_share = !cell->is_null && cell->dbl >= 0 && cell->dbl <= 100;
        struct job_target *target =
            is_share ? target_named(t, target_text(space, i, name), &rc) : NULL;
        if (target)
            target->used_pct = cell->dbl;
    }
    return rc;
}

struct move_columns {
    int target, from, to, last, first;
};

static int move_read(struct job_targets *t, const struct table *moves, size_t row,
                     const struct move_columns *at)
{
    const char *from = target_text(moves, row, at->from);
    const char *to = target_text(moves, row, at->to);
    int rc = 0;
    struct job_target *target =
        target_named(t, target_text(moves, row, at->target), &rc);
    if (!target || target->from || !from || !to)
        return rc;
    target->last_s = table_at(moves, row, (size_t)at->last)->i64 / MS_PER_S;
    target->first_s = table_at(moves, row, (size_t)at->first)->i64 / MS_PER_S;
    target->to = arena_dup(&t->arena, span_of(to));
    target->from = arena_dup(&t->arena, span_of(from));
    return target->from && target->to ? 0 : -ENOMEM;
}

/* The rows of one target are in the order of time. */
static int moves_read(struct job_targets *t, const struct table *moves, int64_t from_s,
                      int64_t to_s)
{
    const struct move_columns at = { typed_column(moves, "target", TABLE_TEXT),
                                     typed_column(moves, "from_server", TABLE_TEXT),
                                     typed_column(moves, "to_server", TABLE_TEXT),
                                     typed_column(moves, "last", TABLE_TIME),
                                     typed_column(moves, "first", TABLE_TIME) };
    bool is_whole =
        at.target >= 0 && at.from >= 0 && at.to >= 0 && at.last >= 0 && at.first >= 0;
    int rc = 0;
    for (size_t i = 0; is_whole && rc == 0 && i < moves->row_count; i++) {
        const struct table_cell *last = table_at(moves, i, (size_t)at.last);
        const struct table_cell *first = table_at(moves, i, (size_t)at.first);
        bool is_its = !last->is_null && !first->is_null &&
                      first->i64 >= from_s * MS_PER_S && first->i64 <= to_s * MS_PER_S;
        rc = is_its ? move_read(t, moves, i, &at) : 0;
    }
    return rc;
}

static int by_target_name(const void *a, const void *b)
{
    const struct job_target *x = a, *y = b;
    return strcmp(x->name, y->name);
}

int job_targets_make(const struct table *space, const struct table *moves,
                     int64_t from_s, int64_t to_s, struct job_targets *ret)
{
    struct job_targets t = { 0 };
    arena_init(&t.arena, 0);
    t.items = arena_alloc(&t.arena,
                          (space->row_count + moves->row_count + 1) * sizeof *t.items);
    int rc = t.items ? space_read(&t, space) : -ENOMEM;
    if (rc == 0)
        rc = moves_read(&t, moves, from_s, to_s);
    if (rc == 0 && t.count > 1)
        qsort(t.items, t.count, sizeof *t.items, by_target_name);
    if (rc < 0)
        job_targets_done(&t);
    else
        *ret = t;
    return rc;
}
