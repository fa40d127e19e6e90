/* SPDX-License-Identifier: Apache-2.0 */
/* metric_pair_page - in what the metrics of two runs differ: as text, or rows. */
#include "report/pair/metric_pair_page.h"

#include "base/figure.h"
#include "base/number.h"
#include "base/span.h"
#include "model/model.h"
#include "report/pair/job_pair_page.h"

#include <math.h>

#define ONLY_NAMED_MAX 8

static void metric_value_print(const struct metric_difference *d, double value,
                               char text[static FIGURE_SIZE])
{
    AUTO_FREE char *unit = span_dup(d->unit);
    if (span_is(d->metric, METRIC_PAIR_TIME))
        figure_print_duration(text, FIGURE_SIZE, (int64_t)(value * NS_PER_S));
    else
        figure_print_unit(text, FIGURE_SIZE, value, unit ? unit : "");
}

static void metric_change_print(const struct metric_difference *d, struct strbuf *out)
{
    if (d->a == 0 || d->b == 0)
        strbuf_adds(out, d->a == 0 ? "from nothing" : "to nothing");
    else if (d->a * d->b < 0)
        strbuf_adds(out, "of the other sign");
    else if (fabs(d->b) >= fabs(d->a))
        strbuf_addf(out, "x %.3g", d->b / d->a);
    else
        strbuf_addf(out, "/ %.3g", d->a / d->b);
}

static void metric_difference_print(const struct metric_difference *d,
                                    struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf change = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
    char a[FIGURE_SIZE], b[FIGURE_SIZE];
    metric_value_print(d, d->a, a);
    metric_value_print(d, d->b, b);
    metric_change_print(d, &change);
    entry_id_print(&name, span_is(d->metric, METRIC_PAIR_TIME) ? SPAN("time it ran")
                                                               : d->metric);
    strbuf_addf(out, "%-24s %12s -> %-12s %-14s", strbuf_text(&name), a, b,
                strbuf_text(&change));
    if (d->peers > 0)
        strbuf_addf(out, " %.3g x the noise of %zu comparable runs\n", d->score,
                    d->peers);
    else
        strbuf_adds(out, " its noise is not known\n");
}

/* Of runs whose own results differ and nothing that they did. */
static void metric_conclusion_print(const struct metric_pair *pair, struct strbuf *out)
{
    if (pair->count == 0)
        strbuf_addf(out, "Nothing of %zu metrics differs beyond %s.\n", pair->compared,
                    pair->peers >= METRIC_PAIR_PEERS_MIN
                        ? "the noise of comparable runs"
                        : "the given share");
    else if (pair->items[0].is_result)
        strbuf_adds(out, "Their nodes did the same, with another result.\n");
}

static void metric_only_print(const struct metric_pair *pair, int of,
                              struct strbuf *out)
{
    const struct metric_run *run = &pair->runs[of], *other = &pair->runs[1 - of];
    size_t named = 0;
    if (pair->only[of] == 0)
        return;
    strbuf_addf(out, "Only %c has", 'A' + of);
    for (size_t i = 0; i < run->count && named < ONLY_NAMED_MAX; i++) {
        struct span name = run->metrics[i].metric;
        if (name.size == 0 || !metric_run_has(run, name) || metric_run_has(other, name))
            continue;
        strbuf_adds(out, named++ > 0 ? ", " : ": ");
        entry_id_print(out, name);
    }
    if (pair->only[of] > named)
        strbuf_addf(out, ", and %zu more", pair->only[of] - named);
    strbuf_adds(out, ".\n");
}

static void metric_floor_print(const struct metric_pair *pair, struct strbuf *out)
{
    if (pair->peers >= METRIC_PAIR_PEERS_MIN)
        strbuf_addf(out,
                    "(%zu other runs of that name and user measured how far apart "
                    "comparable runs are; a metric that fewer than %d of them have is "
                    "listed from %.0f %% on.)\n",
                    pair->peers, METRIC_PAIR_PEERS_MIN, pair->floor * 100);
    else
        strbuf_addf(out,
                    "(%zu other runs of that name and user have metrics: %d are "
                    "wanted to measure the noise.  Listed is what differs by more "
                    "than %.0f %%.)\n",
                    pair->peers, METRIC_PAIR_PEERS_MIN, pair->floor * 100);
}

void metric_pair_print_text(const struct metric_pair *pair, const char *why,
                            struct strbuf *out)
{
    for (int i = 0; i < 2; i++) {
        const struct metric_run *run = &pair->runs[i];
        strbuf_addf(out, "%c: job %s", 'A' + i, run->name);
        if (run->nodes > 0)
            strbuf_addf(out, ", %llu node%s", (unsigned long long)run->nodes,
                        run->nodes == 1 ? "" : "s");
        strbuf_addc(out, '\n');
    }
    strbuf_addf(out,
                "%s.  Compared are metrics of their nodes, on average over a node and "
                "the run.\n\n",
                why);
    metric_conclusion_print(pair, out);
    for (size_t i = 0; i < pair->count; i++) {
        strbuf_addf(out, "%2zu. ", i + 1);
        metric_difference_print(&pair->items[i], out);
    }
    for (int i = 0; i < 2; i++)
        metric_only_print(pair, i, out);
    metric_floor_print(pair, out);
}

/* ---- for programs ---- */

void metric_pair_print_rows(const struct metric_pair *pair, enum table_form form,
                            struct strbuf *out)
{
    AUTO(table_done) struct table table;
    const struct table_print_opts opts = { .raw_units = true };
    table_init(&table);
    job_pair_columns_add(&table);
    for (size_t i = 0; i < pair->count; i++) {
        const struct metric_difference *d = &pair->items[i];
        const double values[] = { d->a, d->b, d->distance, d->floor, d->score };
        table_add_row(&table);
        table_set_text(&table, JOB_PAIR_MEASURE, d->metric);
        table_set_text(&table, JOB_PAIR_FAMILY, SPAN("metrics"));
        table_set_text(&table, JOB_PAIR_UNIT, d->unit);
        table_set_text(&table, JOB_PAIR_KIND,
                       d->is_result ? SPAN("effect") : SPAN("cause"));
        for (size_t n = 0; n < COUNT_OF(values); n++)
            table_set_double(&table, JOB_PAIR_A + n, values[n]);
    }
    table_print(&table, form, &opts, out);
}
