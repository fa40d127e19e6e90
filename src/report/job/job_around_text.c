/* SPDX-License-Identifier: Apache-2.0 */
/* job_around_text - what was around a job, and its class, as paragraphs for a person.
 */
#include "report/job/job_around_text.h"

#include "base/figure.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"

#include <math.h>
#include <stdlib.h>

/* What is shown of values that lie farther out than those of 90 of 100 runs. */
#define CHANCE_SHOWN 0.10
#define VALUES_SHOWN 10
/* Later ones, as a summary may have them, are no times in nanoseconds. */
#define WINDOW_S_MAX INT64_C(9000000000)

/* ---- the weather ---- */

/* ", more than in 93 of 100 runs of its class", where the climate knows the measure. */
static void rank_print(const struct job_comparison *s, const char *measure,
                       struct strbuf *out)
{
    const struct climate_value *v =
        s->has_climate ? job_climate_find(&s->climate, measure) : NULL;
    if (!v || v->rank.count < PERCENTILE_OTHERS_MIN)
        return;
    strbuf_adds(out, ", ");
    percentile_print(&v->rank, "runs of its class", out);
}

static void traffic_print(const struct job_comparison *s, bool has_share,
                          struct strbuf *out)
{
    const struct job_context *job = &s->jobs[0];
    const struct job_weather *w = &job->weather;
    double all = w->flows[LMT_READ_BYTES].total + w->flows[LMT_WRITE_BYTES].total;
    double own = job_context_bytes(job);
    double seconds = job_i64_number(w->to_s) - job_i64_number(w->from_s);
    char total[32], besides[40];
    if (isnan(all))
        return;
    figure_print_bytes(total, sizeof total, all);
    strbuf_addf(out, "The file system moved %s in all", total);
    const char *broken = job->coverage.broken;
    if (isnan(own) || !(seconds > 0)) {
        strbuf_adds(out, ".\n");
    } else if (own > all * COVERAGE_MAX) {
        strbuf_adds(out, ", which is less than the job alone did: its servers' numbers "
                         "are not whole.\n");
    } else {
        climate_value_print(besides, sizeof besides, "bytes/s",
                            fmax(0, all - own) / seconds);
        strbuf_adds(out, "; besides this job, ");
        if (!has_share)
            strbuf_addf(out, "which had %.0f %% of it, ", fmin(1, own / all) * 100);
        strbuf_adds(out, besides);
        rank_print(s, "besides_bytes_per_s", out);
        strbuf_adds(out, ".\n");
    }
    if (broken && own <= all * COVERAGE_MAX)
        strbuf_addf(out,
                    "The job did more than its servers saw of: %s. That part of "
                    "the monitoring was broken.\n",
                    broken);
}

/* "a, b and c" out of "a b c" */
static size_t names_print(const char *names, struct strbuf *out)
{
    size_t count = 0;
    struct span rest = span_of(names);
    struct span name;
    while (rest.size > 0) {
        (void)span_cut(&rest, ' ', &name);
        strbuf_adds(out, count == 0 ? "" : rest.size > 0 ? ", " : " and ");
        strbuf_add_span(out, name);
        count++;
    }
    return count;
}

static void fabric_print(const struct job_fabric *f, struct strbuf *out)
{
    double bytes = fmax(0, f->read) + fmax(0, f->written);
    char moved[32];
    if (!f->names || !f->fabrics)
        return;
    size_t count = names_print(f->names, out);
    figure_print_bytes(moved, sizeof moved, bytes);
    strbuf_addf(out, " %s the fabric %s and moved ", count == 1 ? "shares" : "share",
                f->fabrics);
    if (!(job_i64_number(f->days) >= PERCENTILE_OTHERS_MIN) || f->as_much < 0 ||
        f->as_much > f->days) {
        strbuf_addf(out, "%s meanwhile.\n", moved);
        return;
    }
    if (!isnan(f->times))
        strbuf_addf(out, "%.2g times %s usual bytes", f->times,
                    count == 1 ? "its" : "their");
    else
        strbuf_adds(out, moved);
    const struct percentile among = { .count = (size_t)f->days,
                                      .below = (size_t)(f->days - f->as_much) };
    strbuf_addf(out, " meanwhile: %s, ", moved);
    percentile_print(&among, "other days at these hours", out);
    strbuf_adds(out, ".\n");
}

static void servers_print(const struct job_comparison *s, struct strbuf *out)
{
    const struct job_weather *w = &s->jobs[0].weather;
    const struct {
        const struct weather_load *load;
        const char *measure, *text;
    } loads[] = {
        { &w->oss_cpu, "fs_ave_oss_cpu", "Data servers" },
        { &w->mds_cpu, "fs_ave_mds_cpu", "Metadata servers" },
    };
    for (size_t i = 0; i < COUNT_OF(loads); i++) {
        if (isnan(loads[i].load->average))
            continue;
        strbuf_addf(out, "%s were busy to %.0f %% on average, %.0f %% at most",
                    loads[i].text, loads[i].load->average, loads[i].load->max);
        rank_print(s, loads[i].measure, out);
        strbuf_adds(out, ".\n");
    }
    if (w->missing_fraction > 0)
        strbuf_addf(out, "Of that time %.1f %% was not measured.\n",
                    w->missing_fraction * 100);
}

static void health_print(const struct job_comparison *s, struct strbuf *out)
{
    const struct job_health *h = &s->jobs[0].health;
    if (!isnan(h->fullest.pct)) {
        strbuf_addf(out, "Its fullest target was %s, at %.1f %%",
                    h->fullest.name ? h->fullest.name : "of no known name",
                    h->fullest.pct);
        rank_print(s, "fshealth_ost_most_full_pct", out);
        strbuf_addf(out, " (read %.0f s before it began).\n", h->fullness_lead_s);
    }
    if (h->overloaded_servers > 0)
        strbuf_addf(out,
                    "%lld of its servers had targets of others (read %.0f s before "
                    "it began).\n",
                    (long long)h->overloaded_servers, h->servers_lead_s);
    else if (h->overloaded_servers == 0)
        strbuf_adds(out, "No server had targets of another.\n");
    if (h->refused)
        strbuf_addf(out, "Of its health there is no word: %s.\n", h->refused);
}

static void neighbours_print(const struct job_comparison *s, struct strbuf *out)
{
    const struct job_neighbours *n = &s->jobs[0].neighbours;
    if (n->jobs == JOB_I64_NONE)
        return;
    strbuf_addf(out, "%lld jobs ran in its time, this one included, on %.0f nodes",
                (long long)n->jobs, job_i64_number(n->nodes));
    rank_print(s, "jobsdb_concurrent_jobs", out);
    strbuf_adds(out, ".\n");
}

/* Only where the site file says something of it: a name alone is in the mount. */
static void site_print(const struct job_comparison *s, struct strbuf *out)
{
    const struct job_site *site = &s->jobs[0].site;
    double peak = site->peak_bytes_per_s;
    double servers = job_i64_number(site->servers);
    double share = site->fraction_of_peak;
    const char *name = s->jobs[0].identity.file_system;
    char bytes[32];
    if (!name || (isnan(peak) && isnan(servers)))
        return;
    strbuf_addf(out, "\nIts files were on %s", name);
    if (!isnan(servers))
        strbuf_addf(out, ", of %.0f server%s", servers, servers == 1 ? "" : "s");
    if (!isnan(peak)) {
        figure_print_bytes(bytes, sizeof bytes, peak);
        strbuf_addf(out, ", which does %s/s at best", bytes);
    }
    strbuf_adds(out, ".\n");
    if (!isnan(share))
        strbuf_addf(out, "Its speed was %.3g %% of that.\n", share * 100);
}

/* A corrected clock is never silent. */
static void clocks_print(const struct job_comparison *s, struct strbuf *out)
{
    if (s->has_clock)
        strbuf_addf(out,
                    "The servers' clocks seem to be %lld s %s those of the job, to a "
                    "step of %lld s (r = %.2f): see baro analyze clock.\n",
                    llabs(s->clock.offset_s),
                    s->clock.offset_s > 0 ? "ahead of" : "behind",
                    (long long)s->clock_step_s, s->clock.r);
    if (s->clocks)
        strbuf_addf(out, "Clocks were corrected: %s.\n", s->clocks);
}

void job_around_print(const struct job_comparison *s, bool has_share,
                      struct strbuf *out)
{
    if (s->count == 0)
        return;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    const struct job_weather *w = &s->jobs[0].weather;
    char first[TIMETEXT_SIZE], last[TIMETEXT_SIZE];
    site_print(s, out);
    traffic_print(s, has_share, &text);
    fabric_print(&s->jobs[0].fabric, &text);
    servers_print(s, &text);
    health_print(s, &text);
    neighbours_print(s, &text);
    if (text.size == 0)
        return;
    strbuf_adds(out, "\nWhile it ran");
    if (w->from_s >= 0 && w->from_s <= w->to_s && w->to_s < WINDOW_S_MAX) {
        (void)timetext_print(first, w->from_s * NS_PER_S);
        (void)timetext_print(last, w->to_s * NS_PER_S);
        strbuf_addf(out, ", %s to %s", first, last);
    }
    strbuf_adds(out, ":\n");
    strbuf_add_span(out, strbuf_span(&text));
    clocks_print(s, out);
}

/* ---- the climate ---- */

/* Whether there are others to compare with; prints why not. */
static bool class_begin(const struct job_comparison *s, struct strbuf *out)
{
    const struct job_climate *c = &s->climate;
    if (!s->has_climate)
        return false;
    strbuf_addc(out, '\n');
    if (!c->set) {
        strbuf_addf(out, "No run of the climate is like it: %s.\n", c->refused);
        return false;
    }
    if (c->others < PERCENTILE_OTHERS_MIN) {
        strbuf_addf(out,
                    "Of its class (%s) there are %zu other runs: too few to know "
                    "what is usual.\n",
                    c->set, c->others);
        return false;
    }
    return true;
}

/* Which end is worse, where it lies in the outer quarter. */
static const char *judgement_text(const struct climate_value *v)
{
    double share = percentile_share(&v->rank);
    if (share > 0.25 && share < 0.75)
        return "";
    return (share >= 0.75) == v->is_big_good ? " (good)" : " (bad)";
}

static void value_print(const struct climate_value *v, size_t position,
                        struct strbuf *out)
{
    char value[40], low[40], high[40];
    climate_value_print(value, sizeof value, v->unit, v->value);
    climate_value_print(low, sizeof low, v->unit, v->q25);
    climate_value_print(high, sizeof high, v->unit, v->q75);
    strbuf_addf(out, "%2zu. %s %s, ", position, v->label, value);
    percentile_print(&v->rank, "runs", out);
    strbuf_addf(out, "; half of them lie in %s .. %s%s\n", low, high,
                judgement_text(v));
}

void job_class_print(const struct job_comparison *s, struct strbuf *out)
{
    const struct job_climate *c = &s->climate;
    size_t shown = 0;
    if (!class_begin(s, out))
        return;
    strbuf_addf(out, "Among %zu other runs of its class (%s):\n", c->others, c->set);
    const struct climate_value *speed = job_climate_find(c, "fraction");
    if (speed) {
        strbuf_addf(out, "    It reached %.0f %% of the best, ", speed->value * 100);
        percentile_print(&speed->rank, "runs", out);
        strbuf_adds(out, ".\n");
    }
    for (size_t i = 0; i < c->count && shown < VALUES_SHOWN; i++)
        if (c->values[i].chance <= CHANCE_SHOWN && &c->values[i] != speed)
            value_print(&c->values[i], ++shown, out);
    if (c->count <= 1)
        strbuf_adds(out,
                    "    Nothing is known of its job context: give --series, --health "
                    "and --jobs.\n");
    else if (shown == 0)
        strbuf_addf(out,
                    "    Of the %zu measures that are known of it none was "
                    "unusual.\n",
                    c->count);
    else
        strbuf_addf(out,
                    "    (%zu measures were looked at; one in ten is as unusual by "
                    "chance.)\n",
                    c->count);
}

/* Whose pairs the two are held against. */
bool job_pair_print_class(const struct job_comparison *s, struct strbuf *out)
{
    const struct job_climate *c = &s->climate;
    if (!class_begin(s, out))
        return false;
    if (c->other)
        strbuf_addf(out, "A is of another class: %s.\n", c->other);
    strbuf_addf(out, "Held against pairs of %zu other runs of B's class (%s).\n",
                c->others, c->set);
    return true;
}

void job_pair_print_around(const struct job_comparison *s, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    for (size_t i = 0; i < s->count; i++) {
        AUTO(strbuf_done) struct strbuf of_one = STRBUF_INIT;
        fabric_print(&s->jobs[i].fabric, &of_one);
        if (of_one.size > 0)
            strbuf_addf(&text, "%c: %s", 'A' + (int)i, strbuf_text(&of_one));
    }
    if (s->count > 0)
        clocks_print(s, &text);
    if (text.size > 0)
        strbuf_addc(out, '\n');
    strbuf_add_span(out, strbuf_span(&text));
}
