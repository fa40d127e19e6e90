/* SPDX-License-Identifier: Apache-2.0 */
/* tally - a scoreboard: who, or what, made how much of all there was. */
#include "analysis/climate/tally.h"

#include "analysis/table/table.h"
#include "base/hashmap.h"
#include "base/span.h"

#include <math.h>

#define FAULTS_MAX 10

enum { BOARD, NAME, RUNS, SHARE, SCORES };

struct line {
    const char *name;
    uint64_t runs;
    double scores[TALLY_TERMS_MAX];
};

struct board {
    int formula;
    struct hashmap names; /* -> index + 1 */
    struct line *lines;
    size_t count, capacity;
    uint64_t nameless; /* rows */
};

struct tallying {
    const struct tally_opts *opts;
    struct arena arena;
    struct board boards[TALLY_TERMS_MAX];
    int scores[TALLY_TERMS_MAX];
    uint64_t lacking[TALLY_TERMS_MAX]; /* rows without a score */
    struct line all;
    struct table *table; /* hears of faults */
    uint64_t faults;
};

static void on_fault(void *arg, const char *where, const char *what)
{
    struct tallying *t = arg;
    if (t->faults++ < FAULTS_MAX)
        table_add_note(t->table, "%s: %s", where, what);
}

static int line_new(struct tallying *t, struct board *board, struct span name)
{
    if (board->count == board->capacity) {
        size_t capacity = board->capacity ? 2 * board->capacity : 64;
        struct line *more = reallocarray(board->lines, capacity, sizeof *more);
        if (!more)
            return -ENOMEM;
        board->lines = more;
        board->capacity = capacity;
    }
    const char *copy = arena_dup(&t->arena, name);
    if (!copy)
        return -ENOMEM;
    board->lines[board->count++] = (struct line){ .name = copy };
    return 0;
}

/* NULL: memory is out. */
static struct line *line_of(struct tallying *t, struct board *board, struct span name)
{
    uintptr_t *place = hashmap_get(&board->names, name);
    if (!place && board->count >= TALLY_NAMES_MAX)
        name = SPAN("(others)");
    if (!place)
        place = hashmap_put(&board->names, name, NULL);
    if (place && *place == 0) {
        if (line_new(t, board, name) < 0)
            return NULL;
        *place = board->count;
    }
    return place ? &board->lines[*place - 1] : NULL;
}

static void line_add(struct line *line, const struct tally_opts *opts,
                     const double *scores)
{
    line->runs++;
    for (size_t i = 0; i < opts->score_count; i++)
        line->scores[i] += isnan(scores[i]) ? 0 : scores[i];
}

static int on_row(void *arg, struct rows *rows)
{
    struct tallying *t = arg;
    double scores[TALLY_TERMS_MAX];
    for (size_t i = 0; i < t->opts->score_count; i++) {
        struct value v = rows_value(rows, t->scores[i]);
        scores[i] = value_as_number(&v);
        t->lacking[i] += isnan(scores[i]);
    }
    line_add(&t->all, t->opts, scores);
    for (size_t i = 0; i < t->opts->board_count; i++) {
        struct board *board = &t->boards[i];
        struct span name = rows_value_name(rows, board->formula);
        if (name.size == 0) {
            board->nameless++;
            continue;
        }
        struct line *line = line_of(t, board, name);
        if (!line)
            return -ENOMEM;
        line_add(line, t->opts, scores);
    }
    return 0;
}

static int line_order(const void *a, const void *b, void *order)
{
    const struct line *x = a;
    const struct line *y = b;
    size_t score = *(const size_t *)order;
    if (x->scores[score] != y->scores[score])
        return x->scores[score] > y->scores[score] ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void board_rows(struct tallying *t, size_t index)
{
    struct board *board = &t->boards[index];
    const struct tally_opts *opts = t->opts;
    size_t order = opts->order;
    const char *name = opts->boards[index].name;
    size_t shown = opts->top > 0 && opts->top < board->count ? opts->top : board->count;
    if (board->count > 1)
        qsort_r(board->lines, board->count, sizeof *board->lines, line_order, &order);
    for (size_t i = 0; i < shown; i++) {
        const struct line *line = &board->lines[i];
        table_add_row(t->table);
        table_set_text(t->table, BOARD, span_of(name));
        table_set_text(t->table, NAME, span_of(line->name));
        table_set_u64(t->table, RUNS, line->runs);
        if (t->all.scores[order] > 0)
            table_set_double(t->table, SHARE,
                             line->scores[order] / t->all.scores[order]);
        for (size_t s = 0; s < opts->score_count; s++)
            if (t->lacking[s] < t->all.runs)
                table_set_double(t->table, SCORES + s, line->scores[s]);
    }
    if (shown < board->count)
        table_add_note(t->table, "%s: %zu more", name, board->count - shown);
    if (board->nameless > 0)
        table_add_note(t->table, "%s: %llu of %llu rows do not tell it", name,
                       (unsigned long long)board->nameless,
                       (unsigned long long)t->all.runs);
}

static void table_fill(struct tallying *t)
{
    const struct tally_opts *opts = t->opts;
    for (size_t i = 0; i < opts->board_count; i++)
        board_rows(t, i);
    for (size_t i = 0; i < opts->score_count; i++)
        if (t->lacking[i] > 0)
            table_add_note(t->table, "%s: %llu of %llu rows lack it and add nothing",
                           opts->scores[i].name, (unsigned long long)t->lacking[i],
                           (unsigned long long)t->all.runs);
    if (t->faults > FAULTS_MAX)
        table_add_note(t->table, "%llu more bad rows",
                       (unsigned long long)(t->faults - FAULTS_MAX));
}

static void columns_add(struct table *table, const struct tally_opts *opts)
{
    table_init(table);
    table_add_column(table, "board", TABLE_TEXT, "");
    table_add_column(table, "name", TABLE_TEXT, "");
    table_add_column(table, "runs", TABLE_U64, "");
    table_add_column(table, "share", TABLE_DOUBLE, "");
    for (size_t i = 0; i < opts->score_count; i++)
        table_add_column(table, opts->scores[i].name, TABLE_DOUBLE,
                         strcmp(opts->scores[i].name, "bytes") == 0 ? "bytes" : "");
}

static int tables_read(struct tallying *t, char *const *paths, size_t path_count,
                       struct err *err)
{
    AUTO(rows_free) struct rows *rows = NULL;
    const struct rows_reader reader = { .row = on_row, .fault = on_fault, .arg = t };
    const struct tally_opts *opts = t->opts;
    int rc = rows_new(opts->columns, opts->form ? opts->form : &sheet_default, &rows);
    for (size_t i = 0; rc >= 0 && i < opts->board_count; i++)
        rc = t->boards[i].formula =
            rows_add_formula(rows, opts->boards[i].name, opts->boards[i].formula);
    for (size_t i = 0; rc >= 0 && i < opts->score_count; i++)
        rc = t->scores[i] =
            rows_add_formula(rows, opts->scores[i].name, opts->scores[i].formula);
    if (rc < 0)
        return err_set(err, -rc, "%s", strerror(-rc));
    rc = 0;
    for (size_t i = 0; rc == 0 && i < path_count; i++)
        rc = rows_read_file(rows, paths[i], &reader, err);
    return rc < 0 ? rc : rows_check_names(rows, &opts->optional, err);
}

int tally_make(const struct tally_opts *opts, char *const *paths, size_t path_count,
               struct table *ret, struct err *err)
{
    struct table table;
    struct tallying t = { .opts = opts, .table = &table };
    arena_init(&t.arena, 0);
    columns_add(&table, opts);
    int rc = tables_read(&t, paths, path_count, err);
    if (rc == 0) {
        table_fill(&t);
        rc = table_error(&table);
        if (rc < 0)
            (void)err_set(err, -rc, "out of memory");
    }
    for (size_t i = 0; i < opts->board_count; i++) {
        hashmap_done(&t.boards[i].names);
        free(t.boards[i].lines);
    }
    arena_done(&t.arena);
    if (rc < 0)
        table_done(&table);
    else
        *ret = table;
    return rc;
}
