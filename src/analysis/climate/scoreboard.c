/* SPDX-License-Identifier: Apache-2.0 */
/* scoreboard - who, or what, made how much of all there was. */
#include "analysis/climate/scoreboard.h"

#include "analysis/climate/item_list.h"
#include "base/hashmap.h"
#include "base/span.h"

#include <math.h>

struct board_sums {
    int formula;
    struct hashmap names; /* -> index + 1 */
    size_t capacity;      /* of the board's lines */
};

struct scoring {
    const struct scoreboard_opts *opts;
    struct scoreboard *ret;
    struct board_sums boards[SCOREBOARD_TERMS_MAX];
    int scores[SCOREBOARD_TERMS_MAX];
    bool is_out_of_memory;
};

static void on_fault(void *arg, const char *where, const char *what)
{
    struct scoring *s = arg;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    if (s->ret->fault_count++ >= SCOREBOARD_FAULTS_MAX)
        return;
    strbuf_addf(&text, "%s: %s", where, what);
    char *copy = arena_dup(&s->ret->arena, strbuf_span(&text));
    s->ret->faults[s->ret->fault_count - 1] = copy;
    if (!copy || strbuf_error(&text) < 0)
        s->is_out_of_memory = true;
}

static int line_new(struct scoring *s, size_t index, struct span name)
{
    struct scoreboard_board *board = &s->ret->boards[index];
    struct scoreboard_line *lines = item_list_grow(
        board->lines, board->count, &s->boards[index].capacity, sizeof *lines);
    if (!lines)
        return -ENOMEM;
    board->lines = lines;
    const char *copy = arena_dup(&s->ret->arena, name);
    if (!copy)
        return -ENOMEM;
    lines[board->count++] = (struct scoreboard_line){ .name = copy };
    return 0;
}

/* NULL: memory is out. */
static struct scoreboard_line *line_of(struct scoring *s, size_t index,
                                       struct span name)
{
    struct scoreboard_board *board = &s->ret->boards[index];
    struct hashmap *names = &s->boards[index].names;
    uintptr_t *slot = hashmap_get(names, name);
    if (!slot && board->count >= SCOREBOARD_NAMES_MAX)
        name = SPAN("(others)");
    if (!slot)
        slot = hashmap_put(names, name, NULL);
    if (slot && *slot == 0) {
        if (line_new(s, index, name) < 0)
            return NULL;
        *slot = board->count;
    }
    return slot ? &board->lines[*slot - 1] : NULL;
}

static void line_add(struct scoreboard_line *line, const struct scoreboard_opts *opts,
                     const double *scores)
{
    line->runs++;
    for (size_t i = 0; i < opts->score_count; i++)
        line->scores[i] += isnan(scores[i]) ? 0 : scores[i];
}

static int on_row(void *arg, struct rows *rows)
{
    struct scoring *s = arg;
    double scores[SCOREBOARD_TERMS_MAX];
    for (size_t i = 0; i < s->opts->score_count; i++) {
        struct value v = rows_value(rows, s->scores[i]);
        scores[i] = value_as_number(&v);
        s->ret->lacking[i] += isnan(scores[i]);
    }
    line_add(&s->ret->all, s->opts, scores);
    for (size_t i = 0; i < s->opts->board_count; i++) {
        struct span name = rows_value_name(rows, s->boards[i].formula);
        if (name.size == 0) {
            s->ret->boards[i].nameless++;
            continue;
        }
        struct scoreboard_line *line = line_of(s, i, name);
        if (!line)
            return -ENOMEM;
        line_add(line, s->opts, scores);
    }
    return 0;
}

static int line_order(const void *a, const void *b, void *order)
{
    const struct scoreboard_line *x = a;
    const struct scoreboard_line *y = b;
    size_t score = *(const size_t *)order;
    if (x->scores[score] != y->scores[score])
        return x->scores[score] > y->scores[score] ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void board_cut(struct scoreboard_board *board, size_t order, size_t top)
{
    if (board->count > 1)
        qsort_r(board->lines, board->count, sizeof *board->lines, line_order, &order);
    if (top > 0 && top < board->count) {
        board->more = board->count - top;
        board->count = top;
    }
}

static int tables_read(struct scoring *s, char *const *paths, size_t path_count,
                       struct err *err)
{
    AUTO(rows_free) struct rows *rows = NULL;
    const struct rows_reader reader = { .row = on_row, .fault = on_fault, .arg = s };
    const struct scoreboard_opts *opts = s->opts;
    int rc = rows_new(opts->columns, opts->form ? opts->form : &sheet_default, &rows);
    for (size_t i = 0; rc >= 0 && i < opts->board_count; i++)
        rc = s->boards[i].formula =
            rows_add_formula(rows, opts->boards[i].name, opts->boards[i].formula);
    for (size_t i = 0; rc >= 0 && i < opts->score_count; i++)
        rc = s->scores[i] =
            rows_add_formula(rows, opts->scores[i].name, opts->scores[i].formula);
    if (rc < 0)
        return err_set(err, -rc, "%s", strerror(-rc));
    rc = 0;
    for (size_t i = 0; rc == 0 && i < path_count; i++)
        rc = rows_read_file(rows, paths[i], &reader, err);
    if (rc == 0)
        rc = rows_check_names(rows, &opts->optional, err);
    return rc == 0 && s->is_out_of_memory ? err_set(err, ENOMEM, "out of memory") : rc;
}

int scoreboard_make(const struct scoreboard_opts *opts, char *const *paths,
                    size_t path_count, struct scoreboard *ret, struct err *err)
{
    AUTO(scoreboard_done)
    struct scoreboard made = {
        .board_count = opts->board_count,
        .score_count = opts->score_count,
        .order = opts->order,
    };
    struct scoring s = { .opts = opts, .ret = &made };
    for (size_t i = 0; i < opts->board_count; i++)
        made.boards[i].name = opts->boards[i].name;
    for (size_t i = 0; i < opts->score_count; i++)
        made.scores[i] = opts->scores[i].name;
    int rc = tables_read(&s, paths, path_count, err);
    for (size_t i = 0; i < opts->board_count; i++) {
        board_cut(&made.boards[i], opts->order, opts->top);
        hashmap_done(&s.boards[i].names);
    }
    if (rc < 0)
        return rc;
    *ret = made;
    made = (struct scoreboard){ 0 };
    return 0;
}

double scoreboard_share(const struct scoreboard *scoreboard,
                        const struct scoreboard_line *line)
{
    double all = scoreboard->all.scores[scoreboard->order];
    return all > 0 ? line->scores[scoreboard->order] / all : NAN;
}

void scoreboard_done(struct scoreboard *scoreboard)
{
    for (size_t i = 0; i < scoreboard->board_count; i++)
        free(scoreboard->boards[i].lines);
    arena_done(&scoreboard->arena);
    *scoreboard = (struct scoreboard){ 0 };
}
