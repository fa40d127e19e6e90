/* SPDX-License-Identifier: Apache-2.0 */
/* job_pair_page - in what two runs differ: as text, rows or JSON. */
#include "report/pair/job_pair_page.h"

#include "base/figure.h"
#include "base/json_writer.h"
#include "base/span.h"
#include "report/job/job.h"

#include <math.h>

static void diff_value_print(char *out, size_t size, const struct difference *d,
                             double value)
{
    if (isnan(value))
        (void)snprintf(out, size, "-");
    else if (!d->is_ratio)
        (void)snprintf(out, size, "%.1f %%", value * 100);
    else if (strcmp(d->unit, "bytes") == 0)
        figure_print_bytes(out, size, value);
    else
        (void)snprintf(out, size, "%.4g%s%s", value, d->unit[0] ? " " : "", d->unit);
}

/* "x 4.2" or "+12 points", seen from A to B. */
static void change_print(char *out, size_t size, const struct difference *d)
{
    if (!d->is_ratio)
        (void)snprintf(out, size, "%+.1f points", (d->b - d->a) * 100);
    else if (!(d->a > 0 && d->b > 0))
        (void)snprintf(out, size, d->b > 0 ? "from nothing" : "to nothing");
    else if (d->b >= d->a)
        (void)snprintf(out, size, "x %.3g", d->b / d->a);
    else
        (void)snprintf(out, size, "/ %.3g", d->a / d->b);
}

/* Modules of one run at least that the comparison does not see. */
static uint32_t unseen_of(const struct profile *runs)
{
    uint32_t present = runs[0].gaps.present | runs[1].gaps.present;
    return (present & ~LOG_BITS_PROFILE) | log_gaps_lacking(&runs[0].gaps) |
           log_gaps_lacking(&runs[1].gaps);
}

static void unseen_print(const struct profile *runs, struct strbuf *out)
{
    const struct log_gaps unseen = { .unread = unseen_of(runs) };
    AUTO(strbuf_done) struct strbuf names = STRBUF_INIT;
    if (log_gaps_print(&unseen, LOG_GAP_UNREAD, &names) > 0)
        strbuf_addf(out, "Not compared, or not whole: %s.\n", strbuf_text(&names));
}

/* Whether a program used an interface, its log shows by having records of it. */
#define BITS_OF_PROGRAM                                                             \
    (LOG_BITS_PROFILE & ~(LOG_BIT(DARSHAN_LUSTRE) | LOG_BIT(DARSHAN_HEATMAP) |      \
                          LOG_BIT(DARSHAN_DXT_POSIX) | LOG_BIT(DARSHAN_DXT_MPIIO) | \
                          LOG_BIT(DARSHAN_APMPI) | LOG_BIT(DARSHAN_APXC)))

static uint32_t only_in(const struct profile *run, const struct profile *other)
{
    return run->gaps.present & ~other->gaps.present & BITS_OF_PROGRAM;
}

static void only_print(const struct profile *runs, struct strbuf *out)
{
    for (int i = 0; i < 2; i++) {
        const struct log_gaps only = { .unread = only_in(&runs[i], &runs[1 - i]) };
        AUTO(strbuf_done) struct strbuf names = STRBUF_INIT;
        if (log_gaps_print(&only, LOG_GAP_UNREAD, &names) > 0)
            strbuf_addf(out, "Only %c has records of %s.\n", 'A' + i,
                        strbuf_text(&names));
    }
}

/* What a person may conclude when nothing that the runs did explains how they went. */
static void conclusion_print(const struct contrast *all, const struct profile *runs,
                             const double *floors, struct strbuf *out)
{
    bool is_one_sided = only_in(&runs[0], &runs[1]) || only_in(&runs[1], &runs[0]);
    if (all->count == 0)
        strbuf_addf(out, "Nothing differs beyond the usual %.0f %%.\n",
                    expm1(floors[PROFILE_SPEED]) * 100);
    else if (all->items[0].kind == CONTRAST_WENT && (unseen_of(runs) || is_one_sided))
        strbuf_adds(out, "What was compared is the same, with another result.\n");
    else if (all->items[0].kind == CONTRAST_WENT)
        strbuf_adds(out,
                    "Both did the same with another result: look at the file system "
                    "and at co-scheduled jobs.\n");
}

static void of_log_print(const struct profile *runs, const struct difference *d,
                         struct strbuf *out)
{
    char a[48], b[48], change[48];
    if (isnan(d->a)) {
        strbuf_addf(out, "%-34s %s -> %s\n", d->label, runs[0].program,
                    runs[1].program);
        return;
    }
    diff_value_print(a, sizeof a, d, d->a);
    diff_value_print(b, sizeof b, d, d->b);
    change_print(change, sizeof change, d);
    strbuf_addf(out, "%-34s %12s -> %-12s %-14s %.3g x the noise floor%s\n", d->label,
                a, b, change, d->score, d->is_because ? "; follows" : "");
}

static void around_print(const struct contrast_item *item, struct strbuf *out)
{
    const struct climate_value *v = item->around;
    char a[48], b[48];
    climate_value_print(a, sizeof a, v->unit, v->before);
    climate_value_print(b, sizeof b, v->unit, v->value);
    strbuf_addf(
        out,
        "%-34s %12s -> %-12s %-14s %.3g x the noise floor; farther apart than %.1f "
        "%% of pairs; B ",
        v->label, a, b, "", item->score,
        100 * (double)v->difference.below / (double)v->difference.count);
    percentile_print(&v->rank, "runs", out);
    strbuf_addc(out, '\n');
}

static void looked_at_print(const struct contrast *all, struct strbuf *out)
{
    if (all->left_out > 0)
        strbuf_addf(out, "%zu more of what was around them are as unusual.\n",
                    all->left_out);
    strbuf_addf(out,
                "(%zu measures of the climate were looked at; one in ten lies as far "
                "apart by chance.)\n",
                all->looked_at);
}

/* With a climate a column says which: what the runs did, or what was around them. */
void job_pair_print_text(const struct job_pair *pair, struct strbuf *out)
{
    const struct profile *runs = pair->runs;
    const struct contrast *all = &pair->contrast;
    for (int i = 0; i < 2; i++)
        strbuf_addf(out, "%c: job %lld, %s\n", 'A' + i, (long long)runs[i].jobid,
                    runs[i].exe);
    if (pair->alike_count > 0)
        strbuf_addf(out, "Compared with %zu comparable runs.\n", pair->alike_count);
    if (pair->set)
        strbuf_addf(out,
                    "The noise floor is that of %zu pairs of comparable runs of %s.\n",
                    pair->pairs, pair->set);
    bool has_climate = job_pair_print_class(&pair->comparison, out);
    strbuf_addc(out, '\n');
    conclusion_print(all, runs, pair->floors, out);
    unseen_print(runs, out);
    only_print(runs, out);
    for (size_t i = 0; i < all->count; i++) {
        const struct contrast_item *item = &all->items[i];
        strbuf_addf(out, "%2zu. ", i + 1);
        if (has_climate)
            strbuf_addf(out, "%-8s", contrast_word(item->kind));
        if (item->of_log)
            of_log_print(runs, item->of_log, out);
        else
            around_print(item, out);
    }
    if (has_climate)
        looked_at_print(all, out);
    for (int i = 0; i < 2; i++)
        if (!profile_is_whole(&runs[i]))
            strbuf_addf(out,
                        "The log of %c is not whole: what is missing is not seen.\n",
                        'A' + i);
    job_pair_print_around(&pair->comparison, out);
}

/* ---- for programs ---- */

static void set_number(struct table *table, size_t column, double value)
{
    if (isfinite(value))
        table_set_double(table, column, value);
}

void job_pair_columns_add(struct table *table)
{
    static const char *const texts[] = { "measure", "family", "unit",
                                         "kind",    "text_a", "text_b" };
    static const char *const numbers[] = { "a", "b", "distance", "floor", "score" };
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        table_add_column(table, texts[i], TABLE_TEXT, "");
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        table_add_column(table, numbers[i], TABLE_DOUBLE, "");
}

static void of_log_row(struct table *table, const struct profile *runs,
                       const struct difference *d)
{
    const char *kind = d->is_effect ? "effect" : d->is_because ? "follows" : "cause";
    const double values[] = { d->a, d->b, d->distance, d->floor, d->score };
    const char *const texts[] = { d->name, d->family, d->unit, kind };
    for (size_t n = 0; n < COUNT_OF(texts); n++)
        table_set_text(table, n, span_of(texts[n]));
    for (size_t n = 0; n < 2 && isnan(d->a); n++)
        table_set_text(table, JOB_PAIR_TEXT_A + n, span_of(runs[n].program));
    for (size_t n = 0; n < COUNT_OF(values); n++)
        set_number(table, JOB_PAIR_A + n, values[n]);
}

static void around_row(struct table *table, const struct contrast_item *item)
{
    const struct climate_value *v = item->around;
    const double values[] = { v->before,   v->value,    fabs(v->value - v->before),
                              item->floor, item->score, v->chance };
    const char *const texts[] = { v->name, "climate", v->unit,
                                  item->kind == CONTRAST_WENT      ? "effect"
                                  : item->kind == CONTRAST_FOLLOWS ? "follows"
                                                                   : "around" };
    for (size_t n = 0; n < COUNT_OF(texts); n++)
        table_set_text(table, n, span_of(texts[n]));
    for (size_t n = 0; n < COUNT_OF(values); n++)
        set_number(table, JOB_PAIR_A + n, values[n]);
    table_set_u64(table, JOB_PAIR_PAIRS, v->difference.count);
}

void job_pair_print_rows(const struct job_pair *pair, enum table_form form,
                         struct strbuf *out)
{
    const struct contrast *all = &pair->contrast;
    AUTO(table_done) struct table table;
    const struct table_print_opts opts = { .raw_units = true };
    table_init(&table);
    job_pair_columns_add(&table);
    if (pair->comparison.has_climate) {
        table_add_column(&table, "chance", TABLE_DOUBLE, "");
        table_add_column(&table, "pairs", TABLE_U64, "");
    }
    for (size_t i = 0; i < all->count; i++) {
        table_add_row(&table);
        if (all->items[i].of_log)
            of_log_row(&table, pair->runs, all->items[i].of_log);
        else
            around_row(&table, &all->items[i]);
    }
    table_print(&table, form, &opts, out);
}

/* {"differences":[...],"climate":{...}}: with a climate it is no mere list. */
void job_pair_print_json(const struct job_pair *pair, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf rows = STRBUF_INIT;
    struct json_writer w;
    job_pair_print_rows(pair, TABLE_FORM_JSON, &rows);
    json_writer_init(&w, out);
    json_object(&w);
    json_key(&w, "differences");
    json_raw(&w, strbuf_span(&rows));
    job_comparison_json(&pair->comparison, &w);
    json_object_end(&w);
    strbuf_addc(out, '\n');
}
