/* SPDX-License-Identifier: Apache-2.0 */
/* job_stored - what a summary alone says of a job whose log is not here. */
#include "cmd/job_stored.h"

#include "base/json_writer.h"
#include "base/number.h"
#include "base/timetext.h"
#include "model/model.h"
#include "report/report.h"

#include <math.h>

static void text_print(const struct job_operand *job, const char *name,
                       const char *otherwise, struct strbuf *out)
{
    const char *words = job_row_words(&job->row, name);
    if (words)
        entry_id_print(out, span_of(words));
    else
        strbuf_adds(out, otherwise);
}

static double bytes_of(const struct job_operand *job)
{
    return job_row_number(&job->row, "darshan_tot_bytes_read_posix") +
           job_row_number(&job->row, "darshan_tot_bytes_written_posix");
}

static void run_tell(const struct job_operand *job, struct strbuf *out)
{
    char text[TIMETEXT_SIZE];
    double processes = job_row_number(&job->row, "darshan_nprocs");
    double seconds = job_row_number(&job->row, "darshan_walltime");
    double start_s = job_row_number(&job->row, "darshan_start_time");
    strbuf_addf(out, "Job %s: ", job->text);
    text_print(job, "darshan_app", "an unknown program", out);
    strbuf_addc(out, '\n');
    if (!isnan(processes) && !isnan(seconds))
        strbuf_addf(out, "%.0f processes for %.0f s", processes, seconds);
    if (start_s >= 0 && start_s < 1e10) {
        (void)timetext_print(text, (int64_t)start_s * NS_PER_S);
        strbuf_addf(out, ", from %s", text);
    }
    strbuf_adds(out, "\n\n");
}

static void log_tell(const struct job_operand *job, struct strbuf *out)
{
    strbuf_adds(out, "Its log ");
    text_print(job, "_log", "", out);
    strbuf_addf(out,
                " cannot be read here (%s): this is what its summary says. How it did "
                "its I/O is told where the log is.\n",
                strerror(job->unreadable_errno));
}

/* What stands out in what was around it; in its I/O the log would tell. */
static size_t around_find(const struct job_surroundings *around, struct finding *ret)
{
    struct finding_climate climate = { &around->mapping, &around->runs, NULL };
    for (size_t i = 0; around->has_climate && i < around->runs.count; i++)
        if (around->runs.runs[i].wanted == 1)
            climate.run = &around->runs.runs[i];
    if (around->count == 0)
        return 0;
    size_t count =
        findings_make_around(&around->rows[0], climate.run ? &climate : NULL, ret);
    findings_order(ret, count);
    return count;
}

void job_stored_print_text(const struct job_operand *job,
                           const struct job_surroundings *around, struct strbuf *out)
{
    struct finding findings[FINDINGS_ALL_MAX];
    char bytes[32], read[32];
    double speed = job_row_number(&job->row, "darshan_agg_perf_by_slowest_posix");
    size_t count = around_find(around, findings);
    run_tell(job, out);
    log_tell(job, out);
    if (!isnan(bytes_of(job))) {
        number_print_bytes(bytes, sizeof bytes, bytes_of(job));
        number_print_bytes(read, sizeof read,
                           job_row_number(&job->row, "darshan_tot_bytes_read_posix"));
        strbuf_addf(out, "\nIt moved %s by POSIX, %s of it read", bytes, read);
        if (!isnan(speed))
            strbuf_addf(out, "; %.1f MiB/s by the slowest process", speed);
        strbuf_adds(out, ".\n");
    }
    strbuf_adds(out, count > 0 ? "\n" : "");
    for (size_t i = 0; i < count; i++) {
        finding_print(&findings[i], job_row_number(&job->row, "darshan_walltime"), out);
        strbuf_addc(out, '\n');
    }
    job_weather_tell(around, out);
    job_climate_tell(around, out);
}

void job_stored_print_line(const struct job_operand *job,
                           const struct job_surroundings *around, struct strbuf *out)
{
    struct finding findings[FINDINGS_ALL_MAX];
    char bytes[32];
    double speed = job_row_number(&job->row, "darshan_agg_perf_by_slowest_posix");
    size_t count = around_find(around, findings);
    number_print_bytes(bytes, sizeof bytes, bytes_of(job));
    strbuf_addf(out, "io: %s", isnan(bytes_of(job)) ? "unknown" : bytes);
    if (!isnan(speed))
        strbuf_addf(out, ", %.0f MiB/s", speed);
    for (size_t i = 0; i < count; i++) {
        strbuf_addf(out, "%s %s ", i > 0 ? "," : ";", findings[i].name);
        finding_print_value(&findings[i], findings[i].value, out);
    }
    strbuf_addc(out, '\n');
}

void job_stored_print_json(const struct job_operand *job,
                           const struct job_surroundings *around, struct strbuf *out)
{
    struct json_writer w;
    json_writer_init(&w, out);
    json_object(&w);
    json_key(&w, "job");
    json_text(&w, job->text);
    json_key(&w, "log");
    json_text(&w, job->log);
    json_key(&w, "log_is_readable");
    json_bool(&w, false);
    job_surroundings_json(around, &w);
    json_object_end(&w);
    strbuf_addc(out, '\n');
}
