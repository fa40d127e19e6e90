/* SPDX-License-Identifier: Apache-2.0 */
/* user_sessions - what sessions of users report, into the records. */
#include "daemon/member/user_sessions.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/number.h"
#include "base/span.h"
#include "daemon/database_error.h"
#include "daemon/health/resources.h"

#define ARENA_BYTES_MAX ((size_t)256 << 20)

struct session_reports {
    struct arena arena;
    struct session_report *items;
    struct resource_statement *opinions;
    size_t opinion_count;
};

static void session_reports_done(struct session_reports *in)
{
    arena_done(&in->arena);
    free(in->items);
    free(in->opinions);
}
DEFINE_AUTO_DONE(struct session_reports, session_reports_done);

static int opinion_text(struct arena *arena, struct strbuf *text, struct span *ret)
{
    const char *copy =
        strbuf_error(text) < 0 ? NULL : arena_dup(arena, strbuf_span(text));
    if (!copy)
        return -ENOMEM;
    *ret = (struct span){ copy, text->size };
    return 0;
}

/* The payload is about session/HOST; of which cluster and whose it is the report
 * states. More than a host would be a part that the site need not know. */
static int opinion_add(struct session_reports *in, const struct session_report *r)
{
    AUTO(strbuf_done) struct strbuf component = STRBUF_INIT, source = STRBUF_INIT;
    struct resource_statement *s = &in->opinions[in->opinion_count];
    struct err err = { 0 };
    int rc = resource_statement_read_line(r->payload, &in->arena, s, &err);
    if (rc == -ENOMEM)
        return rc;
    struct component named = { 0 };
    if (rc == 0)
        component_parse(s->component, &named);
    component_print(&component,
                    &(struct component){ .cluster = r->cluster, .host = named.host });
    strbuf_addf(&source, "user:" SPAN_FMT, SPAN_ARG(r->uid));
    if (rc == 0)
        rc = opinion_text(&in->arena, &component, &s->component);
    if (rc == 0)
        rc = opinion_text(&in->arena, &source, &s->source);
    if (rc == -ENOMEM)
        return rc;
    s->by = r->host;
    s->t_ns = r->start_ns;
    if (rc == 0 && !resource_statement_check(s))
        in->opinion_count++;
    return 0; /* it is a program of the user's that wrote another: it stays an event */
}

/* Clocks of nodes that are ahead: what is still to come would be refused for good. */
static int reports_copy(struct session_reports *in,
                        const struct session_report *reports, size_t count)
{
    int64_t now_ns = clock_now_ns();
    in->items = calloc(count + 1, sizeof *in->items);
    in->opinions = calloc(count + 1, sizeof *in->opinions);
    if (!in->items || !in->opinions)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        struct session_report *r = &in->items[i];
        *r = reports[i];
        r->t_ns = r->t_ns > now_ns ? now_ns : r->t_ns;
        r->start_ns = r->start_ns > now_ns ? now_ns : r->start_ns;
        int rc = r->sequence > 0 && span_is(r->name, SESSION_EVENT_HEALTH)
                     ? opinion_add(in, r)
                     : 0;
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* An opinion that is refused is in the events of its session all the same. */
static int opinions_put(struct daemon_parts *parts, const struct session_reports *in,
                        struct err *err)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    struct submission_result result = { 0 };
    if (in->opinion_count == 0)
        return 0;
    int rc = resources_put(parts, in->opinions, in->opinion_count, &result, err);
    if (rc == 0 && result.refusal_count > 0) {
        const struct resource_statement *s = &in->opinions[result.refusals[0].index];
        log_limited(&limit, LOG_LEVEL_WARN,
                    "resources: an opinion of " SPAN_FMT " about " SPAN_FMT
                    " does not count: %s",
                    SPAN_ARG(s->source), SPAN_ARG(s->component),
                    result.refusals[0].reason);
    }
    return rc;
}

int user_sessions_put(void *arg, const struct session_report *reports, size_t count,
                      struct submission_result *ret, struct err *err)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    struct daemon_parts *parts = arg;
    AUTO(session_reports_done) struct session_reports in = { 0 };
    struct records_submission put = { 0 };
    arena_init(&in.arena, ARENA_BYTES_MAX);
    int rc = reports_copy(&in, reports, count);
    if (rc < 0)
        return rc;
    rc = records_put_session_reports(parts->records, in.items, count, clock_now_ms(),
                                     &put, err);
    if (rc < 0) {
        log_limited(&limit, LOG_LEVEL_WARN,
                    "records: %s; reports of users' sessions stay with their sender",
                    err->text);
        return database_error(rc, err);
    }
    rc = opinions_put(parts, &in, err);
    if (rc < 0)
        return rc;
    *ret = (struct submission_result){ .accepted = put.accepted,
                                       .changed = put.changed,
                                       .duplicate = put.duplicate,
                                       .refused = put.refused };
    for (size_t i = 0; i < put.refusal_count; i++)
        ret->refusals[ret->refusal_count++] =
            (struct submission_refusal){ put.refusals[i].index,
                                         put.refusals[i].reason };
    return 0;
}
