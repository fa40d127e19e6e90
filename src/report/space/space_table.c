/* SPDX-License-Identifier: Apache-2.0 */
/* space_table - file systems, or targets: used, growth a day, full when; as a table. */
#include "report/space/space_table.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define DAY_S 86400.0
#define DAY_NS (86400 * NS_PER_S)
#define HOUR_NS (3600 * NS_PER_S)

/* Of bytes, and the same of inodes: first what everybody reads, of both, then the rest.
 */
enum {
    USED,
    AVAILABLE,
    SHARE,
    GROWTH,
    FULL_AT,
    OUTLOOK,
    MAIN_COLUMNS,
    FULL_FIRST = MAIN_COLUMNS,
    FULL_LAST,
    GROWTH_LOW,
    GROWTH_HIGH,
    CLEANED,
    USE_COLUMNS,
};

enum {
    NAME,
    USES,
    NEWEST = USES + SPACE_WHAT_COUNT * USE_COLUMNS,
    CLUSTER,
    FS, /* of a target */
};

static size_t use_column(int what, size_t column)
{
    if (column < MAIN_COLUMNS)
        return USES + (size_t)what * MAIN_COLUMNS + column;
    return USES + SPACE_WHAT_COUNT * MAIN_COLUMNS +
           (size_t)what * (USE_COLUMNS - MAIN_COLUMNS) + column - MAIN_COLUMNS;
}

static void space_columns_add(struct table *t, bool is_by_target)
{
    static const struct {
        const char *names[SPACE_WHAT_COUNT];
        enum table_type type;
        const char *units[SPACE_WHAT_COUNT];
    } columns[USE_COLUMNS] = {
        [USED] = { { "used", "inodes_used" }, TABLE_DOUBLE, { "bytes", "count" } },
        [AVAILABLE] = { { "available", "inodes_available" },
                        TABLE_DOUBLE,
                        { "bytes", "count" } },
        [SHARE] = { { "share", "inodes_share" }, TABLE_DOUBLE, { "%", "%" } },
        [GROWTH] = { { "growth", "inodes_growth" },
                     TABLE_DOUBLE,
                     { "bytes/d", "1/d" } },
        [FULL_AT] = { { "full_at", "inodes_full_at" }, TABLE_TIME, { "", "" } },
        [OUTLOOK] = { { "outlook", "inodes_outlook" }, TABLE_TEXT, { "", "" } },
        [FULL_FIRST] = { { "full_first", "inodes_full_first" },
                         TABLE_TIME,
                         { "", "" } },
        [FULL_LAST] = { { "full_last", "inodes_full_last" }, TABLE_TIME, { "", "" } },
        [GROWTH_LOW] = { { "growth_low", "inodes_growth_low" },
                         TABLE_DOUBLE,
                         { "bytes/d", "1/d" } },
        [GROWTH_HIGH] = { { "growth_high", "inodes_growth_high" },
                          TABLE_DOUBLE,
                          { "bytes/d", "1/d" } },
        [CLEANED] = { { "cleaned", "inodes_cleaned" },
                      TABLE_DOUBLE,
                      { "bytes", "count" } },
    };
    table_add_column(t, is_by_target ? "target" : "fs", TABLE_TEXT, "");
    for (size_t i = 0; i < SPACE_WHAT_COUNT * USE_COLUMNS; i++) {
        size_t first = i < SPACE_WHAT_COUNT * MAIN_COLUMNS ? 0 : MAIN_COLUMNS;
        size_t count = first == 0 ? MAIN_COLUMNS : USE_COLUMNS - MAIN_COLUMNS;
        size_t rest = i - SPACE_WHAT_COUNT * first;
        size_t what = rest / count, column = first + rest % count;
        table_add_column(t, columns[column].names[what], columns[column].type,
                         columns[column].units[what]);
    }
    table_add_column(t, "newest", TABLE_TIME, "");
    table_add_column(t, "cluster", TABLE_TEXT, "");
    if (is_by_target)
        table_add_column(t, "fs", TABLE_TEXT, "");
}

/* ---- the order of rows ---- */

/* The first of both dates. */
static int64_t full_of(const struct space_row *row)
{
    int64_t first_ns = SPACE_FULL_NEVER;
    for (int what = 0; what < SPACE_WHAT_COUNT; what++) {
        const struct space_use *use = &row->use[what];
        int64_t full_ns = use->trend.outlook == SPACE_FULL ? 0 : use->trend.full_ns;
        if (use->is_known && full_ns < first_ns)
            first_ns = full_ns;
    }
    return first_ns;
}

static double share_of(const struct space_row *row)
{
    return fmax(
        fmax(space_share(&row->use[SPACE_BYTES]), space_share(&row->use[SPACE_INODES])),
        -1);
}

static int by_urgency(const void *a, const void *b)
{
    const struct space_row *x = *(const struct space_row *const *)a;
    const struct space_row *y = *(const struct space_row *const *)b;
    if (full_of(x) != full_of(y))
        return full_of(x) < full_of(y) ? -1 : 1;
    if (share_of(x) < share_of(y) || share_of(x) > share_of(y))
        return share_of(x) > share_of(y) ? -1 : 1;
    return (x > y) - (x < y);
}

/* ---- rows ---- */

static void double_set(struct table *t, size_t column, double value)
{
    if (isfinite(value))
        table_set_double(t, column, value);
}

static void date_set(struct table *t, size_t column, int64_t t_ns, int64_t now_ns)
{
    int64_t unit_ns = t_ns - now_ns < 2 * DAY_NS ? HOUR_NS : DAY_NS;
    if (t_ns != SPACE_FULL_NEVER)
        table_set_i64(t, column, t_ns / unit_ns * unit_ns / NS_PER_MS);
}

static void use_set(struct table *t, int what, const struct space_row *row)
{
    const struct space_use *use = &row->use[what];
    const struct space_trend *trend = &use->trend;
    if (!use->is_known)
        return;
    const struct {
        size_t column;
        double value;
    } numbers[] = {
        { USED, use->used },
        { AVAILABLE, use->available },
        { SHARE, 100 * space_share(use) },
        { GROWTH, trend->growth * DAY_S },
        { GROWTH_LOW, trend->growth_low * DAY_S },
        { GROWTH_HIGH, trend->growth_high * DAY_S },
        { CLEANED, trend->cleanups.removed },
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        double_set(t, use_column(what, numbers[i].column), numbers[i].value);
    date_set(t, use_column(what, FULL_AT), trend->full_ns, row->newest_ns);
    date_set(t, use_column(what, FULL_FIRST), trend->full_first_ns, row->newest_ns);
    date_set(t, use_column(what, FULL_LAST), trend->full_last_ns, row->newest_ns);
    table_set_text(t, use_column(what, OUTLOOK),
                   span_of(space_outlook_name(trend->outlook)));
}

/* "scratch", or "scratch-OST0001". */
static const char *space_row_name(const struct space_row *row)
{
    return row->is_fs ? row->target->fs : row->target->name;
}

static void space_row_add(struct table *t, const struct space_row *row)
{
    table_add_row(t);
    table_set_text(t, NAME, span_of(space_row_name(row)));
    for (int what = 0; what < SPACE_WHAT_COUNT; what++)
        use_set(t, what, row);
    table_set_i64(t, NEWEST, row->newest_ns / NS_PER_MS);
    table_set_text(t, CLUSTER, span_of(row->target->cluster));
    if (!row->is_fs)
        table_set_text(t, FS, span_of(row->target->fs));
}

/* ---- notes ---- */

static void time_note(struct table *t, const struct space_row *row, const char *text,
                      int64_t t_ns)
{
    char time[TIMETEXT_SIZE];
    time[timetext_print(time, t_ns / NS_PER_S * NS_PER_S)] = '\0';
    table_add_note(t, "%s %s %s", space_row_name(row), text, time);
}

static void cleanup_note(struct table *t, const struct space_row *row, int what)
{
    const struct space_cleanups *c = &row->use[what].trend.cleanups;
    char removed[FIGURE_SIZE];
    if (c->count == 0)
        return;
    if (what == SPACE_BYTES)
        figure_print_bytes(removed, sizeof removed, c->removed);
    else
        figure_print_count(removed, sizeof removed, c->removed);
    table_add_note(t,
                   "%s: %zu clean-up%s removed %s%s; growth and dates are without "
                   "another",
                   space_row_name(row), c->count, c->count > 1 ? "s" : "", removed,
                   what == SPACE_BYTES ? "" : " inodes");
}

/* The soonest full target of a file system whose own date is later. */
static void first_target_note(struct table *t, const struct space_row *fs,
                              const struct space_row *targets)
{
    const struct space_row *first = NULL;
    for (size_t i = 0; i < fs->osts + fs->mdts; i++)
        if (!first || full_of(&targets[i]) < full_of(first))
            first = &targets[i];
    if (!first || full_of(first) >= full_of(fs))
        return;
    if (full_of(first) == 0)
        table_add_note(t, "%s is full: see --by target", space_row_name(first));
    else
        time_note(t, first, "is full before its file system (--by target), at about",
                  full_of(first) / DAY_NS * DAY_NS);
}

static void row_notes(struct table *t, const struct space_row *row, bool is_shown)
{
    if (row->is_stale)
        time_note(t, row, "counts in no sum: it was last observed at", row->newest_ns);
    if (row->is_new && !row->is_fs)
        time_note(t, row, "is new: the other targets' growth is that since",
                  row->since_ns);
    if (row->is_fs && row->since_ns > 0)
        time_note(t, row, "was not observed, or not as a whole, before", row->since_ns);
    for (int what = 0; is_shown && what < SPACE_WHAT_COUNT; what++)
        cleanup_note(t, row, what);
}

static void check_note(struct table *t, const struct space_table_opts *opts)
{
    char range[32], step[32], history[32];
    const struct space_check_opts *check = opts->check;
    number_print_duration(range, sizeof range, (int64_t)check->count * check->step_ns);
    number_print_duration(step, sizeof step, check->step_ns);
    number_print_duration(history, sizeof history, check->history_ns_min);
    table_add_note(t,
                   "growth a day is that of %s in steps of %s (a history of %s or more "
                   "is required), with its 95%% interval; full_first and full_last are "
                   "the dates of its ends",
                   range, step, history);
}

static void notes_add(struct table *t, const struct space_table_opts *opts)
{
    const struct space_results *r = opts->results;
    check_note(t, opts);
    for (size_t i = 0; i < r->count; i++) {
        row_notes(t, &r->rows[i], r->rows[i].is_fs != opts->is_by_target);
        if (r->rows[i].is_fs && !opts->is_by_target)
            first_target_note(t, &r->rows[i], &r->rows[i + 1]);
    }
}

int space_table_make(const struct space_table_opts *opts, struct table *ret)
{
    const struct space_results *r = opts->results;
    AUTO_FREE const struct space_row **rows =
        calloc(r->count + 1, sizeof(struct space_row *));
    size_t count = 0;
    if (!rows)
        return -ENOMEM;
    space_columns_add(ret, opts->is_by_target);
    for (size_t i = 0; i < r->count; i++)
        if (r->rows[i].is_fs != opts->is_by_target)
            rows[count++] = &r->rows[i];
    qsort(rows, count, sizeof(struct space_row *), by_urgency);
    size_t shown = opts->limit > 0 && opts->limit < count ? opts->limit : count;
    for (size_t i = 0; i < shown; i++)
        space_row_add(ret, rows[i]);
    notes_add(ret, opts);
    if (shown < count)
        table_add_note(ret, "%zu more rows: see --limit", count - shown);
    return table_error(ret);
}
