/* SPDX-License-Identifier: Apache-2.0 */
/* job_stored_page - a job whose log is not here: what its stored summary says. */
#include "report/job/job_stored_page.h"

#include "base/figure.h"
#include "base/json_writer.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"
#include "model/model.h"
#include "report/job/finding_json.h"
#include "report/job/finding_text.h"
#include "report/job/health/node_health_page.h"
#include "report/job/job_around_text.h"
#include "report/job/job_comparison_json.h"
#include "report/job/job_known.h"
#include "report/job/job_nodes_text.h"
#include "report/job/job_page.h"
#include "report/job/job_servers_page.h"
#include "report/job/job_steps_page.h"
#include "report/job/provenance/datasets_page.h"
#include "report/job/provenance/ran_with_page.h"
#include "report/job/provenance/sessions_page.h"
#include "report/job/site_text.h"
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

static void headline_print(const struct job_headline *h, struct strbuf *out)
{
    if (h->node) {
        footprint_finding_print(h->node, out);
        return;
    }
    strbuf_addf(out, "%s: ", h->finding->name);
    finding_print_text(h->finding, out);
}

/* What servers count of a job that goes on is what it did until now. */
static void so_far_print(const struct job_assessment *a, const struct job_headline *h,
                         struct strbuf *out)
{
    const struct job_identity *who = &a->comparison.jobs[0].identity;
    if (h->finding && who->start_ns != JOB_TIME_NONE && who->end_ns == JOB_TIME_NONE)
        strbuf_adds(out, "; so far, the job goes on");
}

static void stored_sentence_print(const struct job_assessment *a, struct strbuf *out)
{
    struct job_headline all[JOB_HEADLINES_MAX];
    const struct job_headline *first = job_headline_first(all, job_headlines(a, all));
    if (!first)
        return;
    headline_print(first, out);
    strbuf_adds(out, ".\n");
}

void job_stored_print_text(const struct job_stored *job, const struct job_assessment *a,
                           struct strbuf *out)
{
    run_print(job, out);
    if (a->record && a->record->start_ns != JOB_TIME_NONE) {
        job_record_print(a->record, out);
        strbuf_addc(out, '\n');
    }
    site_application_print(a->site, out);
    stored_sentence_print(a, out);
    darshan_log_print(job, out);
    bytes_print(job, out);
    strbuf_adds(out, a->count > 0 ? "\n" : "");
    for (size_t i = 0; i < a->count; i++) {
        finding_print(&a->findings[i], job->summary->facts.walltime_s, out);
        strbuf_addc(out, '\n');
        finding_print_advice(&a->findings[i], 17, out);
    }
    if (a->nodes && a->nodes->is_observed && a->nodes->footprint.finding_count > 0)
        strbuf_addc(out, '\n');
    for (size_t i = 0; i < (a->nodes ? a->nodes->footprint.finding_count : 0); i++)
        job_node_finding_print(&a->nodes->footprint.findings[i], out);
    site_findings_print(a->site, out);
    job_nodes_print(a->nodes, out);
    job_around_print(&a->comparison, false, out);
    job_class_print(&a->comparison, out);
    strbuf_addc(out, '\n');
    job_known_print(a, out);
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
    if (a->record && a->record->start_ns != JOB_TIME_NONE) {
        json_key(&w, "record");
        json_object(&w);
        job_record_json(a->record, &w);
        json_object_end(&w);
    }
    job_headlines_json(a, &w);
    site_json(a->site, &w);
    if (a->nodes && a->nodes->is_observed) {
        json_key(&w, "nodes");
        footprint_json(&a->nodes->footprint, &w);
    }
    job_comparison_json(&a->comparison, &w);
    job_known_json(a, &w);
    json_object_end(&w);
    strbuf_addc(out, '\n');
}

/* ---- a page out of any evidence ---- */

void job_sentence_print(const struct job_assessment *a, struct strbuf *out)
{
    struct job_headline headlines[JOB_HEADLINES_MAX];
    struct job_known known[JOB_KNOWN_MAX];
    size_t known_count = job_known_list(a, known);
    const char *between = "Nothing stands out in ";
    size_t count = job_headlines(a, headlines);
    if (job_headline_first(headlines, count)) {
        headline_print(&headlines[0], out);
        so_far_print(a, &headlines[0], out);
        strbuf_addc(out, '.');
        return;
    }
    if (site_first_print(a->site, out)) {
        strbuf_addc(out, '.');
        return;
    }
    for (size_t i = 0; i < known_count; i++) {
        if (!known[i].is_judged || !known[i].is_found)
            continue;
        strbuf_addf(out, "%s%s", between, known[i].text);
        between = ", ";
    }
    strbuf_adds(out, between[0] == ','
                         ? "."
                         : "Only the batch system's record is known of it.");
}

static void headlines_print(const struct job_assessment *a, struct strbuf *out)
{
    struct job_headline headlines[JOB_HEADLINES_MAX];
    size_t count = job_headlines(a, headlines);
    for (size_t i = 0; i < count; i++) {
        bool is_first = i == 0 && job_headline_first(headlines, count);
        if (headlines[i].node && !is_first)
            job_node_finding_print(headlines[i].node, out);
        else if (headlines[i].node)
            job_node_more_print(headlines[i].node, out);
        else if (!is_first) {
            headline_print(&headlines[i], out);
            so_far_print(a, &headlines[i], out);
            strbuf_adds(out, ".\n");
        }
        if (headlines[i].node)
            continue;
        strbuf_adds(out, "    ");
        finding_print_rate(headlines[i].finding, out);
        strbuf_adds(out, ".\n");
        finding_print_advice(headlines[i].finding, 3, out);
    }
}

void job_context_print_text(const struct job_assessment *a, struct strbuf *out)
{
    const struct job_context *context = &a->comparison.jobs[0];
    if (a->has_run) {
        job_page_print_text(a, out);
        return;
    }
    job_record_print(&context->identity, out);
    site_application_print(a->site, out);
    job_sentence_print(a, out);
    strbuf_addc(out, '\n');
    headlines_print(a, out);
    site_findings_print(a->site, out);
    job_nodes_print(&context->nodes, out);
    if (!context->identity.step)
        job_steps_print(&context->steps, out);
    node_health_print(&context->node_health, out);
    sessions_page_print(&context->sessions, out);
    datasets_page_print(&context->datasets, out);
    ran_with_print(&context->ran_with, out);
    if (context->has_servers)
        job_servers_print_text(&context->servers, NULL, out);
    job_around_print(&a->comparison, context->has_servers, out);
    strbuf_addc(out, '\n');
    job_known_print(a, out);
}
