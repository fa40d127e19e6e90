/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_told_line - a line of a job, of a summary, of a reading of a target, of a
 * statement about a resource and of a report of a session: what is understood may be
 * kept, and printed is the same line again; what is not has a reason and leaves nothing
 * behind.
 */
#include "base/span.h"
#include "fuzz/fuzz.h"
#include "model/model.h"

static void check_job(struct span line)
{
    AUTO(arena_done) struct arena arena;
    AUTO(strbuf_done) struct strbuf once = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf twice = STRBUF_INIT;
    struct err err = { 0 };
    struct job job = { .node_count = 42 }, again;
    arena_init(&arena, 0);
    int rc = job_line_read(line, &arena, &job, &err);
    fuzz_check(rc == 0 || (rc == -EBADMSG && err.text[0] && job.node_count == 42));
    if (rc < 0)
        return;
    fuzz_check(!job_check(&job));
    job_line_print(&job, &once);
    fuzz_check(job_line_read(strbuf_span(&once), &arena, &again, &err) == 0);
    job_line_print(&again, &twice);
    fuzz_check(span_eq(strbuf_span(&once), strbuf_span(&twice)));
    fuzz_check(again.start_ns == job.start_ns && again.end_ns == job.end_ns &&
               again.submit_ns == job.submit_ns);
}

static void check_summary(struct span line)
{
    AUTO(arena_done) struct arena arena;
    AUTO(strbuf_done) struct strbuf once = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf csv = STRBUF_INIT;
    struct err err = { 0 };
    struct summary summary = { .scalars = NULL }, again;
    arena_init(&arena, 0);
    int rc = summary_read_line(line, &arena, &summary, &err);
    fuzz_check(rc == 0 || (rc == -EBADMSG && err.text[0] && !summary.scalars));
    if (rc < 0)
        return;
    fuzz_check(!summary_check(&summary));
    summary_print_line(&summary, &once);
    summary_print_csv(&summary, &csv);
    fuzz_check(summary_read_line(strbuf_span(&once), &arena, &again, &err) == 0);
    for (size_t i = 0; i < SUMMARY_COLUMN_COUNT; i++)
        fuzz_check(
            scalar_eq(summary_columns[i].type, &summary.scalars[i], &again.scalars[i]));
}

static void check_reading(struct span line)
{
    AUTO(arena_done) struct arena arena;
    AUTO(strbuf_done) struct strbuf once = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf twice = STRBUF_INIT;
    struct err err = { 0 };
    struct target_reading reading = { .t_ns = 42 }, again;
    arena_init(&arena, 0);
    int rc = target_reading_read_line(line, &arena, &reading, &err);
    fuzz_check(rc == 0 || (rc == -EBADMSG && err.text[0] && reading.t_ns == 42));
    if (rc < 0)
        return;
    fuzz_check(!target_reading_check(&reading));
    target_reading_print_line(&reading, &once);
    fuzz_check(target_reading_read_line(strbuf_span(&once), &arena, &again, &err) == 0);
    target_reading_print_line(&again, &twice);
    fuzz_check(span_eq(strbuf_span(&once), strbuf_span(&twice)));
}

static void check_statement(struct span line)
{
    AUTO(arena_done) struct arena arena;
    AUTO(strbuf_done) struct strbuf once = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf twice = STRBUF_INIT;
    struct err err = { 0 };
    struct resource_statement statement = { .t_ns = 42 }, again;
    arena_init(&arena, 0);
    int rc = resource_statement_read_line(line, &arena, &statement, &err);
    fuzz_check(rc == 0 || (rc == -EBADMSG && err.text[0] && statement.t_ns == 42));
    if (rc < 0)
        return;
    statement.by = (struct span){ 0 };
    resource_statement_print_line(&statement, &once);
    fuzz_check(resource_statement_read_line(strbuf_span(&once), &arena, &again, &err) ==
               0);
    resource_statement_print_line(&again, &twice);
    fuzz_check(span_eq(strbuf_span(&once), strbuf_span(&twice)));
}

static void check_session_report(struct span line)
{
    AUTO(arena_done) struct arena arena;
    AUTO(strbuf_done) struct strbuf once = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf twice = STRBUF_INIT;
    struct err err = { 0 };
    struct session_report report = { .t_ns = 42 }, again;
    arena_init(&arena, 0);
    int rc = session_report_read_line(line, &arena, &report, &err);
    fuzz_check(rc == 0 || (rc == -EBADMSG && err.text[0] && report.t_ns == 42));
    if (rc < 0)
        return;
    session_report_print_line(&report, &once);
    fuzz_check(session_report_read_line(strbuf_span(&once), &arena, &again, &err) == 0);
    session_report_print_line(&again, &twice);
    fuzz_check(span_eq(strbuf_span(&once), strbuf_span(&twice)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct span line = { (const char *)data, size };
    check_job(line);
    check_summary(line);
    check_reading(line);
    check_statement(line);
    check_session_report(line);
    return 0;
}
