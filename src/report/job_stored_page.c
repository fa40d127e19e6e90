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
