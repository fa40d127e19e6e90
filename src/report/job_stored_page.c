/* SPDX-License-Identifier: Apache-2.0 */
/* job_stored_page - a job whose log is not here: what its stored summary says. */
#include "report/job_stored_page.h"

#include "base/figure.h"
#include "base/json_writer.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"
#include "model/model.h"
#include "report/finding_text.h"
#include "report/job_around_text.h"
#include "report/job_comparison_json.h"
#include "report/job_servers_page.h"
#include "report/unusual/unusual.h"

#include <math.h>
#include <string.h>

#define START_S_MAX INT64_C(9000000000) /* later ones are no times in nanoseconds */

static void run_print(const struct job_stored *job, struct strbuf *out)
{
    const struct job_facts *facts = &job->summary->facts;
    char text[TIMETEXT_SIZE];
    strbuf_addf(out, "Job %s: ", job->text);
    if (facts->app)
        entry_id_print(out, span_of(facts->app));
    else
        strbuf_adds(out, "an unknown program");
    strbuf_addc(out, '\n');
    if (facts->nprocs != JOB_I64_NONE && !isnan(facts->walltime_s))
        strbuf_addf(out, "%lld processes for %.0f s", (long long)facts->nprocs,
                    facts->walltime_s);
    if (facts->start_s >= 0 && facts->start_s < START_S_MAX) {
        (void)timetext_print(text, facts->start_s * NS_PER_S);
        strbuf_addf(out, ", from %s", text);
    }
    strbuf_adds(out, "\n\n");
}

static void darshan_log_print(const struct job_stored *job, struct strbuf *out)
{
    const char *log = job->summary->identity.log;
    strbuf_adds(out, "Its log");
    if (log) {
        strbuf_addc(out, ' ');
        entry_id_print(out, span_of(log));
    }
    strbuf_addf(out,
                " cannot be read here (%s): this is its summary. For how it did "
                "its I/O read the log where it is.\n",
                strerror(job->unreadable_errno));
}

static void bytes_print(const struct job_stored *job, struct strbuf *out)
{
    const struct job_facts *facts = &job->summary->facts;
    double bytes = job_context_bytes(job->summary);
    char all[32], read[32];
    if (isnan(bytes))
        return;
    figure_print_bytes(all, sizeof all, bytes);
    figure_print_bytes(read, sizeof read, facts->posix[JOB_POSIX_BYTES_READ].total);
    strbuf_addf(out, "\nIt moved %s by POSIX, %s of it read", all, read);
    if (!isnan(facts->posix_mib_per_s))
        strbuf_addf(out, "; %.1f MiB/s by the slowest process", facts->posix_mib_per_s);
    strbuf_adds(out, ".\n");
}

void job_stored_print_text(const struct job_stored *job, const struct job_assessment *a,
                           struct strbuf *out)
{
    run_print(job, out);
    darshan_log_print(job, out);
    bytes_print(job, out);
    strbuf_adds(out, a->count > 0 ? "\n" : "");
    for (size_t i = 0; i < a->count; i++) {
        finding_print(&a->findings[i], job->summary->facts.walltime_s, out);
        strbuf_addc(out, '\n');
    }
    job_around_print(&a->comparison, false, out);
    job_class_print(&a->comparison, out);
}

void job_stored_print_line(const struct job_stored *job, const struct job_assessment *a,
                           struct strbuf *out)
{
    char bytes[32];
    double speed = job->summary->facts.posix_mib_per_s;
    double moved = job_context_bytes(job->summary);
    figure_print_bytes(bytes, sizeof bytes, moved);
    strbuf_addf(out, "io: %s", isnan(moved) ? "unknown" : bytes);
    if (!isnan(speed))
        strbuf_addf(out, ", %.0f MiB/s", speed);
    for (size_t i = 0; i < a->count; i++) {
        strbuf_addf(out, "%s %s ", i > 0 ? "," : ";", a->findings[i].name);
        finding_print_value(&a->findings[i], a->findings[i].value, out);
    }
    strbuf_addc(out, '\n');
}

void job_stored_print_json(const struct job_stored *job, const struct job_assessment *a,
                           struct strbuf *out)
{
    struct json_writer w;
    json_writer_init(&w, out);
    json_object(&w);
    json_key(&w, "job");
    json_text(&w, job->text);
    json_key(&w, "log");
    json_text(&w, job->summary->identity.log);
    json_key(&w, "log_is_readable");
    json_bool(&w, false);
    job_comparison_json(&a->comparison, &w);
    json_object_end(&w);
    strbuf_addc(out, '\n');
}

/* ---- a page out of any evidence ---- */

static const struct {
    enum job_part part;
    const char *text;
} evidence[] = {
    { JOB_PART_FACTS, "the summary of its log" },
    { JOB_PART_NODES, "metrics of its nodes" },
    { JOB_PART_SERVERS, "rows of jobstats" },
    { JOB_PART_WEATHER, "the servers' load" },
    { JOB_PART_HEALTH, "the health of its file system" },
    { JOB_PART_CO_SCHEDULED, "the jobs that ran meanwhile" },
};

static bool has_record(const struct job_context *context)
{
    return context->identity.start_ns != JOB_TIME_NONE ||
           context->identity.submit_ns != JOB_TIME_NONE;
}

static void headline_print(const struct job_headline *h, struct strbuf *out)
{
    if (h->node) {
        footprint_finding_print(h->node, out);
        return;
    }
    strbuf_addf(out, "%s: ", h->finding->name);
    finding_print_text(h->finding, out);
}

void job_sentence_print(const struct job_assessment *a, struct strbuf *out)
{
    const struct job_context *context = &a->comparison.jobs[0];
    struct job_headline headlines[JOB_HEADLINES_MAX];
    const char *between = "Nothing stands out in ";
    if (job_headlines(a, headlines) > 0) {
        headline_print(&headlines[0], out);
        strbuf_addc(out, '.');
        return;
    }
    for (size_t i = 0; i < COUNT_OF(evidence); i++) {
        if (evidence[i].part == JOB_PART_CO_SCHEDULED ||
            !job_context_has(context, evidence[i].part, NULL))
            continue;
        strbuf_addf(out, "%s%s", between, evidence[i].text);
        between = ", ";
    }
    strbuf_adds(out, between[0] == ','
                         ? "."
                         : "Only the batch system's record is known of it.");
}

static void identity_time_print(const char *before, int64_t t_ns, struct strbuf *out)
{
    char text[TIMETEXT_SIZE];
    if (t_ns == JOB_TIME_NONE)
        return;
    (void)timetext_print(text, t_ns);
    strbuf_addf(out, "%s%s", before, text);
}

static void identity_word_print(const char *before, const char *name,
                                struct strbuf *out)
{
    if (!name || !*name)
        return;
    strbuf_adds(out, before);
    entry_id_print(out, span_of(name));
}

static void identity_print(const struct job_identity *identity, struct strbuf *out)
{
    identity_word_print("Job ", identity->id, out);
    identity_word_print(" on ", identity->cluster, out);
    identity_word_print(", user ", identity->user, out);
    identity_word_print(", account ", identity->account, out);
    identity_word_print(", partition ", identity->partition, out);
    identity_word_print(", ", identity->state, out);
    strbuf_addc(out, '\n');
    if (identity->start_ns == JOB_TIME_NONE)
        return;
    identity_time_print("Ran from ", identity->start_ns, out);
    identity_time_print(" to ", identity->end_ns, out);
    if (identity->end_ns == JOB_TIME_NONE)
        strbuf_adds(out, ", it has not ended");
    identity_word_print(" on ", identity->nodes, out);
    strbuf_adds(out, ".\n");
}

static void advice_print(const struct job_headline *h, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf advice = STRBUF_INIT;
    if (h->node)
        footprint_advice_print(h->node, &advice);
    if (advice.size > 0)
        strbuf_addf(out, "    %s\n", strbuf_text(&advice));
}

static void cost_of_node_print(const struct footprint_finding *f, struct strbuf *out)
{
    if (isnan(f->high_s))
        return;
    const struct cost cost = cost_between(f->low_s, f->high_s, COST_WAITS);
    strbuf_adds(out, "    It cost ");
    cost_print(&cost, out);
    strbuf_adds(out, " of the run");
    if (!isnan(f->unused_s))
        strbuf_addf(out, "; %.1f %s were not used", f->unused_s / 3600,
                    f->devices ? "GPU hours" : "node hours");
    strbuf_adds(out, ".\n");
}

static void headlines_print(const struct job_assessment *a, struct strbuf *out)
{
    struct job_headline headlines[JOB_HEADLINES_MAX];
    size_t count = job_headlines(a, headlines);
    for (size_t i = 0; i < count; i++) {
        if (i > 0) {
            headline_print(&headlines[i], out);
            strbuf_adds(out, ".\n");
        }
        if (headlines[i].node)
            cost_of_node_print(headlines[i].node, out);
        advice_print(&headlines[i], out);
    }
}

static void known_print(const struct job_context *context, bool is_known,
                        struct strbuf *out)
{
    const char *between = is_known ? "Known of it: " : "Not known: ";
    if (has_record(context) == is_known) {
        strbuf_addf(out, "%sthe batch system's record", between);
        between = "; ";
    }
    for (size_t i = 0; i < COUNT_OF(evidence); i++) {
        const char *reason = NULL;
        if (job_context_has(context, evidence[i].part, &reason) != is_known)
            continue;
        strbuf_addf(out, "%s%s", between, evidence[i].text);
        if (reason && !is_known)
            strbuf_addf(out, " (%s)", reason);
        between = "; ";
    }
    if (between[0] == ';')
        strbuf_adds(out, ".\n");
}

void job_context_print_text(const struct job_assessment *a, struct strbuf *out)
{
    const struct job_context *context = &a->comparison.jobs[0];
    const struct footprint *nodes = &context->nodes.footprint;
    identity_print(&context->identity, out);
    job_sentence_print(a, out);
    strbuf_addc(out, '\n');
    headlines_print(a, out);
    if (context->nodes.is_observed) {
        strbuf_addf(out, "\nIts %zu node%s (median over them, least and most):\n",
                    nodes->hosts, nodes->hosts == 1 ? "" : "s");
        footprint_print(nodes, out);
    }
    if (context->has_servers)
        job_servers_print_text(&context->servers, NULL, out);
    job_around_print(&a->comparison, context->has_servers, out);
    strbuf_addc(out, '\n');
    known_print(context, true, out);
    known_print(context, false, out);
}
