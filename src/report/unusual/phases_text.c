/* SPDX-License-Identifier: Apache-2.0 */
/* phases_text - the phases of a run as text for a person and as JSON. */
#include "report/unusual/phases_text.h"

#include "base/figure.h"
#include "base/number.h"
#include "base/timetext.h"

#include <math.h>
#include <stdlib.h>

#define LEVEL_SIZE 48
#define LINE_COLUMNS 80
#define INDENT "       "

/* ---- for a person ---- */

static bool has_marks(const struct job_phases *phases, size_t phase)
{
    for (size_t m = 0; m < phases->metric_count; m++)
        if (phases->items[phase].levels[m].mark != 0)
            return true;
    return false;
}

void phase_acts_print(const struct job_phases *phases, size_t phase, struct strbuf *out)
{
    const struct job_phase *p = &phases->items[phase];
    const char *before = "";
    if (p->changes > 0) {
        strbuf_addf(out, "alternates, %zu changes", p->changes);
        before = p->acts ? ": " : "";
    }
    for (size_t i = 0; i < PHASE_ACT_COUNT; i++) {
        unsigned act = p->acts & 1U << i;
        if (act)
            strbuf_addf(out, "%s%s", before, phase_act_text((enum phase_act)act));
        before = act ? ", " : before;
    }
    if (!p->acts && p->changes == 0 && !has_marks(phases, phase) && phases->count > 1)
        strbuf_adds(out, "as most of the run");
}

void phase_span_print(const struct job_phases *phases, size_t phase, struct strbuf *out)
{
    char from[FIGURE_SIZE], to[FIGURE_SIZE];
    int64_t start_s = phases->items[0].from_s;
    const struct job_phase *p = &phases->items[phase];
    figure_print_duration(from, sizeof from, (p->from_s - start_s) * NS_PER_S);
    figure_print_duration(to, sizeof to, (p->to_s - start_s) * NS_PER_S);
    strbuf_addf(out, "+%s to +%s", from, to);
}

void phase_share_print(const struct job_phase *phase, struct strbuf *out)
{
    double percent = 100 * phase->share;
    strbuf_addf(out, percent < 10 ? "%.1f %%" : "%.0f %%", percent);
}

/* The farthest from the run's median first, by their ratio. */
struct marked {
    size_t metric;
    double ratio;
};

static int by_ratio(const void *a, const void *b)
{
    const struct marked *x = a, *y = b;
    if (x->ratio < y->ratio || x->ratio > y->ratio)
        return x->ratio > y->ratio ? -1 : 1;
    return (x->metric > y->metric) - (x->metric < y->metric);
}

size_t phase_marks_list(const struct job_phases *phases, size_t phase, int mark,
                        struct strbuf ret[static PHASE_MARKS_MAX])
{
    struct marked found[PHASE_KIND_COUNT] = { 0 };
    char value[LEVEL_SIZE], usual[LEVEL_SIZE];
    const struct phase_level *levels = phases->items[phase].levels;
    size_t count = 0;
    for (size_t m = 0; m < phases->metric_count && count < PHASE_KIND_COUNT; m++) {
        double high = fmax(fabs(levels[m].median), fabs(phases->metrics[m].median));
        double low = fmin(fabs(levels[m].median), fabs(phases->metrics[m].median));
        if (levels[m].mark == mark)
            found[count++] = (struct marked){ m, low > 0 ? high / low : INFINITY };
    }
    if (count > 1)
        qsort(found, count, sizeof found[0], by_ratio);
    if (count > PHASE_MARKS_MAX)
        count = PHASE_MARKS_MAX;
    for (size_t i = 0; i < count; i++) {
        const struct phase_metric *metric = &phases->metrics[found[i].metric];
        figure_print_unit(value, sizeof value, levels[found[i].metric].median,
                          metric->unit);
        figure_print_unit(usual, sizeof usual, metric->median, metric->unit);
        strbuf_addf(&ret[i], "%s %s (run %s)", metric->name, value, usual);
    }
    return count;
}

static void marks_print(const struct job_phases *phases, size_t phase, int mark,
                        struct strbuf *out)
{
    struct strbuf texts[PHASE_MARKS_MAX] = { 0 };
    for (size_t i = 0; i < PHASE_MARKS_MAX; i++)
        texts[i] = (struct strbuf)STRBUF_INIT;
    size_t count = phase_marks_list(phases, phase, mark, texts);
    size_t column = sizeof INDENT - 1 + sizeof "high: " - 1;
    for (size_t i = 0; i < count; i++) {
        bool is_last = i + 1 == count;
        if (i == 0)
            strbuf_addf(out, INDENT "%s", mark > 0 ? "high: " : "low: ");
        else if (column + texts[i].size + 2 > LINE_COLUMNS) {
            strbuf_adds(out, "\n" INDENT "  ");
            column = sizeof INDENT + 1;
        } else {
            strbuf_addc(out, ' ');
        }
        strbuf_addf(out, "%s%s", strbuf_text(&texts[i]), is_last ? "\n" : ",");
        column += texts[i].size + 2;
    }
    for (size_t i = 0; i < PHASE_MARKS_MAX; i++)
        strbuf_done(&texts[i]);
}

static void phase_print(const struct job_phases *phases, size_t phase,
                        struct strbuf *out)
{
    char text[TIMETEXT_SIZE], length[FIGURE_SIZE];
    AUTO(strbuf_done) struct strbuf acts = STRBUF_INIT;
    const struct job_phase *p = &phases->items[phase];
    (void)timetext_print(text, p->from_s * NS_PER_S);
    figure_print_duration(length, sizeof length, (p->to_s - p->from_s) * NS_PER_S);
    strbuf_addf(out, "    %-2zu %s  ", phase + 1, text);
    phase_span_print(phases, phase, out);
    strbuf_addf(out, ", %s, ", length);
    phase_share_print(p, out);
    strbuf_addc(out, '\n');
    phase_acts_print(phases, phase, &acts);
    if (acts.size > 0)
        strbuf_addf(out, INDENT "%s\n", strbuf_text(&acts));
    marks_print(phases, phase, 1, out);
    marks_print(phases, phase, -1, out);
}

void phases_print(const struct job_phases *phases, struct strbuf *out)
{
    if (phases->count == 0)
        return;
    if (phases->count > 1) {
        strbuf_addf(out,
                    "\nIts %zu phases (medians over the nodes, against the run's):\n",
                    phases->count);
        for (size_t i = 0; i < phases->count; i++)
            phase_print(phases, i, out);
        return;
    }
    AUTO(strbuf_done) struct strbuf acts = STRBUF_INIT;
    phase_acts_print(phases, 0, &acts);
    strbuf_addf(out, "\nIts run is one phase%s%s.\n", acts.size > 0 ? ": " : "",
                strbuf_text(&acts));
}

/* ---- for programs ---- */

static void level_json(const struct phase_metric *metric,
                       const struct phase_level *level, struct json_writer *w)
{
    json_object(w);
    json_key(w, "name");
    json_text(w, metric->name);
    json_key(w, "unit");
    json_text(w, metric->unit);
    json_key(w, "median");
    json_double(w, level->median);
    json_key(w, "run_median");
    json_double(w, metric->median);
    json_key(w, "mark");
    json_text(w, level->mark > 0 ? "high" : level->mark < 0 ? "low" : NULL);
    json_object_end(w);
}

static void phase_json(const struct job_phases *phases, size_t phase,
                       struct json_writer *w)
{
    const struct job_phase *p = &phases->items[phase];
    json_object(w);
    json_key(w, "from");
    json_time_ms(w, p->from_s * MS_PER_S);
    json_key(w, "to");
    json_time_ms(w, p->to_s * MS_PER_S);
    json_key(w, "after_s");
    json_i64(w, p->from_s - phases->items[0].from_s);
    json_key(w, "length_s");
    json_i64(w, p->to_s - p->from_s);
    json_key(w, "share");
    json_double(w, p->share);
    json_key(w, "changes");
    json_u64(w, p->changes);
    json_key(w, "acts");
    json_array(w);
    for (size_t i = 0; i < PHASE_ACT_COUNT; i++)
        if (p->acts & 1U << i)
            json_text(w, phase_act_name((enum phase_act)(1U << i)));
    json_array_end(w);
    json_key(w, "metrics");
    json_array(w);
    for (size_t m = 0; m < phases->metric_count; m++)
        level_json(&phases->metrics[m], &p->levels[m], w);
    json_array_end(w);
    json_object_end(w);
}

void phases_json(const struct job_phases *phases, struct json_writer *w)
{
    json_key(w, "phases");
    json_array(w);
    for (size_t i = 0; i < phases->count; i++)
        phase_json(phases, i, w);
    json_array_end(w);
}
