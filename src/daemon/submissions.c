/* SPDX-License-Identifier: Apache-2.0 */
/* submissions - jobs, summaries and readings of targets from the ways in to the
 * records. */
#include "daemon/submissions.h"

#include "base/clock.h"
#include "base/log.h"
#include "daemon/database_error.h"
#include "daemon/health/resources.h"
#include "daemon/member/user_sessions.h"

static int submission_error(int rc, const char *what, struct err *err)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    if (rc < 0)
        log_limited(&limit, LOG_LEVEL_WARN,
                    "records: %s; the %s stay with their sender", err->text, what);
    return database_error(rc, err);
}

static void fill_result(const struct records_submission *put, const char *what,
                        struct submission_result *ret)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    *ret = (struct submission_result){ .accepted = put->accepted,
                                       .changed = put->changed,
                                       .duplicate = put->duplicate,
                                       .refused = put->refused };
    _Static_assert((int)RECORDS_SUBMISSION_REFUSALS_MAX <= (int)SUBMISSION_REFUSALS_MAX,
                   "every refusal that records names fits the result");
    for (size_t i = 0; i < put->refusal_count; i++)
        ret->refusals[ret->refusal_count++] = (struct submission_refusal){
            put->refusals[i].index,
            put->refusals[i].reason,
        };
    if (put->refused > 0)
        log_limited(&limit, LOG_LEVEL_WARN, "records: %llu %s refused: %s",
                    (unsigned long long)put->refused, what, put->refusals[0].reason);
}

/* All on the writer's thread. */
static int put_jobs(void *arg, const struct job *jobs, size_t count,
                    struct submission_result *ret, struct err *err)
{
    struct daemon_parts *parts = arg;
    struct records_submission put = { 0 };
    int rc = records_put_jobs(parts->records, jobs, count, clock_now_ms(), &put, err);
    if (rc < 0)
        return submission_error(rc, "jobs", err);
    running_hosts_wake(parts->running);
    footprint_worker_wake(parts->footprints);
    fill_result(&put, "jobs", ret);
    return 0;
}

static int put_summaries(void *arg, const struct summary *summaries, size_t count,
                         struct submission_result *ret, struct err *err)
{
    struct daemon_parts *parts = arg;
    struct records_submission put = { 0 };
    int rc = records_put_summaries(parts->records, summaries, count, clock_now_ms(),
                                   &put, err);
    if (rc < 0)
        return submission_error(rc, "summaries", err);
    fill_result(&put, "summaries", ret);
    return 0;
}

static int put_readings(void *arg, const struct target_reading *readings, size_t count,
                        struct submission_result *ret, struct err *err)
{
    struct daemon_parts *parts = arg;
    struct records_submission put = { 0 };
    int rc = records_put_target_readings(parts->records, readings, count,
                                         clock_now_ms(), &put, err);
    if (rc < 0)
        return submission_error(rc, "readings of targets", err);
    fill_result(&put, "readings of targets", ret);
    resources_of_readings(parts, readings, count);
    return 0;
}

static int put_job_files(void *arg, const struct job_file_list *files, size_t count,
                         struct submission_result *ret, struct err *err)
{
    struct daemon_parts *parts = arg;
    struct records_submission put = { 0 };
    int rc =
        records_put_job_files(parts->records, files, count, clock_now_ms(), &put, err);
    if (rc < 0)
        return submission_error(rc, "files of jobs", err);
    fill_result(&put, "lists of files of jobs", ret);
    return 0;
}

static int put_job_datasets(void *arg, const struct job_dataset *datasets, size_t count,
                            struct submission_result *ret, struct err *err)
{
    struct daemon_parts *parts = arg;
    struct records_submission put = { 0 };
    int rc = records_put_job_datasets(parts->records, datasets, count, clock_now_ms(),
                                      &put, err);
    if (rc < 0)
        return submission_error(rc, "datasets of jobs", err);
    fill_result(&put, "datasets of jobs", ret);
    return 0;
}

static int put_inventories(void *arg, const struct node_inventory *reports,
                           size_t count, struct submission_result *ret, struct err *err)
{
    struct daemon_parts *parts = arg;
    static struct log_limit limit = LOG_LIMIT_INIT;
    struct records_submission put = { 0 };
    struct records_inventory_stats before, after;
    records_inventory_stats(parts->records, &before);
    int rc = records_put_inventories(parts->records, reports, count, clock_now_ms(),
                                     &put, err);
    if (rc < 0)
        return submission_error(rc, "parts of nodes", err);
    fill_result(&put, "reports of parts", ret);
    records_inventory_stats(parts->records, &after);
    if (after.changes_dropped > before.changes_dropped)
        log_limited(
            &limit, LOG_LEVEL_WARN,
            "records: %llu changes of parts are not stored: a host had 10,000"
            " of them today; look at its agent's token",
            (unsigned long long)(after.changes_dropped - before.changes_dropped));
    return 0;
}

int submissions_new(struct daemon_parts *parts, struct submission_routes **ret)
{
    const struct submission_sink sink = { .put_jobs = put_jobs,
                                          .put_summaries = put_summaries,
                                          .put_readings = put_readings,
                                          .put_statements = resources_put,
                                          .put_sessions = user_sessions_put,
                                          .put_files = put_job_files,
                                          .put_datasets = put_job_datasets,
                                          .put_inventories = put_inventories,
                                          .arg = parts };
    return submission_routes_new(parts->server, parts->writer, &sink, 0, ret);
}
