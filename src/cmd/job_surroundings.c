/* SPDX-License-Identifier: Apache-2.0 */
/* job_surroundings - what a job met: the weather meanwhile, and the climate of its
 * kind.
 */
#include "cmd/job_surroundings.h"

#include "base/number.h"
#include "base/timetext.h"
#include "cmd/clock_guess.h"
#include "cmd/fabric_ask.h"
#include "cmd/job_server.h"
#include "cmd/runs_files.h"

#include <math.h>

/* What is told of a value that lies farther out than 90 of 100 alike runs. */
#define CHANCE_TOLD 0.10
#define VALUES_TOLD 10
#define CLOCK_PART_MIN 0.5 /* of the bytes there, for a job to tell of clocks */

/* ---- what is read ---- */

static int row_copy(const struct job_row *from, struct job_row *to)
{
    for (size_t i = 0; i < from->count; i++) {
        const struct job_cell *cell = &from->cells[i];
        if (cell->type == JOB_CELL_TEXT)
            job_row_text(to, cell->name, cell->text);
        else if (cell->type == JOB_CELL_I64)
            job_row_i64(to, cell->name, cell->i64);
        else if (cell->type == JOB_CELL_DOUBLE)
            job_row_double(to, cell->name, cell->dbl);
        else
            job_row_missing(to, cell->name);
    }
    return job_row_error(to);
}

static bool is_made(const struct job_maker_opts *maker)
{
    return maker->series.count + maker->health.count + maker->jobs.count > 0 ||
           maker->site;
}

/* Which tables, and what their columns mean. */
struct climate_names {
    const char *const *tables;
    size_t count;
    const char *map;
};

/* What baro job summarize told a barod has columns that the installed mapping knows. */
static int climate_find(const struct job_surroundings_args *args, bool is_stored,
                        struct climate_names *ret, struct err *err)
{
    static const char *const barod[] = { "barod" };
    bool is_served = args->climate.count > 0;
    *ret =
        (struct climate_names){ args->climate.items, args->climate.count, args->map };
    for (size_t i = 0; i < args->climate.count; i++)
        is_served = is_served && client_endpoint_is_server(args->climate.items[i]);
    if (args->climate.count == 0 && is_stored &&
        (args->map || access(RUNS_MAP_DEFAULT, R_OK) == 0))
        *ret = (struct climate_names){ barod, 1, args->map };
    if (!ret->map && ret->count > 0 && (is_served || ret->tables == barod))
        ret->map = RUNS_MAP_DEFAULT;
    if ((ret->count > 0) != (ret->map != NULL))
        return err_set(err, EINVAL, "--climate and --map go together");
    return 0;
}

static int climate_make(const struct climate_names *names,
                        const struct client_endpoint *way, struct job_surroundings *s,
                        struct err *err)
{
    AUTO(runs_files_done) struct runs_files files = { 0 };
    struct runs_wanted wanted = { .count = s->count };
    for (size_t i = 0; i < s->count; i++)
        wanted.jobs[i] = &s->rows[i];
    int rc = runs_files_open(names->tables, names->count, way, &files, err);
    if (rc == 0)
        rc = mapping_load(names->map, &s->mapping, err);
    if (rc == 0)
        rc = runs_load_wanted(&s->mapping, files.paths, files.count, &wanted, &s->runs,
                              err);
    if (rc < 0)
        return rc;
    rc = s->count == 1 ? job_climate_make(&s->mapping, &s->runs, 1, &s->climate)
                       : job_climate_pair(&s->mapping, &s->runs, &s->climate);
    s->has_climate = rc == 0;
    return rc < 0 ? err_set(err, -rc, "%s", strerror(-rc)) : 0;
}

/* One job alone tells by its shape where it may be, and a stranger's burst has the
 * shape of its own: only where most of what the servers moved there may have been the
 * job's it is told. */
static bool is_its_own(struct job_surroundings *s, struct shelf_wish whose)
{
    const struct job_row *row = &s->rows[0];
    double bytes = job_row_number(row, "darshan_tot_bytes_read_posix") +
                   job_row_number(row, "darshan_tot_bytes_written_posix");
    double from = job_row_number(row, "darshan_start_time");
    double to = job_row_number(row, "darshan_end_time");
    if (isnan(bytes) || isnan(from) || isnan(to))
        return false;
    whose.from_s = (int64_t)from + s->clock.offset_s;
    whose.to_s = (int64_t)to + s->clock.offset_s + s->clock_step_s;
    double part = clock_guess_part(&s->maker.shelf, &whose, bytes);
    return part >= CLOCK_PART_MIN && part <= COVERAGE_MAX;
}

/* An estimate is told, never used (doc/decisions/0153): what is in the way of it is no
 * failure. */
static void clock_guess(struct job_surroundings *s, const char *log)
{
    AUTO(clock_estimate_done) struct clock_estimate estimate = { 0 };
    const char *name = job_row_words(&s->rows[0], "_file_system");
    struct shelf_wish whose = { .whose = SHELF_OWN };
    if (s->maker.site && name)
        whose.owner = site_file_named(s->maker.site, name);
    if (!whose.owner)
        whose.fs_guess = name;
    s->clock_step_s = clock_guess_step(&s->maker.shelf, &whose);
    if (s->clock_step_s == 0 ||
        clock_estimate_init(&estimate, s->clock_step_s, CLOCK_GUESS_REACH_S) < 0)
        return;
    if (clock_guess_add(&estimate, &s->maker.shelf, &whose, log, NULL) == 0 &&
        clock_estimate_get(&estimate, &s->clock) == 0 && s->clock.is_clear &&
        llabs(s->clock.offset_s) > s->clock_step_s)
        s->has_clock = is_its_own(s, whose);
}

static int row_make(const struct job_surroundings_args *args,
                    struct job_surroundings *s, const struct job_operand *job,
                    struct err *err)
{
    struct job_row *row = &s->rows[s->count++];
    job_row_init(row);
    if (job->is_stored && !is_made(&args->maker))
        return row_copy(&job->row, row) < 0 ? err_set(err, ENOMEM, "out of memory") : 0;
    if (!job->is_readable)
        return err_set(err, ENOENT, "the log %s cannot be read here",
                       job->log ? job->log : "of it");
    return job_maker_make(&s->maker, job->log, row, NULL, err);
}

int job_surroundings_make(const struct job_surroundings_args *args,
                          const struct job_operand *jobs, size_t count,
                          struct job_surroundings *ret, struct err *err)
{
    struct job_surroundings *s = ret;
    struct climate_names climate;
    const struct series_way *way = &args->maker.way;
    const struct client_endpoint endpoint = { .server = way->server,
                                              .token_file = way->token_file,
                                              .ca_file = way->ca_file };
    bool is_stored = false;
    for (size_t i = 0; i < count; i++)
        is_stored |= jobs[i].is_stored;
    int rc = climate_find(args, is_stored, &climate, err);
    if (rc < 0)
        return rc;
    s->is_wanted = climate.count > 0 || is_made(&args->maker) || is_stored;
    if (!s->is_wanted)
        return 0;
    rc = job_maker_open(&args->maker, &s->maker, err);
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = row_make(args, s, &jobs[i], err);
    if (rc == 0 && count == 1 && is_made(&args->maker))
        clock_guess(s, jobs[0].log);
    return rc == 0 && climate.count > 0 ? climate_make(&climate, &endpoint, s, err)
                                        : rc;
}

void job_surroundings_done(struct job_surroundings *s)
{
    if (!s->is_wanted)
        return;
    for (size_t i = 0; i < s->count; i++)
        job_row_done(&s->rows[i]);
    job_climate_done(&s->climate);
    runs_done(&s->runs);
    mapping_done(&s->mapping);
    job_maker_done(&s->maker);
}

/* ---- the weather ---- */

/* ", more than in 93 of 100 runs of its class", where the climate knows the measure. */
static void standing_tell(const struct job_surroundings *s, const char *measure,
                          struct strbuf *out)
{
    const struct climate_value *v =
        s->has_climate ? job_climate_find(&s->climate, measure) : NULL;
    if (!v || v->standing.count < STANDING_OTHERS_MIN)
        return;
    strbuf_adds(out, ", ");
    standing_print(&v->standing, "runs of its class", out);
}

static void traffic_tell(const struct job_surroundings *s, struct strbuf *out)
{
    const struct job_row *row = &s->rows[0];
    double all = job_row_number(row, "fs_tot_bytes_read") +
                 job_row_number(row, "fs_tot_bytes_written");
    double own = job_row_number(row, "darshan_tot_bytes_read_posix") +
                 job_row_number(row, "darshan_tot_bytes_written_posix");
    double seconds =
        job_row_number(row, "fs_window_end") - job_row_number(row, "fs_window_start");
    char total[32], besides[40];
    if (isnan(all))
        return;
    number_print_bytes(total, sizeof total, all);
    strbuf_addf(out, "The file system moved %s in all", total);
    const char *broken = job_row_words(row, "coverage_broken");
    if (isnan(own) || !(seconds > 0)) {
        strbuf_adds(out, ".\n");
    } else if (own > all * COVERAGE_MAX) {
        strbuf_adds(out, ", which is less than the job alone did: its servers' numbers "
                         "are not whole.\n");
    } else {
        climate_value_print(besides, sizeof besides, "bytes/s",
                            fmax(0, all - own) / seconds);
        strbuf_addf(out, "; besides this job, which had %.0f %% of it, %s",
                    fmin(1, own / all) * 100, besides);
        standing_tell(s, "besides_bytes_per_s", out);
        strbuf_adds(out, ".\n");
    }
    if (broken && own <= all * COVERAGE_MAX)
        strbuf_addf(out,
                    "The job did more than its servers saw of: %s. That part of "
                    "the monitoring was broken.\n",
                    broken);
}

static void servers_tell(const struct job_surroundings *s, struct strbuf *out)
{
    static const struct {
        const char *mean, *most, *words;
    } loads[] = {
        { "fs_ave_oss_cpu", "fs_max_oss_cpu", "Data servers" },
        { "fs_ave_mds_cpu", "fs_max_mds_cpu", "Metadata servers" },
    };
    const struct job_row *row = &s->rows[0];
    for (size_t i = 0; i < COUNT_OF(loads); i++) {
        double mean = job_row_number(row, loads[i].mean);
        if (isnan(mean))
            continue;
        strbuf_addf(out, "%s were busy to %.0f %% in the mean, %.0f %% at most",
                    loads[i].words, mean, job_row_number(row, loads[i].most));
        standing_tell(s, loads[i].mean, out);
        strbuf_adds(out, ".\n");
    }
    double missing = job_row_number(row, "fs_frac_missing");
    if (missing > 0)
        strbuf_addf(out, "Of that time %.1f %% was not measured.\n", missing * 100);
}

static void health_tell(const struct job_surroundings *s, struct strbuf *out)
{
    const struct job_row *row = &s->rows[0];
    double full = job_row_number(row, "fshealth_ost_most_full_pct");
    double servers = job_row_number(row, "fshealth_ost_overloaded_oss_count");
    const char *refused = job_row_words(row, "fshealth_refused");
    if (!isnan(full)) {
        strbuf_addf(out, "Its fullest target was %s, at %.1f %%",
                    job_row_words(row, "fshealth_ost_most_full_name"), full);
        standing_tell(s, "fshealth_ost_most_full_pct", out);
        strbuf_addf(out, " (read %.0f s before it began).\n",
                    job_row_number(row, "fshealth_ost_fullness_lead_secs"));
    }
    if (servers > 0)
        strbuf_addf(out,
                    "%.0f of its servers had targets of others (read %.0f s before "
                    "it began).\n",
                    servers, job_row_number(row, "fshealth_ost_failures_lead_secs"));
    else if (servers == 0)
        strbuf_adds(out, "No server had targets of another.\n");
    if (refused)
        strbuf_addf(out, "Of its health there is no word: %s.\n", refused);
}

static void neighbours_tell(const struct job_surroundings *s, struct strbuf *out)
{
    const struct job_row *row = &s->rows[0];
    double jobs = job_row_number(row, "jobsdb_concurrent_jobs");
    double nodes = job_row_number(row, "jobsdb_concurrent_nodes");
    if (isnan(jobs))
        return;
    strbuf_addf(out, "%.0f jobs ran in its time, this one included, on %.0f nodes",
                jobs, nodes);
    standing_tell(s, "jobsdb_concurrent_jobs", out);
    strbuf_adds(out, ".\n");
}

/* Only where the site file says something of it: a name alone is in the mount. */
static void site_tell(const struct job_surroundings *s, struct strbuf *out)
{
    const struct job_row *row = &s->rows[0];
    double peak = job_row_number(row, "site_peak_bytes_per_sec");
    double servers = job_row_number(row, "site_servers");
    double share = job_row_number(row, "site_fraction_of_peak");
    const char *name = job_row_words(row, "_file_system");
    char bytes[32];
    if (!name || (isnan(peak) && isnan(servers)))
        return;
    strbuf_addf(out, "\nIts files were on %s", name);
    if (!isnan(servers))
        strbuf_addf(out, ", of %.0f server%s", servers, servers == 1 ? "" : "s");
    if (!isnan(peak)) {
        number_print_bytes(bytes, sizeof bytes, peak);
        strbuf_addf(out, ", which does %s/s at best", bytes);
    }
    strbuf_adds(out, ".\n");
    if (!isnan(share))
        strbuf_addf(out, "Its speed was %.3g %% of that.\n", share * 100);
}

/* A corrected clock is never silent. */
static void clocks_tell(const struct job_surroundings *s, struct strbuf *out)
{
    if (s->has_clock)
        strbuf_addf(out,
                    "The servers' clocks seem to be %lld s %s those of the job, to a "
                    "step of %lld s (r = %.2f): see baro analyze clock.\n",
                    llabs(s->clock.offset_s),
                    s->clock.offset_s > 0 ? "ahead of" : "behind",
                    (long long)s->clock_step_s, s->clock.r);
    if (s->maker.clocks.all.count == 0)
        return;
    strbuf_adds(out, "Clocks were corrected: ");
    clock_list_tell(&s->maker.clocks, out);
    strbuf_adds(out, ".\n");
}

void job_weather_tell(const struct job_surroundings *s, struct strbuf *out)
{
    if (s->count == 0)
        return;
    AUTO(strbuf_done) struct strbuf words = STRBUF_INIT;
    double from = job_row_number(&s->rows[0], "fs_window_start");
    double to = job_row_number(&s->rows[0], "fs_window_end");
    char first[TIMETEXT_SIZE], last[TIMETEXT_SIZE];
    site_tell(s, out);
    traffic_tell(s, &words);
    fabric_tell(&s->rows[0], &words);
    servers_tell(s, &words);
    health_tell(s, &words);
    neighbours_tell(s, &words);
    if (words.size == 0)
        return;
    strbuf_adds(out, "\nWhile it ran");
    if (!isnan(from)) {
        (void)timetext_print(first, (int64_t)from * NS_PER_S);
        (void)timetext_print(last, (int64_t)to * NS_PER_S);
        strbuf_addf(out, ", %s to %s", first, last);
    }
    strbuf_adds(out, ":\n");
    strbuf_add_span(out, strbuf_span(&words));
    clocks_tell(s, out);
}

/* ---- the climate ---- */

/* Whether there are others to say anything of; says why not. */
static bool climate_begin(const struct job_surroundings *s, struct strbuf *out)
{
    const struct job_climate *c = &s->climate;
    if (!s->has_climate)
        return false;
    strbuf_addc(out, '\n');
    if (!c->set) {
        strbuf_addf(out, "No run of the climate is like it: %s.\n", c->refused);
        return false;
    }
    if (c->others < STANDING_OTHERS_MIN) {
        strbuf_addf(out,
                    "Of its class (%s) there are %zu other runs: too few to say "
                    "what is usual.\n",
                    c->set, c->others);
        return false;
    }
    return true;
}

/* Which end is worse, where it lies in the outer quarter. */
static const char *judgement(const struct climate_value *v)
{
    double share = standing_share(&v->standing);
    if (share > 0.25 && share < 0.75)
        return "";
    return (share >= 0.75) == v->is_big_good ? " (good)" : " (bad)";
}

static void value_tell(const struct climate_value *v, size_t place, struct strbuf *out)
{
    char value[40], low[40], high[40];
    climate_value_print(value, sizeof value, v->unit, v->value);
    climate_value_print(low, sizeof low, v->unit, v->q25);
    climate_value_print(high, sizeof high, v->unit, v->q75);
    strbuf_addf(out, "%2zu. %s %s, ", place, v->label, value);
    standing_print(&v->standing, "runs", out);
    strbuf_addf(out, "; half of them lie in %s .. %s%s\n", low, high, judgement(v));
}

void job_climate_tell(const struct job_surroundings *s, struct strbuf *out)
{
    const struct job_climate *c = &s->climate;
    size_t told = 0;
    if (!climate_begin(s, out))
        return;
    strbuf_addf(out, "Among %zu other runs of its class (%s):\n", c->others, c->set);
    const struct climate_value *speed = job_climate_find(c, "fraction");
    if (speed) {
        strbuf_addf(out, "    It reached %.0f %% of the best, ", speed->value * 100);
        standing_print(&speed->standing, "runs", out);
        strbuf_adds(out, ".\n");
    }
    for (size_t i = 0; i < c->count && told < VALUES_TOLD; i++)
        if (c->values[i].chance <= CHANCE_TOLD && &c->values[i] != speed)
            value_tell(&c->values[i], ++told, out);
    if (c->count <= 1)
        strbuf_adds(out,
                    "    Of what surrounded it nothing is known: --series, --health "
                    "and --jobs tell.\n");
    else if (told == 0)
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
bool job_pair_begin(const struct job_surroundings *s, struct strbuf *out)
{
    const struct job_climate *c = &s->climate;
    if (!climate_begin(s, out))
        return false;
    if (c->other)
        strbuf_addf(out, "A is of another class: %s.\n", c->other);
    strbuf_addf(out, "Held against pairs of %zu other runs of B's class (%s).\n",
                c->others, c->set);
    return true;
}

void job_pair_end(const struct job_surroundings *s, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf words = STRBUF_INIT;
    for (size_t i = 0; i < s->count; i++) {
        AUTO(strbuf_done) struct strbuf of_one = STRBUF_INIT;
        fabric_tell(&s->rows[i], &of_one);
        if (of_one.size > 0)
            strbuf_addf(&words, "%c: %s", 'A' + (int)i, strbuf_text(&of_one));
    }
    if (s->count > 0)
        clocks_tell(s, &words);
    if (words.size > 0)
        strbuf_addc(out, '\n');
    strbuf_add_span(out, strbuf_span(&words));
}

/* ---- for programs ---- */

static void value_json(const struct climate_value *v, bool is_pair,
                       struct json_writer *w)
{
    const struct {
        const char *key;
        double value;
    } numbers[] = { { "value", v->value },
                    { "q25", v->q25 },
                    { "q50", v->q50 },
                    { "q75", v->q75 },
                    { "chance", v->chance } };
    json_object(w);
    json_key(w, "name");
    json_text(w, v->name);
    json_key(w, "label");
    json_text(w, v->label);
    if (is_pair) {
        json_key(w, "before");
        json_double(w, v->before);
        json_key(w, "pairs");
        json_u64(w, v->difference.count);
        json_key(w, "pairs_nearer");
        json_u64(w, v->difference.below);
    }
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        json_key(w, numbers[i].key);
        json_double(w, numbers[i].value);
    }
    json_key(w, "others");
    json_u64(w, v->standing.count);
    json_key(w, "less");
    json_u64(w, v->standing.below);
    json_key(w, "equal");
    json_u64(w, v->standing.equal);
    json_object_end(w);
}

static void climate_json(const struct job_surroundings *s, struct json_writer *w)
{
    const struct job_climate *c = &s->climate;
    json_object(w);
    json_key(w, "class");
    json_text(w, c->set);
    json_key(w, "refused");
    json_text(w, c->refused);
    json_key(w, "runs");
    json_u64(w, c->others);
    json_key(w, "values");
    json_array(w);
    for (size_t i = 0; i < c->count; i++)
        value_json(&c->values[i], s->count == 2, w);
    json_array_end(w);
    json_object_end(w);
}

void job_surroundings_json(const struct job_surroundings *s, struct json_writer *w)
{
    for (size_t i = 0; i < s->count; i++) {
        AUTO(strbuf_done) struct strbuf row = STRBUF_INIT;
        job_row_print_json(&s->rows[i], &row);
        json_key(w, s->count == 1 ? "summary" : i == 0 ? "summary_a" : "summary_b");
        json_raw(w, strbuf_span(&row));
    }
    if (s->has_clock) {
        json_key(w, "clock_offset_s");
        json_i64(w, s->clock.offset_s);
    }
    if (s->has_climate) {
        json_key(w, "climate");
        climate_json(s, w);
    }
}
