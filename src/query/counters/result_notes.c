/* SPDX-License-Identifier: Apache-2.0 */
/* result_notes - what a reader must know about a result: gaps, guesses, cut lists. */
#include "query/counters/result_private.h"

#include "base/figure.h"
#include "base/number.h"
#include "base/timetext.h"

#include <inttypes.h>

/* Older than this, "now" is a word that misleads. */
#define STALE_MS INT64_C(600000)
#define STALE_ROUNDS 3

static void note_age(const struct accumulator *accumulator,
                     const struct result_extent *extent, struct table *table)
{
    char at[TIMETEXT_SIZE], age[FIGURE_SIZE];
    const struct selection *sel = accumulator->sel;
    int64_t stale_ms = sel->rated_ms ? STALE_ROUNDS * sel->rated_ms : STALE_MS;
    (void)timetext_print(at, extent->latest_ms * NS_PER_MS);
    if (extent->latest_ms < sel->to_ms) {
        table_add_note(
            table, "the newest observation is of %s: what came after is not in it", at);
    } else if ((extent->latest_ms == sel->to_ms || sel->rated_ms) &&
               sel->now_ms - extent->latest_ms > stale_ms) {
        int64_t age_ms = (sel->now_ms - extent->latest_ms) / 60000 * 60000;
        figure_print_duration(age, sizeof age, age_ms * NS_PER_MS);
        table_add_note(table, "nothing was observed for %s: this is of %s, not of now",
                       age, at);
    }
}

static void note_window(const struct accumulator *accumulator,
                        const struct result_extent *extent, struct table *table)
{
    char from[TIMETEXT_SIZE], to[TIMETEXT_SIZE], at[TIMETEXT_SIZE];
    const struct selection *sel = accumulator->sel;
    int64_t from_ms = selection_rated_from_ms(sel);
    (void)timetext_print(from, from_ms * NS_PER_MS);
    (void)timetext_print(to, sel->to_ms * NS_PER_MS);
    table_add_note(table, "window %s to %s%s%s", from, to,
                   sel->rated_ms ? ", the last round of all servers" : "",
                   extent->is_live ? ", read from memory" : "");
    if (extent->latest_ms == T_NONE) {
        table_add_note(table, "nothing was ever observed");
        return;
    }
    note_age(accumulator, extent, table);
    /* The first rows cover the time before them as far as their increments reach. */
    bool is_present =
        accumulator->notes.last_ms != T_NONE && accumulator->notes.first_ms <= from_ms;
    if (extent->first_ms != T_NONE && extent->first_ms > from_ms && !is_present) {
        (void)timetext_print(at, extent->first_ms * NS_PER_MS);
        table_add_note(
            table, "nothing is stored from before %s; rates are over the whole window",
            at);
    }
}

/* One sentence for each kind of increment that was guessed or lost. */
static const struct {
    unsigned flag;
    const char *text;
} flag_notes[] = {
    { INCREMENT_UNKNOWN,
      "beginnings are not known: what was done before the first reading is not in the "
      "totals" },
    { INCREMENT_INTERPOLATED,
      "readings follow lost ones: their increments are spread evenly over the gap" },
    { INCREMENT_LOST_TAIL, "generations ended, or may have ended, unseen between two "
                           "readings: the totals are lower "
                           "bounds" },
    { INCREMENT_HIDDEN_RESET, "resets were found by start time or server" },
    { INCREMENT_DECREASED, "readings went backwards and were counted as resets" },
    { INCREMENT_USECS_BACK,
      "sums of time went backwards and were counted as no increase" },
    { INCREMENT_MISSING, "readings lack a counter that the next one has" },
};

/* A saturated total is less than the truth, and no upper bound is. */
static void note_saturated(const struct accumulator *accumulator, struct table *table)
{
    size_t count = 0;
    for (size_t i = 0; i < accumulator->group_count; i++)
        for (size_t m = 0; m < accumulator->sel->measure_count; m++)
            count +=
                accumulator_total(accumulator, accumulator->groups[i], m) > UINT64_MAX;
    if (count)
        table_add_note(table,
                       "%zu totals are more than 64 bits hold: they are at least "
                       "18446744073709551615",
                       count);
}

void result_add_notes(const struct accumulator *accumulator,
                      const struct result_extent *extent, struct table *ret)
{
    note_window(accumulator, extent, ret);
    for (size_t i = 0; i < COUNT_OF(flag_notes); i++) {
        int bit = __builtin_ctz(flag_notes[i].flag);
        uint64_t count = accumulator->notes.flags[bit];
        if (count)
            table_add_note(ret, "%" PRIu64 " %s", count, flag_notes[i].text);
    }
    if (accumulator->notes.spread)
        table_add_note(ret,
                       "%" PRIu64 " increments of more than five minutes reach over an "
                       "edge of the window or of a step: they are spread evenly",
                       accumulator->notes.spread);
    note_saturated(accumulator, ret);
}

void result_note_cut(const struct ranking *r, size_t shown, struct table *table)
{
    if (shown >= r->count)
        return;
    table_add_note(table, "%zu of %zu shown; a higher limit shows more", shown,
                   r->count);
}

/* An empty cell of a name is no fault: say why, once for each column. */
void result_note_nameless(const struct accumulator *accumulator,
                          const struct ranking *r, size_t shown, struct table *table)
{
    for (size_t k = 0; k < accumulator->sel->by_count; k++)
        for (size_t i = 0; i < shown; i++) {
            if (accumulator_text(accumulator, r->items[i].group->key[k]).data)
                continue;
            const char *dim = dim_name(accumulator->sel->by[k]);
            table_add_note(table, "a row without %s is of entries that do not have it",
                           dim);
            break;
        }
}
