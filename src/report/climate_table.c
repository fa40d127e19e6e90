/* SPDX-License-Identifier: Apache-2.0 */
/* climate_table - what is normal among comparable runs, what goes with their speed, how
 * far apart equal ones are, and who made how much of all I/O, as tables. */
#include "report/climate_table.h"

#include "base/number.h"
#include "base/span.h"
#include "report/runs_notes.h"

#include <fnmatch.h>
#include <math.h>

/* ---- correlations ---- */

int correlation_table_make(const struct correlations *correlations, struct table *table,
                           struct err *err)
{
    static const char *const numbers[] = { "r",   "p",     "p_many",
                                           "rho", "p_rho", "p_rho_many" };
    table_add_column(table, "class", TABLE_TEXT, "");
    table_add_column(table, "measure", TABLE_TEXT, "");
    table_add_column(table, "n", TABLE_U64, "");
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        table_add_column(table, numbers[i], TABLE_DOUBLE, "");
    for (size_t i = 0; i < correlations->count; i++) {
        const struct class_correlation *item = &correlations->items[i];
        table_add_row(table);
        const double values[] = { item->linear.r, item->linear.p, item->p_many,
                                  item->ranks.r,  item->ranks.p,  item->p_ranks_many };
        table_set_text(table, 0, span_of(item->class_name));
        table_set_text(table, 1, span_of(item->measure));
        table_set_u64(table, 2, item->linear.count);
        for (size_t n = 0; n < COUNT_OF(values); n++)
            table_set_double(table, 3 + n, values[n]);
    }
    table_add_note(table,
                   "%zu tests: p_many is p times as many (Bonferroni), the chance that "
                   "the least of them is as small",
                   correlations->count);
    return table_error(table) < 0 ? err_set(err, ENOMEM, "out of memory") : 0;
}

/* ---- noise floors ---- */

static void spread_set(struct table *table, size_t column,
                       const struct floor_spread *spread)
{
    const double values[] = { spread->median, spread->q90, spread->q95, spread->q99 };
    table_set_u64(table, column, spread->pairs);
    for (size_t i = 0; i < COUNT_OF(values); i++)
        if (!isnan(values[i]))
            table_set_double(table, column + 1 + i, values[i]);
}

static void floor_row_add(struct table *table, const struct floor *floor)
{
    table_add_row(table);
    table_set_text(table, 0, span_of(floor->name ? floor->name : "all"));
    table_set_u64(table, 1, floor->groups);
    table_set_u64(table, 2, floor->runs);
    table_set_u64(table, 3, floor->single_runs);
    table_set_u64(table, 4, floor->unknown_runs);
    spread_set(table, 5, &floor->any);
    spread_set(table, 10, &floor->next);
}

static void floor_columns_add(struct table *table)
{
    static const char *const counts[] = { "groups", "runs", "single", "unknown" };
    static const char *const factors[] = { "q50", "q90", "q95", "q99" };
    static const char *const kinds[] = { "", "next_" };
    char name[32];
    table_add_column(table, "class", TABLE_TEXT, "");
    for (size_t i = 0; i < COUNT_OF(counts); i++)
        table_add_column(table, counts[i], TABLE_U64, "");
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        (void)snprintf(name, sizeof name, "%spairs", kinds[k]);
        table_add_column(table, name, TABLE_U64, "");
        for (size_t i = 0; i < COUNT_OF(factors); i++) {
            (void)snprintf(name, sizeof name, "%s%s", kinds[k], factors[i]);
            table_add_column(table, name, TABLE_DOUBLE, "");
        }
    }
}

int floor_table_make(const struct floors *floors, const char *pattern,
                     struct table *table, struct err *err)
{
    size_t count = 0;
    floor_columns_add(table);
    for (size_t i = 0; i < floors->count; i++) {
        if (pattern && fnmatch(pattern, floors->sets[i].name, 0) != 0)
            continue;
        floor_row_add(table, &floors->sets[i]);
        count++;
    }
    if (count == 0 && pattern)
        return err_set(err, ENOENT, "of %zu classes none is called '%s'", floors->count,
                       pattern);
    if (!pattern)
        floor_row_add(table, &floors->all);
    if (floors->all.any.pairs == 0)
        table_add_note(table, "no two runs of a class are equal in all counters");
    return 0;
}

/* ---- normal ---- */

static void class_row_add(const struct normal_class *c, struct table *table)
{
    const double all[] = { c->q05, c->q25, c->q50, c->q75, c->q95 };
    const double late[] = { c->late_q25, c->late_q50, c->late_q75 };
    size_t column = 0;
    table_add_row(table);
    table_set_text(table, column++, span_of(c->class_name));
    table_set_text(table, column++, span_of(c->measure));
    table_set_u64(table, column++, c->runs);
    table_set_u64(table, column++, c->missing);
    for (size_t q = 0; q < COUNT_OF(all); q++)
        table_set_double(table, column++, all[q]);
    table_set_u64(table, column++, c->late_runs);
    for (size_t q = 0; c->late_runs > 0 && q < COUNT_OF(late); q++)
        table_set_double(table, column++, late[q]);
}

int normal_class_table_make(const struct normal *normal, struct table *table,
                            struct err *err)
{
    static const char *const quantiles[] = { "q05", "q25", "q50", "q75", "q95" };
    static const char *const late[] = { "late_q25", "late_q50", "late_q75" };
    table_add_column(table, "class", TABLE_TEXT, "");
    table_add_column(table, "measure", TABLE_TEXT, "");
    table_add_column(table, "runs", TABLE_U64, "");
    table_add_column(table, "missing", TABLE_U64, "");
    for (size_t q = 0; q < COUNT_OF(quantiles); q++)
        table_add_column(table, quantiles[q], TABLE_DOUBLE, "");
    table_add_column(table, "late_runs", TABLE_U64, "");
    for (size_t q = 0; q < COUNT_OF(late); q++)
        table_add_column(table, late[q], TABLE_DOUBLE, "");
    for (size_t i = 0; i < normal->class_count; i++)
        class_row_add(&normal->classes[i], table);
    return table_error(table) < 0 ? err_set(err, ENOMEM, "out of memory") : 0;
}

/* "Data server load 78.2, more than in 98 of 100 runs; ..." */
static void unusual_print(const struct normal_unusual *unusual, struct strbuf *out)
{
    for (; unusual; unusual = unusual->next) {
        strbuf_addf(out, "%s%s %.4g, ", out->size > 0 ? "; " : "", unusual->label,
                    unusual->value);
        percentile_print(&unusual->rank, "runs", out);
    }
}

static int last_row_add(const struct normal_run *last, struct table *table)
{
    AUTO(strbuf_done) struct strbuf unusual = STRBUF_INIT;
    double share = percentile_share(&last->rank);
    unusual_print(last->unusual, &unusual);
    table_add_row(table);
    table_set_text(table, 0, span_of(last->class_name));
    table_set_text(table, 1, span_of(last->run->id));
    table_set_i64(table, 2, last->run->t_ns / NS_PER_MS);
    table_set_double(table, 3, last->run->raw);
    table_set_double(table, 4, last->run->fraction);
    table_set_u64(table, 5, last->rank.count);
    if (!isnan(share))
        table_set_double(table, 6, share);
    if (unusual.size > 0)
        table_set_text(table, 7, strbuf_span(&unusual));
    return strbuf_error(&unusual);
}

int normal_last_table_make(const struct normal *normal, struct table *table,
                           struct err *err)
{
    int rc = 0;
    table_add_column(table, "class", TABLE_TEXT, "");
    table_add_column(table, "run", TABLE_TEXT, "");
    table_add_column(table, "time", TABLE_TIME, "");
    table_add_column(table, "performance", TABLE_DOUBLE, "");
    table_add_column(table, "fraction", TABLE_DOUBLE, "");
    table_add_column(table, "others", TABLE_U64, "");
    table_add_column(table, "slower_share", TABLE_DOUBLE, "");
    table_add_column(table, "unusual", TABLE_TEXT, "");
    for (size_t i = 0; rc == 0 && i < normal->last_count; i++)
        rc = last_row_add(&normal->last[i], table);
    return rc < 0 || table_error(table) < 0 ? err_set(err, ENOMEM, "out of memory") : 0;
}

/* ---- scoreboard ---- */

enum { BOARD_NAME, BOARD_LINE, BOARD_RUNS, BOARD_SHARE, BOARD_SCORES };

static void line_row_add(const struct scoreboard *s,
                         const struct scoreboard_board *board,
                         const struct scoreboard_line *line, struct table *table)
{
    double share = scoreboard_share(s, line);
    table_add_row(table);
    table_set_text(table, BOARD_NAME, span_of(board->name));
    table_set_text(table, BOARD_LINE, span_of(line->name));
    table_set_u64(table, BOARD_RUNS, line->runs);
    if (!isnan(share))
        table_set_double(table, BOARD_SHARE, share);
    for (size_t i = 0; i < s->score_count; i++)
        if (s->lacking[i] < s->all.runs)
            table_set_double(table, BOARD_SCORES + i, line->scores[i]);
}

static void board_rows_add(const struct scoreboard *s,
                           const struct scoreboard_board *board, struct table *table)
{
    for (size_t i = 0; i < board->count; i++)
        line_row_add(s, board, &board->lines[i], table);
    if (board->more > 0)
        table_add_note(table, "%s: %zu more", board->name, board->more);
    if (board->nameless > 0)
        table_add_note(table, "%s: %llu of %llu rows do not have it", board->name,
                       (unsigned long long)board->nameless,
                       (unsigned long long)s->all.runs);
}

int scoreboard_table_make(const struct scoreboard *scoreboard, struct table *table,
                          struct err *err)
{
    const struct scoreboard *s = scoreboard;
    table_add_column(table, "board", TABLE_TEXT, "");
    table_add_column(table, "name", TABLE_TEXT, "");
    table_add_column(table, "runs", TABLE_U64, "");
    table_add_column(table, "share", TABLE_DOUBLE, "");
    for (size_t i = 0; i < s->score_count; i++)
        table_add_column(table, s->scores[i], TABLE_DOUBLE,
                         strcmp(s->scores[i], "bytes") == 0 ? "bytes" : "");
    for (size_t i = 0; i < s->fault_count && i < SCOREBOARD_FAULTS_MAX; i++)
        table_add_note(table, "%s", s->faults[i]);
    for (size_t i = 0; i < s->board_count; i++)
        board_rows_add(s, &s->boards[i], table);
    for (size_t i = 0; i < s->score_count; i++)
        if (s->lacking[i] > 0)
            table_add_note(table, "%s: %llu of %llu rows lack it and add nothing",
                           s->scores[i], (unsigned long long)s->lacking[i],
                           (unsigned long long)s->all.runs);
    if (s->fault_count > SCOREBOARD_FAULTS_MAX)
        table_add_note(table, "%llu more bad rows",
                       (unsigned long long)(s->fault_count - SCOREBOARD_FAULTS_MAX));
    return table_error(table) < 0 ? err_set(err, ENOMEM, "out of memory") : 0;
}

int normal_tables_make(const struct mapping *mapping, const struct runs *runs,
                       const struct normal_opts *opts, struct table *classes,
                       struct table *last, struct err *err)
{
    AUTO(normal_done) struct normal normal = { 0 };
    int rc = normal_make(mapping, runs, opts, &normal, err);
    if (rc == 0)
        rc = normal_class_table_make(&normal, classes, err);
    if (rc == 0)
        rc = normal_last_table_make(&normal, last, err);
    if (rc == 0)
        runs_notes_add(mapping, runs, classes);
    return rc;
}
