/* SPDX-License-Identifier: Apache-2.0 */
/* column_guess - what a column of an undescribed table holds. */
#include "analysis/table/column_guess.h"

#include "analysis/table/column_name.h"
#include "analysis/table/quantity.h"
#include "base/hashmap.h"
#include "base/span.h"

#include <math.h>

#define YEAR_1990_S 631152000.0
#define YEAR_2040_S 2208988800.0
#define YEAR_2255_S 9e9 /* that no table has, but by its name */

static const char *const time_formats[] = {
    "%d.%m.%Y %H:%M:%S",
    "%d.%m.%Y %H:%M",
    "%d.%m.%Y",
    "%d.%m.%y %H:%M",
    "%m/%d/%Y %I:%M:%S %p",
    "%m/%d/%Y %I:%M %p",
    "%m/%d/%Y %H:%M:%S",
    "%m/%d/%Y %H:%M",
    "%m/%d/%Y",
    "%d/%m/%Y %H:%M:%S",
    "%d/%m/%Y %H:%M",
    "%d/%m/%Y",
    "%m/%d/%y %H:%M",
    "%m/%d/%y",
    "%Y/%m/%d %H:%M:%S",
    "%Y/%m/%d %H:%M",
    "%Y/%m/%d",
    "%Y%m%d%H%M%S",
    "%Y%m%dT%H%M%S",
    "%Y%m%d-%H%M%S",
    "%Y%m%d",
    "%d %b %Y %H:%M:%S",
    "%d %b %Y %H:%M",
    "%d %b %Y",
    "%b %d %Y %H:%M:%S",
    "%b %d, %Y",
    "%d-%b-%Y %H:%M:%S",
    "%d-%b-%Y",
    "%d-%b-%y",
    "%a %b %d %H:%M:%S %Y",
    "%d/%b/%Y:%H:%M:%S %z",
    "%Y-%m",
    "%Y/%m",
    "%m/%Y",
    "%m.%Y",
    "%b %Y",
    "%b-%Y",
    "%b. %Y",
    "%Y %b",
    "%Y-%b",
    "%b-%y",
    "%b %y",
    "%Y%m",
    "%Y-%m-%d_%H-%M-%S",
    "%Y-%m-%d-%H:%M:%S",
    "%d %b %Y %H:%M:%S.%f",
    "%d.%m.%Y %H:%M:%S.%f",
    "%m/%d/%Y %H:%M:%S.%f",
    "%Y/%m/%d %H:%M:%S.%f",
};

/* How many cells of the column a form reads. */
size_t column_times_count(const struct table_preview *s, size_t column,
                          const struct time_form *form)
{
    size_t count = 0;
    size_t failed = 0;
    int64_t t_ns;
    for (size_t i = 0; i < s->row_count && failed < 10 + count / 10; i++) {
        if (preview_value(s, i, column).kind == VALUE_MISSING)
            continue;
        bool is_time = time_form_parse(form, s->rows[i][column], &t_ns, NULL) == 0;
        count += is_time;
        failed += !is_time;
    }
    return failed * 20 > count ? 0 : count;
}

/* Numbers that are seconds, or parts of them, since 1970. */
static const char *epoch_guess(const struct column_guess *c)
{
    const double end_s =
        column_name_score(c->name, COLUMN_TIME) > 0 ? YEAR_2255_S : YEAR_2040_S;
    static const struct {
        const char *format;
        double factor;
    } units[] = { { "", 1 }, { "ms", 1e3 }, { "us", 1e6 }, { "ns", 1e9 } };
    for (size_t i = 0; i < COUNT_OF(units); i++)
        if (c->least >= YEAR_1990_S * units[i].factor &&
            c->most < end_s * units[i].factor)
            return units[i].format;
    return NULL;
}

static void time_guess(const struct table_preview *s, size_t index,
                       struct column_guess *c)
{
    struct time_form form = { .format = NULL };
    bool is_number = c->kind == COLUMN_NUMBER && !c->function;
    if (is_number && (column_name_score(c->name, COLUMN_TIME) > 0 || c->is_rising)) {
        c->time_format = epoch_guess(c);
        if (c->time_format)
            return;
    }
    if (!is_number && column_times_count(s, index, &form) > 0) {
        c->time_format = "";
        return;
    }
    form.has_zone = true;
    if (!is_number && column_times_count(s, index, &form) > 0) {
        c->time_format = "";
        c->wants_zone = true;
        return;
    }
    for (size_t i = 0; i < COUNT_OF(time_formats); i++) {
        form.format = time_formats[i];
        bool is_date = c->least >= 19900101;
        bool is_month = c->least >= 199001 && c->most <= 204012;
        bool is_bare = is_number && (column_name_score(c->name, COLUMN_TIME) == 0 ||
                                     !(is_date || is_month));
        if (is_bare || column_times_count(s, index, &form) == 0)
            continue;
        c->time_format = form.format;
        c->wants_zone = strstr(form.format, "%z") == NULL;
        c->has_no_day = strstr(form.format, "%d") == NULL;
        return;
    }
}

/* What makes numbers of texts, if anything does of nearly all. */
static const char *function_guess(const struct table_preview *s, size_t index,
                                  bool *ret_rate)
{
    static const struct {
        const char *name;
        double (*of)(struct span);
    } functions[] = { { "seconds", quantity_seconds },
                      { "bytes", quantity_bytes },
                      { "number", quantity_number } };
    for (size_t f = 0; f < COUNT_OF(functions); f++) {
        size_t there = 0;
        size_t read = 0;
        size_t rates = 0;
        for (size_t i = 0; i < s->row_count; i++) {
            struct span text = s->rows[i][index];
            if (preview_value(s, i, index).kind == VALUE_MISSING)
                continue;
            bool is_begun = strchr("0123456789+-.$", *text.data);
            there++;
            read += is_begun && text.size < 40 && !isnan(functions[f].of(text));
            rates += span_ends(text, "/s");
        }
        *ret_rate = rates * 2 > there;
        if (there > 0 && read * 10 >= there * 9)
            return functions[f].name;
    }
    return NULL;
}

static void numbers_look(const struct table_preview *s, size_t index,
                         struct column_guess *c)
{
    double before = -INFINITY;
    c->least = INFINITY;
    c->most = -INFINITY;
    c->is_rising = c->is_whole = true;
    for (size_t i = 0; i < s->row_count; i++) {
        struct value v = preview_value(s, i, index);
        if (v.kind != VALUE_NUMBER)
            continue;
        c->least = fmin(c->least, v.number);
        c->most = fmax(c->most, v.number);
        c->is_rising = c->is_rising && v.number >= before;
        c->is_whole = c->is_whole && floor(v.number) == v.number;
        before = v.number;
    }
}

void column_guess(const struct table_preview *s, size_t index, struct column_guess *c)
{
    AUTO(hashmap_done) struct hashmap seen = HASHMAP_INIT;
    size_t numbers = 0, directions = 0;
    c->name = s->names[index];
    for (size_t i = 0; i < s->row_count; i++) {
        struct value v = preview_value(s, i, index);
        if (v.kind == VALUE_MISSING)
            continue;
        if (c->there++ == 0)
            c->first = s->rows[i][index];
        numbers += v.kind == VALUE_NUMBER;
        directions += column_direction_of(s->rows[i][index], NULL) != COLUMN_NEITHER;
        (void)hashmap_put(&seen, s->rows[i][index], NULL);
    }
    c->distinct = seen.count;
    c->is_direction = c->there > 0 && directions == c->there && c->distinct >= 2;
    c->kind = c->there == 0                  ? COLUMN_EMPTY
              : numbers * 10 >= c->there * 9 ? COLUMN_NUMBER
                                             : COLUMN_TEXT;
    numbers_look(s, index, c);
    if (c->kind != COLUMN_EMPTY)
        time_guess(s, index, c);
    if (c->kind == COLUMN_TEXT && !c->time_format) {
        c->function = function_guess(s, index, &c->is_rate);
        c->kind = c->function ? COLUMN_NUMBER : COLUMN_TEXT;
    }
}
