/* SPDX-License-Identifier: Apache-2.0 */
/* job_sessions_find - the sessions that a job's owner ran in it, into its context. */
#include "api/history/job_sessions_find.h"

#include "api/sessions/session_find.h"
#include "base/number.h"
#include "base/span.h"

/* A node's clock may be another. */
#define SLACK_NS (600 * NS_PER_S)
#define READ_MAX 1024 /* of one owner and job number, of all runs */

static bool is_of_run(const struct job_recorded *job, int64_t start_ns)
{
    return start_ns >= job->start_ns - SLACK_NS &&
           (job->end_ns == JOB_TIME_NONE || start_ns <= job->end_ns + SLACK_NS);
}

/* The name of the session that it was started in, where that is of the job, too. */
static struct span outer_name(const struct found_sessions *found, struct span parent)
{
    for (size_t i = 0; parent.size > 0 && i < found->count; i++)
        if (span_eq(found->items[i].report.session, parent))
            return found->items[i].report.name;
    return parent;
}

static void session_add(const struct found_sessions *found,
                        const struct found_session *s, struct job_context *context)
{
    const struct session_report *r = &s->report;
    const struct job_session session = {
        .name = job_context_span(context, r->name),
        .parent = job_context_span(context, outer_name(found, r->parent)),
        .state = session_state_name(s->state),
        .reason = job_context_span(context, s->reason),
        .hosts = job_context_span(context, r->hosts),
        .ranks = r->ranks,
        .events = r->events,
        .start_ns = r->start_ns,
        .since_ns = s->since_ns,
    };
    job_context_add_session(context, &session);
}

int job_sessions_find(const struct api_readers *readers, struct budget_hold *hold,
                      const struct job_recorded *job, struct job_context *context,
                      struct err *err)
{
    AUTO(found_sessions_done) struct found_sessions found = { 0 };
    AUTO(hostset_free) struct hostset *nodes = NULL;
    context->sessions = (struct job_sessions){ 0 };
    if (!job_recorded_is_whole(job))
        return 0;
    const struct session_report_filter filter = {
        .uid = job->uid, .cluster = job->cluster, .job = job->raw_id, .limit = READ_MAX
    };
    arena_init(&found.arena, 0);
    int rc = job_recorded_nodes(job, &nodes);
    if (rc == 0)
        rc = sessions_add(readers, &filter, &found, err);
    if (rc == 0)
        rc = sessions_judge(readers, &found, err);
    if (rc == 0)
        rc = budget_hold_add(hold, 2 * found.arena.used_bytes);
    for (size_t i = 0; rc == 0 && i < found.count; i++) {
        const struct found_session *s = &found.items[i];
        if (s->is_visible && is_of_run(job, s->report.start_ns) &&
            !job_recorded_is_foreign(nodes, s->report.host))
            session_add(&found, s, context);
        rc = context->error;
    }
    context->sessions.has_more |= found.has_more && context->sessions.count > 0;
    if (rc == 0)
        job_context_sort_sessions(context);
    return rc;
}
