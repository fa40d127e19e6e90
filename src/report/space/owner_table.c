/* SPDX-License-Identifier: Apache-2.0 */
/* owner_table - what users, groups or projects hold of file systems, as a table. */
#include "report/space/owner_table.h"

#include "base/number.h"
#include "base/span.h"

#include <math.h>

#define DAY_S 86400.0

enum {
    OWNER,
    FS,
    USED,
    SHARE,
    GROWTH,
    OUTLOOK,
    INODES_USED,
    INODES_SHARE,
    INODES_GROWTH,
    INODES_OUTLOOK,
    USED_MAX,
    GROWTH_LOW,
    GROWTH_HIGH,
    CLEANED,
    INODES_MAX,
    INODES_GROWTH_LOW,
    INODES_GROWTH_HIGH,
    INODES_CLEANED,
    NEWEST,
    CLUSTER,
    COLUMN_COUNT,
};

static void owner_columns_add(struct table *t, const char *kind)
{
    static const struct {
        const char *name;
        enum table_type type;
        const char *unit;
    } columns[COLUMN_COUNT] = {
        [FS] = { "fs", TABLE_TEXT, "" },
        [USED] = { "used", TABLE_DOUBLE, "bytes" },
        [SHARE] = { "share", TABLE_DOUBLE, "%" },
        [GROWTH] = { "growth", TABLE_DOUBLE, "bytes/d" },
        [OUTLOOK] = { "outlook", TABLE_TEXT, "" },
        [INODES_USED] = { "inodes_used", TABLE_DOUBLE, "count" },
        [INODES_SHARE] = { "inodes_share", TABLE_DOUBLE, "%" },
        [INODES_GROWTH] = { "inodes_growth", TABLE_DOUBLE, "1/d" },
        [INODES_OUTLOOK] = { "inodes_outlook", TABLE_TEXT, "" },
        [USED_MAX] = { "used_max", TABLE_DOUBLE, "bytes" },
        [GROWTH_LOW] = { "growth_low", TABLE_DOUBLE, "bytes/d" },
        [GROWTH_HIGH] = { "growth_high", TABLE_DOUBLE, "bytes/d" },
        [CLEANED] = { "cleaned", TABLE_DOUBLE, "bytes" },
        [INODES_MAX] = { "inodes_max", TABLE_DOUBLE, "count" },
        [INODES_GROWTH_LOW] = { "inodes_growth_low", TABLE_DOUBLE, "1/d" },
        [INODES_GROWTH_HIGH] = { "inodes_growth_high", TABLE_DOUBLE, "1/d" },
        [INODES_CLEANED] = { "inodes_cleaned", TABLE_DOUBLE, "count" },
        [NEWEST] = { "newest", TABLE_TIME, "" },
        [CLUSTER] = { "cluster", TABLE_TEXT, "" },
    };
    table_add_column(t, kind, TABLE_TEXT, "");
    for (size_t i = FS; i < COLUMN_COUNT; i++)
        table_add_column(t, columns[i].name, columns[i].type, columns[i].unit);
}

static void number_set(struct table *t, size_t column, double value)
{
    if (isfinite(value))
        table_set_double(t, column, value);
}

static void held_set(struct table *t, const struct space_owner *owner,
                     enum space_what what)
{
    static const struct {
        size_t used, max, share, growth, low, high, outlook, cleaned;
    } columns[SPACE_WHAT_COUNT] = {
        [SPACE_BYTES] = { USED, USED_MAX, SHARE, GROWTH, GROWTH_LOW, GROWTH_HIGH,
                          OUTLOOK, CLEANED },
        [SPACE_INODES] = { INODES_USED, INODES_MAX, INODES_SHARE, INODES_GROWTH,
                           INODES_GROWTH_LOW, INODES_GROWTH_HIGH, INODES_OUTLOOK,
                           INODES_CLEANED },
    };
    const struct space_trend *trend = &owner->trend[what];
    number_set(t, columns[what].used, owner->used[what]);
    number_set(t, columns[what].max, owner->used_max[what]);
    number_set(t, columns[what].share, 100 * owner->share[what]);
    if (!owner->has_trend[what] || !isfinite(owner->used[what]))
        return;
    number_set(t, columns[what].growth, trend->growth * DAY_S);
    number_set(t, columns[what].low, trend->growth_low * DAY_S);
    number_set(t, columns[what].high, trend->growth_high * DAY_S);
    number_set(t, columns[what].cleaned, trend->cleanups.removed);
    table_set_text(t, columns[what].outlook,
                   span_of(space_outlook_name(trend->outlook)));
}

static void owner_row_add(struct table *t, const struct space_owner *owner)
{
    table_add_row(t);
    table_set_text(t, OWNER, span_of(owner->holdings->owner));
    table_set_text(t, FS, span_of(owner->holdings->fs));
    held_set(t, owner, SPACE_BYTES);
    held_set(t, owner, SPACE_INODES);
    table_set_i64(t, NEWEST, owner->newest_ns / NS_PER_MS);
    table_set_text(t, CLUSTER, span_of(owner->holdings->cluster));
}

static bool is_bound(const struct space_owner *owner)
{
    for (int what = 0; what < SPACE_WHAT_COUNT; what++)
        if (isfinite(owner->used[what]) && owner->used_max[what] > owner->used[what])
            return true;
    return false;
}

int owner_table_make(const struct owner_table_opts *opts, struct table *ret)
{
    const struct space_owners *owners = opts->owners;
    size_t rows =
        opts->limit > 0 && opts->limit < owners->count ? opts->limit : owners->count;
    size_t bound = 0;
    bool has_others = false;
    owner_columns_add(ret, opts->kind);
    for (size_t i = 0; i < rows; i++) {
        owner_row_add(ret, &owners->items[i]);
        bound += is_bound(&owners->items[i]);
    }
    for (size_t i = 0; i < owners->count; i++)
        has_others |= owners->items[i].is_others;
    if (bound > 0)
        table_add_note(
            ret,
            "%zu of these are not among the largest of each target: they hold "
            "at least used, at most used_max",
            bound);
    if (has_others)
        table_add_note(ret, SPACE_OTHERS
                       ": all that are not among the usage_top largest of a target, "
                       "together");
    if (rows < owners->count)
        table_add_note(ret, "%zu more rows: see --limit", owners->count - rows);
    return table_error(ret);
}
