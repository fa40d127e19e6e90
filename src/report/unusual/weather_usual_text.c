/* SPDX-License-Identifier: Apache-2.0 */
/* weather_usual_text - whether a window was as usual: in a sentence, and as a table. */
#include "report/unusual/weather_usual_text.h"

#include "base/figure.h"
#include "base/number.h"
#include "base/span.h"

#include <math.h>

static const char *const verdicts[] = {
    [WEATHER_NOT_COMPARED] = "not_compared",
    [WEATHER_AS_USUAL] = "usual",
    [WEATHER_MORE] = "more",
    [WEATHER_LESS] = "less",
};

static void measure_print(unsigned measure, struct strbuf *out)
{
    const struct lmt_measure_info *info = lmt_measure_info(measure);
    strbuf_addf(out, "%s/%s", info->group, info->name);
}

static void value_print(unsigned measure, double value, struct strbuf *out)
{
    const struct lmt_measure_info *info = lmt_measure_info(measure);
    bool is_bytes = strcmp(info->unit, "bytes") == 0;
    char text[40];
    if (is_bytes)
        figure_print_bytes(text, sizeof text, value);
    else
        figure_print_count(text, sizeof text, value);
    strbuf_addf(out, "%s%s", text,
                info->kind == LMT_COUNT ? "/s"
                : is_bytes              ? ""
                                        : " %");
}

/* "3.1 times the median (9.3 MiB/s; usual 2.5 to 3.6 MiB/s; more than in all ...)" */
static void unusual_print(unsigned measure, const struct weather_line *line,
                          const struct weather_usual *u, struct strbuf *out)
{
    measure_print(measure, out);
    if (isfinite(u->ratio))
        strbuf_addf(out, " %.3g times the median (", u->ratio);
    else
        strbuf_adds(out, ", of which there usually is none (");
    value_print(measure, line->mean, out);
    strbuf_adds(out, "; usual ");
    value_print(measure, u->low, out);
    strbuf_adds(out, " to ");
    value_print(measure, u->high, out);
    strbuf_adds(out, "; ");
    percentile_print(&u->among, "other days", out);
    strbuf_addc(out, ')');
}

struct verdict_lists {
    struct strbuf unusual, usual, open;
    size_t days; /* the most that any measure is compared with */
};

static struct strbuf *verdict_list(struct verdict_lists *l, enum weather_verdict v)
{
    struct strbuf *list = v == WEATHER_NOT_COMPARED ? &l->open
                          : v == WEATHER_AS_USUAL   ? &l->usual
                                                    : &l->unusual;
    if (list->size > 0)
        strbuf_adds(list, ", ");
    return list;
}

static void verdict_lists_make(const struct weather *w, struct verdict_lists *l)
{
    for (unsigned m = 0; m < LMT_MEASURES; m++) {
        const struct weather_line *line = &w->lines[m];
        if (!line->is_known)
            continue;
        struct weather_usual u = weather_line_usual(line);
        struct strbuf *list = verdict_list(l, u.verdict);
        if (u.verdict == WEATHER_MORE || u.verdict == WEATHER_LESS)
            unusual_print(m, line, &u, list);
        else
            measure_print(m, list);
        l->days = line->day_count > l->days ? line->day_count : l->days;
    }
}

static void days_missing_print(const struct weather *w, size_t days, struct strbuf *out)
{
    if (days < w->other_days)
        strbuf_addf(out, "Of %zu other days %zu were not observed at these hours.\n",
                    w->other_days, w->other_days - days);
}

void weather_usual_print(const struct weather *weather, struct strbuf *out)
{
    struct verdict_lists l = { STRBUF_INIT, STRBUF_INIT, STRBUF_INIT, 0 };
    verdict_lists_make(weather, &l);
    if (l.unusual.size > 0)
        strbuf_addf(out, "Not as usual at these hours: %s.\n", strbuf_text(&l.unusual));
    else if (l.usual.size > 0)
        strbuf_addf(out, "As usual at these hours, against %zu other days.\n", l.days);
    else
        strbuf_addf(out,
                    "Whether that is usual is not known: fewer than %d other days "
                    "were observed at these hours.\n",
                    PERCENTILE_OTHERS_MIN);
    if (l.usual.size > 0)
        strbuf_addf(out, "As usual: %s.\n", strbuf_text(&l.usual));
    if (l.open.size > 0 && (l.usual.size > 0 || l.unusual.size > 0))
        strbuf_addf(out, "Not compared, with fewer than %d other days: %s.\n",
                    PERCENTILE_OTHERS_MIN, strbuf_text(&l.open));
    days_missing_print(weather, l.days, out);
    strbuf_done(&l.unusual);
    strbuf_done(&l.usual);
    strbuf_done(&l.open);
}

static void finite_set(struct table *t, size_t column, double value)
{
    if (isfinite(value))
        table_set_double(t, column, value);
}

static void usual_row(unsigned measure, const struct weather_line *line,
                      struct table *t)
{
    AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
    struct weather_usual u = weather_line_usual(line);
    measure_print(measure, &name);
    table_add_row(t);
    table_set_text(t, 0, strbuf_span(&name));
    table_set_text(t, 1, span_of(verdicts[u.verdict]));
    finite_set(t, 2, line->mean);
    finite_set(t, 3, u.median);
    finite_set(t, 4, u.low);
    finite_set(t, 5, u.high);
    finite_set(t, 6, u.ratio);
    finite_set(t, 7, u.deviations);
    table_set_u64(t, 8, u.among.count);
    finite_set(t, 9, percentile_share(&u.among));
}

void weather_usual_table(const struct weather *weather, struct table *ret)
{
    static const char *const numbers[] = { "mean", "median", "low",
                                           "high", "ratio",  "deviations" };
    table_add_column(ret, "measure", TABLE_TEXT, "");
    table_add_column(ret, "verdict", TABLE_TEXT, "");
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        table_add_column(ret, numbers[i], TABLE_DOUBLE, "");
    table_add_column(ret, "other_days", TABLE_U64, "");
    table_add_column(ret, "less_share", TABLE_DOUBLE, "");
    for (unsigned m = 0; m < LMT_MEASURES; m++)
        if (weather->lines[m].is_known)
            usual_row(m, &weather->lines[m], ret);
}
