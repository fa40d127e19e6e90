/* SPDX-License-Identifier: Apache-2.0 */
/* job_diff - baro job diff: in what two runs of a job differ. */
#include "analysis/climate/climate.h"
#include "analysis/job/job.h"
#include "analysis/stats/stats.h"
#include "analysis/table/table.h"
#include "base/number.h"
#include "base/table.h"
#include "client/client.h"
#include "cmd/commands.h"
#include "cmd/job_gather.h"
#include "cmd/output.h"
#include "cmd/warning.h"
#include "report/report.h"

#include <math.h>

#define ALIKE_MAX 1000

struct args {
    uint64_t floor_percent;
    struct option_list alike;
    const char *output;
    struct job_gather_args around;
};

/* What the two runs are held against. */
struct ground {
    double floors[PROFILE_MEASURE_COUNT];
    size_t alike_count; /* 0: no alike runs were given */
    const char *set; /* whose alike runs in the climate it is of; NULL: not of those */
    size_t pairs;    /* of them */
};

static int measure_ground(const struct args *args, struct ground *ret, struct err *err)
{
    size_t count = args->alike.count;
    difference_floors((double)args->floor_percent / 100, ret->floors);
    if (count == 0)
        return 0;
    if (count < DIFFERENCE_ALIKE_MIN || count > ALIKE_MAX)
        return err_set(err, EINVAL, "--alike: %zu runs are not in %d..%d", count,
                       DIFFERENCE_ALIKE_MIN, ALIKE_MAX);
    struct profile *alike = calloc(count, sizeof *alike);
    int rc = alike ? 0 : err_set(err, ENOMEM, "out of memory");
    for (size_t i = 0; i < count && rc == 0; i++) {
        struct err why = { 0 };
        rc = job_log_profile(args->alike.items[i], &alike[i], &why);
        if (rc < 0)
            (void)err_set(err, -rc, "%s: %s", args->alike.items[i], why.text);
    }
    if (rc == 0)
        rc = difference_floors_measure(alike, count, ret->floors);
    ret->alike_count = count;
    free(alike);
    return rc;
}

/* The floor of the second run's class, where the climate has alike runs of it, or of
 * all classes. */
static int climate_ground(const struct job_comparison *around, struct ground *ret,
                          struct err *err)
{
    AUTO(floors_done) struct floors floors = { 0 };
    if (!around->has_climate || !around->climate.set)
        return 0;
    if (floors_make(&around->runs, &floors) < 0)
        return err_set(err, ENOMEM, "out of memory");
    const struct floor *floor = floors_find(&floors, around->climate.set);
    if (!floor)
        return 0;
    difference_floors(floor_timed(floor), ret->floors);
    ret->set = floor == &floors.all ? "all classes" : around->climate.set;
    ret->pairs = floor->any.pairs;
    return 0;
}

static void value_print(char *out, size_t size, const struct difference *d,
                        double value)
{
    if (isnan(value))
        (void)snprintf(out, size, "-");
    else if (!d->is_ratio)
        (void)snprintf(out, size, "%.1f %%", value * 100);
    else if (strcmp(d->unit, "bytes") == 0)
        number_print_bytes(out, size, value);
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

/* What a person may conclude when nothing that the runs did explains how they went. */
static void conclusion_print(const struct contrast *all, const double *floors,
                             struct strbuf *out)
{
    if (all->count == 0)
        strbuf_addf(out, "Nothing differs beyond the usual %.0f %%.\n",
                    expm1(floors[PROFILE_SPEED]) * 100);
    else if (all->items[0].kind == CONTRAST_WENT)
        strbuf_adds(out,
                    "Both did the same; it went otherwise: look at the file system "
                    "and at the neighbours.\n");
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
    value_print(a, sizeof a, d, d->a);
    value_print(b, sizeof b, d, d->b);
    change_print(change, sizeof change, d);
    strbuf_addf(out, "%-34s %12s -> %-12s %-14s %.3g x the floor%s\n", d->label, a, b,
                change, d->score, d->is_because ? "; follows" : "");
}

static void around_print(const struct contrast_item *item, struct strbuf *out)
{
    const struct climate_value *v = item->around;
    char a[48], b[48];
    climate_value_print(a, sizeof a, v->unit, v->before);
    climate_value_print(b, sizeof b, v->unit, v->value);
    strbuf_addf(out,
                "%-34s %12s -> %-12s %-14s %.3g x the floor; farther apart than %.1f "
                "%% of pairs; B ",
                v->label, a, b, "", item->score,
                100 * (double)v->difference.below / (double)v->difference.count);
    standing_print(&v->standing, "runs", out);
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
static void text_print(const struct profile *runs, const struct contrast *all,
                       const struct ground *ground, const struct job_comparison *around,
                       struct strbuf *out)
{
    for (int i = 0; i < 2; i++)
        strbuf_addf(out, "%c: job %lld, %s\n", 'A' + i, (long long)runs[i].jobid,
                    runs[i].exe);
    if (ground->alike_count > 0)
        strbuf_addf(out, "Held against %zu alike runs.\n", ground->alike_count);
    if (ground->set)
        strbuf_addf(out, "The floor is that of %zu pairs of alike runs of %s.\n",
                    ground->pairs, ground->set);
    bool has_climate = job_pair_print_class(around, out);
    strbuf_addc(out, '\n');
    conclusion_print(all, ground->floors, out);
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
        if (runs[i].fault_count > 0)
            strbuf_addf(out,
                        "The log of %c is not whole: what is missing is not seen.\n",
                        'A' + i);
    job_pair_print_around(around, out);
}

static void set_number(struct table *table, size_t column, double value)
{
    if (isfinite(value))
        table_set_double(table, column, value);
}

enum {
    ROW_MEASURE,
    ROW_FAMILY,
    ROW_UNIT,
    ROW_KIND,
    ROW_TEXT_A,
    ROW_TEXT_B,
    ROW_A,
    ROW_B,
    ROW_DISTANCE,
    ROW_FLOOR,
    ROW_SCORE,
    ROW_CHANCE, /* this and what follows: with a climate */
    ROW_PAIRS,
};

static void of_log_row(struct table *table, const struct profile *runs,
                       const struct difference *d)
{
    const char *kind = d->is_effect ? "effect" : d->is_because ? "follows" : "cause";
    const double values[] = { d->a, d->b, d->distance, d->floor, d->score };
    const char *const words[] = { d->name, d->family, d->unit, kind };
    for (size_t n = 0; n < COUNT_OF(words); n++)
        table_set_text(table, n, span_of(words[n]));
    for (size_t n = 0; n < 2 && isnan(d->a); n++)
        table_set_text(table, ROW_TEXT_A + n, span_of(runs[n].program));
    for (size_t n = 0; n < COUNT_OF(values); n++)
        set_number(table, ROW_A + n, values[n]);
}

static void around_row(struct table *table, const struct contrast_item *item)
{
    const struct climate_value *v = item->around;
    const double values[] = { v->before,   v->value,    fabs(v->value - v->before),
                              item->floor, item->score, v->chance };
    const char *const words[] = { v->name, "climate", v->unit,
                                  item->kind == CONTRAST_WENT      ? "effect"
                                  : item->kind == CONTRAST_FOLLOWS ? "follows"
                                                                   : "around" };
    for (size_t n = 0; n < COUNT_OF(words); n++)
        table_set_text(table, n, span_of(words[n]));
    for (size_t n = 0; n < COUNT_OF(values); n++)
        set_number(table, ROW_A + n, values[n]);
    table_set_u64(table, ROW_PAIRS, v->difference.count);
}

static void rows_print(const struct profile *runs, const struct contrast *all,
                       const struct job_comparison *around, enum table_form form,
                       struct strbuf *out)
{
    static const char *const texts[] = { "measure", "family", "unit",
                                         "kind",    "text_a", "text_b" };
    static const char *const numbers[] = { "a", "b", "distance", "floor", "score" };
    AUTO(table_done) struct table table;
    const struct table_print_opts opts = { .raw_units = true };
    table_init(&table);
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        table_add_column(&table, texts[i], TABLE_TEXT, "");
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        table_add_column(&table, numbers[i], TABLE_DOUBLE, "");
    if (around->has_climate) {
        table_add_column(&table, "chance", TABLE_DOUBLE, "");
        table_add_column(&table, "pairs", TABLE_U64, "");
    }
    for (size_t i = 0; i < all->count; i++) {
        table_add_row(&table);
        if (all->items[i].of_log)
            of_log_row(&table, runs, all->items[i].of_log);
        else
            around_row(&table, &all->items[i]);
    }
    table_print(&table, form, &opts, out);
}

/* {"differences":[...],"climate":{...}}: with a climate it is no mere list. */
static void objects_print(const struct profile *runs, const struct contrast *all,
                          const struct job_comparison *around, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf rows = STRBUF_INIT;
    struct json_writer w;
    rows_print(runs, all, around, TABLE_FORM_JSON, &rows);
    json_writer_init(&w, out);
    json_object(&w);
    json_key(&w, "differences");
    json_raw(&w, strbuf_span(&rows));
    job_comparison_json(around, &w);
    json_object_end(&w);
    strbuf_addc(out, '\n');
}

/* Of a climate with so few others nothing is told. */
static const struct job_climate *climate_of(const struct job_comparison *around)
{
    const struct job_climate *c = &around->climate;
    return around->has_climate && c->set && c->others >= STANDING_OTHERS_MIN ? c : NULL;
}

static int print(const struct args *args, const struct profile *runs,
                 const struct ground *ground, const struct job_comparison *around,
                 struct err *err)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct differences found;
    struct contrast all;
    enum table_form form;
    difference_find(&runs[0], &runs[1], ground->floors, &found);
    contrast_make(&found, climate_of(around), &all);
    if (!args->output || strcmp(args->output, "table") == 0)
        text_print(runs, &all, ground, around, &out);
    else if (around->has_climate && strcmp(args->output, "json") == 0)
        objects_print(runs, &all, around, &out);
    else if (table_form_parse(span_of(args->output), &form) == 0)
        rows_print(runs, &all, around, form, &out);
    else
        return err_set(err, EINVAL, "--output: '%s' is none of table, json, csv",
                       args->output);
    return output_print(&out, err);
}

/* Differences are of what the logs say: both have to be here. */
static int run_load(const struct job_gather_args *args, const char *operand,
                    struct job_operand *job, struct profile *ret, struct err *err)
{
    const struct series_way *way = &args->maker.way;
    const struct client_endpoint endpoint = { .server = way->server,
                                              .token_file = way->token_file,
                                              .ca_file = way->ca_file };
    int rc = job_operand_find(&endpoint, args->maker.cluster, operand, job, err);
    if (rc < 0)
        return rc;
    if (!job->is_readable)
        return err_set(err, ENOENT,
                       "job %s: its log %s cannot be read here, and a summary does not "
                       "tell how it did its I/O ('baro job show %s' shows the summary)",
                       operand, job->log ? job->log : "(unknown)", operand);
    rc = job_operand_read(job, err);
    if (rc == 0)
        *ret = job->run;
    return rc;
}

static int run_command(void *args_arg, int operand_count, char **operands)
{
    struct args *args = args_arg;
    struct err err = { 0 };
    struct profile runs[2];
    struct job_operand jobs[2] = { 0 };
    struct ground ground = { 0 };
    AUTO(job_gather_done) struct job_gather gather = { 0 };
    AUTO(job_comparison_done) struct job_comparison around = { 0 };
    bool is_floor_given = args->floor_percent > 0 || args->alike.count > 0;
    int rc = 0;
    args->around.maker.way.log = warning_print;
    if (operand_count != 2) {
        fprintf(stderr, "baro job diff: two jobs are wanted, each a LOG or JOBID\n");
        return EXIT_USAGE;
    }
    if (args->floor_percent == 0)
        args->floor_percent = (uint64_t)(DIFFERENCE_FLOOR_DEFAULT * 100);
    for (int i = 0; i < 2 && rc == 0; i++)
        rc = run_load(&args->around, operands[i], &jobs[i], &runs[i], &err);
    if (rc == 0)
        rc = measure_ground(args, &ground, &err);
    if (rc == 0)
        rc = job_gather(&args->around, jobs, 2, &gather, &around, &err);
    if (rc == 0 && !is_floor_given)
        rc = climate_ground(&around, &ground, &err);
    if (rc == 0)
        rc = print(args, runs, &ground, &around, &err);
    for (int i = 0; i < 2; i++)
        job_operand_done(&jobs[i]);
    if (rc == 0)
        return EXIT_OK;
    fprintf(stderr, "baro job diff: %s\n", err.text);
    return err_exit_status(rc);
}

static const struct option options[] = {
    { "floor", 0, OPTION_COUNT, offsetof(struct args, floor_percent), "PERCENT",
      "How much slower a run may be that is alike (default 140); not with --alike." },
    { "alike", 'a', OPTION_LIST, offsetof(struct args, alike), "LOG",
      "The log of an alike run; three or more of them measure the floor." },
    JOB_GATHER_OPTIONS(struct args, around),
    { "server", 's', OPTION_TEXT, offsetof(struct args, around.maker.way.server), "URL",
      "The barod that knows the jobs by their ids; default: BARO_SERVER, "
      "or " CLIENT_SERVER_DEFAULT },
    SERIES_TOKEN_OPTIONS(struct args, around.maker.way),
    { "output", 'o', OPTION_TEXT, offsetof(struct args, output), "FORMAT",
      "table (default), json or csv." },
};

const struct command cmd_job_diff = {
    .name = "job diff",
    .operands = "LOG_A|JOBID_A LOG_B|JOBID_B",
    .help = "In what two runs of a job differ, the most unusual first.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = run_command,
    .details =
        "Reads two Darshan logs. First comes what the second run did otherwise, then\n"
        "what follows from that, then how it went. What lies below the floor is no\n"
        "difference: so much do runs differ that are alike in every counter.\n"
        "\n"
        "With --climate and --map what was around both stands in the same list: each\n"
        "measure's difference held against all pairs of alike runs. What may be a "
        "cause\n"
        "comes first, the most unusual before the others.\n"
        "\n"
        "Example: baro job diff good.darshan slow.darshan -C runs.csv -m jobs.conf",
};
