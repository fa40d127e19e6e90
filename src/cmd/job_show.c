/* SPDX-License-Identifier: Apache-2.0 */
/* job_show - baro job show: one page about one run, for a person. */
#include "analysis/analysis.h"
#include "base/json_writer.h"
#include "base/number.h"
#include "cmd/commands.h"
#include "cmd/job_servers_ask.h"
#include "cmd/job_surroundings.h"
#include "model/model.h"

#include <math.h>

struct args {
    struct asking_args asking; /* the servers' rows; also --output */
    bool line;
    struct job_surroundings_args surroundings;
};

/* A run with what is to be said of it. */
struct page {
    struct profile run;
    struct finding findings[FINDINGS_MAX];
    size_t count;
    bool has_servers;
    struct job_servers servers;
    struct job_surroundings surroundings;
    struct finding around[FINDINGS_MAX];
    size_t around_count;
};

static void line_print(const struct page *page, struct strbuf *out)
{
    const struct profile *p = &page->run;
    char bytes[32];
    number_print_bytes(bytes, sizeof bytes, p->values[PROFILE_BYTES]);
    strbuf_addf(out, "io: %s in %.0f files", bytes, p->values[PROFILE_FILES]);
    if (!isnan(p->values[PROFILE_SPEED]))
        strbuf_addf(out, ", %.0f MiB/s", p->values[PROFILE_SPEED]);
    for (size_t i = 0; i < page->count + page->around_count; i++) {
        const struct finding *f =
            i < page->count ? &page->findings[i] : &page->around[i - page->count];
        strbuf_addf(out, "%s %s ", i > 0 ? "," : ";", f->name);
        finding_print_value(f, f->value, out);
    }
    if (page->has_servers)
        job_servers_print_line(&page->servers, out);
    strbuf_addc(out, '\n');
}

static void findings_print(const struct page *page, struct strbuf *out)
{
    if (page->count == 0)
        strbuf_adds(out, "Nothing in the way it did its I/O stands out.\n");
    for (size_t i = 0; i < page->count; i++) {
        const struct finding *f = &page->findings[i];
        finding_print(f, out);
        if (f->measure == PROFILE_SLOW_TARGET)
            strbuf_addf(out, "; OST %d", page->run.slow_target);
        strbuf_addc(out, '\n');
    }
    for (size_t i = 0; i < page->around_count; i++) {
        finding_print(&page->around[i], out);
        strbuf_addc(out, '\n');
    }
}

static void text_print(const struct page *page, struct strbuf *out)
{
    const struct profile *p = &page->run;
    const double io_s = p->read_s + p->write_s + p->meta_s;
    char bytes[32], access[32];
    number_print_bytes(bytes, sizeof bytes, p->values[PROFILE_BYTES]);
    strbuf_addf(out, "Job %lld: %s\n", (long long)p->jobid, p->exe);
    strbuf_addf(out, "%.0f processes for %.0f s\n\n", p->values[PROFILE_PROCESSES],
                p->run_s);
    strbuf_addf(out, "Moved %s in %.0f files", bytes, p->values[PROFILE_FILES]);
    if (!isnan(p->values[PROFILE_READ_SHARE]))
        strbuf_addf(out, ", %.0f %% of it read", p->values[PROFILE_READ_SHARE] * 100);
    if (!isnan(p->values[PROFILE_ACCESS])) {
        number_print_bytes(access, sizeof access, p->values[PROFILE_ACCESS]);
        strbuf_addf(out, ", in %llu accesses of %s in the mean",
                    (unsigned long long)p->accesses, access);
    }
    strbuf_adds(out, ".\n");
    if (io_s > 0)
        strbuf_addf(out,
                    "Time of all processes: %.1f s reading, %.1f s writing, %.1f s in "
                    "metadata.\n",
                    p->read_s, p->write_s, p->meta_s);
    if (!isnan(p->values[PROFILE_SPEED]))
        strbuf_addf(out, "Speed by the slowest process: %.1f MiB/s.\n",
                    p->values[PROFILE_SPEED]);
    strbuf_addc(out, '\n');
    findings_print(page, out);
    if (p->fault_count > 0)
        strbuf_adds(out, "The log is not whole: what is missing is not seen.\n");
    if (page->has_servers)
        job_servers_print_text(&page->servers, p, out);
    job_weather_tell(&page->surroundings, out);
    job_climate_tell(&page->surroundings, out);
}

static void put_text(struct json_writer *w, const char *key, const char *text)
{
    AUTO(strbuf_done) struct strbuf clean = STRBUF_INIT;
    entry_id_print(&clean, span_of(text));
    json_key(w, key);
    json_span(w, strbuf_span(&clean));
}

static void put_double(struct json_writer *w, const char *key, double value)
{
    json_key(w, key);
    json_double(w, value);
}

static void findings_json(struct json_writer *w, const struct finding *findings,
                          size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct finding *f = &findings[i];
        json_object(w);
        put_text(w, "name", f->name);
        put_text(w, "words", f->words);
        if (f->who)
            put_text(w, "who", f->who);
        put_text(w, "measure", f->evidence);
        put_double(w, "value", f->value);
        put_double(w, "threshold", f->threshold);
        json_key(w, "n");
        json_u64(w, f->n);
        put_double(w, "p", f->p);
        json_key(w, "others");
        json_u64(w, f->others);
        json_object_end(w);
    }
}

static void json_print(const struct page *page, struct strbuf *out)
{
    struct json_writer w;
    json_writer_init(&w, out);
    json_object(&w);
    json_key(&w, "jobid");
    json_i64(&w, page->run.jobid);
    put_text(&w, "exe", page->run.exe);
    json_key(&w, "start_s");
    json_i64(&w, page->run.start_s);
    put_double(&w, "run_time_s", page->run.run_s);
    json_key(&w, "is_whole");
    json_bool(&w, page->run.fault_count == 0);
    json_key(&w, "measures");
    json_object(&w);
    for (size_t i = 0; i < PROFILE_MEASURE_COUNT; i++)
        put_double(&w, profile_term((enum profile_measure)i)->name,
                   page->run.values[i]);
    json_object_end(&w);
    json_key(&w, "findings");
    json_array(&w);
    findings_json(&w, page->findings, page->count);
    findings_json(&w, page->around, page->around_count);
    json_array_end(&w);
    if (page->has_servers)
        job_servers_print_json(&page->servers, &page->run, &w);
    job_surroundings_json(&page->surroundings, &w);
    json_object_end(&w);
    strbuf_addc(out, '\n');
}

static int page_print(const struct page *page, const struct args *args, struct err *err)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const char *form = args->asking.output;
    if (form && strcmp(form, "json") == 0)
        json_print(page, &out);
    else if (form && strcmp(form, "text") != 0)
        return err_set(err, EINVAL, "--output: '%s' is neither text nor json", form);
    else if (args->line)
        line_print(page, &out);
    else
        text_print(page, &out);
    if (strbuf_error(&out) < 0)
        return err_set(err, ENOMEM, "out of memory");
    if (fwrite(strbuf_text(&out), 1, out.size, stdout) != out.size ||
        fflush(stdout) != 0)
        return err_set(err, EIO, "standard output: %s", strerror(errno));
    return 0;
}

/* The servers' rows, where somebody is named who has them.  Nothing known of a job is
 * no failure: its file system may be another one.  Nor is it one that nobody answers at
 * the environment's address: the page was asked for, not the servers. */
static int servers_ask(const struct args *args, struct page *page, struct err *err)
{
    struct err why = { 0 };
    const char *usual = getenv("BARO_SERVER");
    bool is_named = args->asking.server || args->asking.records;
    if (!is_named && !(usual && *usual))
        return 0;
    int rc = job_servers_ask(&args->asking, &page->run, &page->servers, &why);
    page->has_servers = rc == 0;
    if (rc < 0 && is_named && rc != -ENOENT)
        return err_set(err, -rc, "%s", why.text[0] ? why.text : strerror(-rc));
    if (rc < 0)
        fprintf(stderr, "baro job show: nothing from the servers: %s\n",
                why.text[0] ? why.text : strerror(-rc));
    return 0;
}

/* The job is the first of those that the climate was asked about. */
static void around_find(struct page *page)
{
    const struct job_surroundings *s = &page->surroundings;
    struct finding_climate climate = { &s->mapping, &s->runs, NULL };
    if (s->count == 0)
        return;
    for (size_t i = 0; s->has_climate && i < s->runs.count; i++)
        if (s->runs.runs[i].wanted == 1)
            climate.run = &s->runs.runs[i];
    if (climate.run)
        findings_compare(&climate, page->findings, page->count);
    page->around_count =
        findings_make_around(&s->rows[0], climate.run ? &climate : NULL, page->around);
}

static int run_command(void *args_arg, int operand_count, char **operands)
{
    const struct args *args = args_arg;
    struct err err = { 0 };
    struct page page = { 0 };
    /* --series barod is the one that the rows are asked of, too. */
    struct job_surroundings_args around = args->surroundings;
    around.maker.way.server = args->asking.server;
    around.maker.way.token_file = args->asking.token_file;
    around.maker.way.ca_file = args->asking.ca_file;
    if (operand_count != 1) {
        fprintf(stderr, "baro job show: one log is wanted: LOG\n");
        return EXIT_USAGE;
    }
    int rc = profile_load(operands[0], &page.run, &err);
    if (rc < 0) {
        fprintf(stderr, "baro job show: %s: %s\n", operands[0], err.text);
        return err_exit_status(rc);
    }
    page.count = findings_make(&page.run, page.findings);
    rc = servers_ask(args, &page, &err);
    if (rc == 0)
        rc = job_surroundings_make(&around, operands, 1, &page.surroundings, &err);
    if (rc == 0)
        around_find(&page);
    if (rc == 0)
        rc = page_print(&page, args, &err);
    job_servers_done(&page.servers);
    job_surroundings_done(&page.surroundings);
    if (rc == 0)
        return EXIT_OK;
    fprintf(stderr, "baro job show: %s\n", err.text);
    return err_exit_status(rc);
}

static const struct option options[] = {
    { "line", 'l', OPTION_FLAG, offsetof(struct args, line), NULL,
      "One line, for the comment that an epilog writes to a job." },
    ASKING_SERVER_OPTIONS,
    { "records", 0, OPTION_TEXT, ASKING_FIELD(records), "DATABASE",
      "Read a database without a daemon: SQLite's file, or PostgreSQL's connection "
      "string." },
    JOB_SURROUNDINGS_OPTIONS(struct args, surroundings),
    { "output", 'o', OPTION_TEXT, ASKING_FIELD(output), "FORMAT",
      "text (default) or json." },
};

const struct command cmd_job_show = {
    .name = "job show",
    .operands = "LOG",
    .help = "What a run did, how fast, and what stands out, on one page.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = run_command,
    .details =
        "Reads a Darshan log. With --server or --records also says what the Lustre "
        "servers\n"
        "counted of the job, and who else was on its targets meanwhile.\n"
        "A finding is said with its evidence, the threshold and\n"
        "the number n it is made of. The thresholds are rules of thumb: a finding "
        "says\n"
        "what the run did, not that it is the reason of its speed.\n"
        "\n"
        "With --series, --health and --jobs it tells what the file system did "
        "meanwhile,\n"
        "with --climate and --map what of all that was unusual for a run of its kind.\n"
        "\n" FINDING_RATES "\n"
        "\n"
        "Example: baro job show job.darshan -S day.hdf5 -C runs.csv -m jobs.conf",
};
