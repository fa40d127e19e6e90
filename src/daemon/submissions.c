/* SPDX-License-Identifier: Apache-2.0 */
/* submissions - jobs and summaries from the ways in to the records. */
#include "daemon/submissions.h"

#include "base/clock.h"
#include "base/log.h"

/* The sender may do it; it is we who may not, or whose program is too old. */
static int translate(int rc, const char *what, struct err *err)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    if (rc < 0)
        log_limited(&limit, LOG_LEVEL_WARN,
                    "records: %s; the %s stay with their sender", err->text, what);
    if (rc == -EACCES)
        return err_set(err, EAGAIN, "the database does not let barod write");
    if (rc == -EUCLEAN)
        return err_set(err, EAGAIN, "the database is damaged: see barod's log");
    if (rc == -EBADMSG)
        return err_set(err, EAGAIN, "the database is newer than this barod");
    return rc;
}

static void answer_of(const struct records_told *told, const char *what,
                      struct told_answer *ret)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    *ret = (struct told_answer){ .taken = told->taken,
                                 .changed = told->changed,
                                 .known = told->known,
                                 .refused = told->refused };
    _Static_assert((int)RECORDS_TOLD_REFUSALS_MAX <= (int)TOLD_REFUSALS_MAX,
                   "every refusal that records names fits the answer");
    for (size_t i = 0; i < told->refusal_count; i++)
        ret->refusals[ret->refusal_count++] = (struct told_refusal){
            told->refusals[i].index,
            told->refusals[i].reason,
        };
    if (told->refused > 0)
        log_limited(&limit, LOG_LEVEL_WARN, "records: %llu %s refused: %s",
                    (unsigned long long)told->refused, what, told->refusals[0].reason);
}

/* Both on the writer's thread. */
static int put_jobs(void *arg, const struct job *jobs, size_t count,
                    struct told_answer *ret, struct err *err)
{
    struct daemon_parts *parts = arg;
    struct records_told told = { 0 };
    int rc = records_put_jobs(parts->records, jobs, count, clock_now_ms(), &told, err);
    if (rc < 0)
        return translate(rc, "jobs", err);
    answer_of(&told, "jobs", ret);
    return 0;
}

static int put_summaries(void *arg, const struct summary *summaries, size_t count,
                         struct told_answer *ret, struct err *err)
{
    struct daemon_parts *parts = arg;
    struct records_told told = { 0 };
    int rc = records_put_summaries(parts->records, summaries, count, clock_now_ms(),
                                   &told, err);
    if (rc < 0)
        return translate(rc, "summaries", err);
    answer_of(&told, "summaries", ret);
    return 0;
}

int submissions_new(struct daemon_parts *parts, struct told_routes **ret)
{
    const struct told_sink sink = { .put_jobs = put_jobs,
                                    .put_summaries = put_summaries,
                                    .arg = parts };
    return told_routes_new(parts->server, parts->writer, &sink, 0, ret);
}
