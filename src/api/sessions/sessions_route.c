/* SPDX-License-Identifier: Apache-2.0 */
/* sessions_route - GET /v1/sessions, one of them, and its events. */
#include "api/sessions/sessions_route.h"

#include "api/params.h"
#include "api/sessions/session_find.h"
#include "base/number.h"
#include "base/span.h"
#include "base/table/table.h"
#include "base/utf8.h"

#define ROWS_DEFAULT 1000
#define ROWS_MAX SESSIONS_READ_MAX
#define PATH_BYTES_MAX (SESSION_DEPTH_MAX * (SESSION_NAME_BYTES_MAX + 1))

/* Texts are the query's own: the request's end with its handler. */
struct sessions_query {
    char path[PATH_BYTES_MAX + 1];
    unsigned states; /* bit SESSION_*; 0: any */
    uint64_t limit;
};

/* ---- parameters ---- */

static int read_state(struct sessions_query *q, struct span value)
{
    for (unsigned i = 0; i < SESSION_STATE_COUNT; i++)
        if (span_is(value, session_state_name((enum session_state)i))) {
            q->states |= 1U << i;
            return 0;
        }
    return -EINVAL;
}

static int query_read(struct net_request *request, uint64_t params,
                      struct sessions_query *q, struct err *err)
{
    struct span name, value;
    q->limit = ROWS_DEFAULT;
    for (size_t i = 0; net_request_query_at(request, i, &name, &value); i++) {
        int rc = span_is(name, "state") ? read_state(q, value)
                                        : number_parse_u64(value, &q->limit);
        if (rc < 0 || q->limit < 1 || q->limit > ROWS_MAX)
            return api_params_refuse_value(params, name, value, err);
    }
    return 0;
}

int sessions_read(struct net_request *request, void **ret_query, struct err *err)
{
    AUTO_FREE struct sessions_query *q = calloc(1, sizeof *q);
    int rc = q ? query_read(request, PARAM_SESSIONS, q, err) : -ENOMEM;
    if (rc == 0)
        *ret_query = TAKE(q);
    return rc;
}

int session_read(struct net_request *request, void **ret_query, struct err *err)
{
    AUTO_FREE struct sessions_query *q = calloc(1, sizeof *q);
    if (!q)
        return -ENOMEM;
    if (api_params_text(net_request_var(request, "name"), q->path, sizeof q->path) < 0)
        return err_set(err, ENOENT, "no session has so long a name");
    int rc = query_read(request, PARAM_SESSION_NAMED, q, err);
    if (rc == 0)
        *ret_query = TAKE(q);
    return rc;
}

/* ---- sessions ---- */

enum session_column {
    SESSION_NAME,
    SESSION_USER,
    SESSION_JOB,
    SESSION_STATE,
    SESSION_SINCE,
    SESSION_HOSTS,
    SESSION_RANKS,
    SESSION_ADDRESS,
    SESSION_PARENT,
    SESSION_EVENTS,
    SESSION_HEARD,
    SESSION_REASON,
    SESSION_ID,
};

static void session_columns(struct table *t)
{
    table_add_column(t, "name", TABLE_TEXT, "");
    table_add_column(t, "user", TABLE_TEXT, "");
    table_add_column(t, "job", TABLE_TEXT, "");
    table_add_column(t, "state", TABLE_TEXT, "");
    table_add_column(t, "since", TABLE_TIME, "");
    table_add_column(t, "hosts", TABLE_TEXT, "");
    table_add_column(t, "ranks", TABLE_U64, "");
    table_add_column(t, "address", TABLE_TEXT, "");
    table_add_column(t, "parent", TABLE_TEXT, "");
    table_add_column(t, "events", TABLE_U64, "");
    table_add_column(t, "heard", TABLE_TIME, "");
    table_add_column(t, "reason", TABLE_TEXT, "");
    table_add_column(t, "session", TABLE_TEXT, "");
}

static void session_put_text(struct table *t, size_t column, struct span text)
{
    if (text.size > 0)
        table_set_text(t, column, text);
}

/* Its name where it was read, too. */
static struct span parent_name(const struct found_sessions *found,
                               const struct session_report *r)
{
    for (size_t i = 0; i < found->count && r->parent.size > 0; i++)
        if (span_eq(found->items[i].report.session, r->parent) &&
            span_eq(found->items[i].report.uid, r->uid))
            return found->items[i].report.name;
    return r->parent;
}

static void session_row(struct table *t, const struct found_sessions *found,
                        const struct found_session *s)
{
    const struct session_report *r = &s->report;
    table_add_row(t);
    table_set_text(t, SESSION_NAME, r->name);
    table_set_text(t, SESSION_USER, s->user);
    session_put_text(t, SESSION_JOB, r->job);
    table_set_text(t, SESSION_STATE, span_of(session_state_name(s->state)));
    table_set_i64(t, SESSION_SINCE, s->since_ns / NS_PER_MS);
    session_put_text(t, SESSION_HOSTS, r->hosts);
    table_set_u64(t, SESSION_RANKS, r->ranks);
    session_put_text(t, SESSION_ADDRESS, r->address);
    session_put_text(t, SESSION_PARENT, parent_name(found, r));
    table_set_u64(t, SESSION_EVENTS, r->events);
    table_set_i64(t, SESSION_HEARD, r->t_ns / NS_PER_MS);
    session_put_text(t, SESSION_REASON, s->reason);
    table_set_text(t, SESSION_ID, r->session);
}

static int sessions_print(const struct sessions_query *q,
                          const struct found_sessions *found, struct api_result *ret)
{
    AUTO(table_done) struct table table;
    bool has_more = found->has_more;
    uint64_t rows = 0;
    table_init(&table);
    session_columns(&table);
    for (size_t i = 0; i < found->count; i++) {
        const struct found_session *s = &found->items[i];
        if (!s->is_visible || (q->states && !(q->states >> s->state & 1)))
            continue;
        if (rows++ < q->limit)
            session_row(&table, found, s);
        else
            has_more = true;
    }
    if (has_more)
        table_add_note(&table, "There are more: limit=COUNT gets them.");
    int rc = table_error(&table);
    if (rc == 0)
        rc = budget_hold_add(ret->hold, table_bytes(&table));
    if (rc < 0)
        return rc;
    table_to_json(&table, ret->body);
    return strbuf_error(ret->body);
}

int sessions_fetch(const struct api_readers *readers, const void *query,
                   struct api_result *ret, struct err *err)
{
    AUTO(found_sessions_done) struct found_sessions found = { 0 };
    const struct session_report_filter filter = { 0 };
    arena_init(&found.arena, 0);
    int rc = sessions_add(readers, &filter, &found, err);
    if (rc == 0)
        rc = sessions_judge(readers, &found, err);
    return rc < 0 ? rc : sessions_print(query, &found, ret);
}

int session_fetch(const struct api_readers *readers, const void *query,
                  struct api_result *ret, struct err *err)
{
    const struct sessions_query *q = query;
    AUTO(found_sessions_done) struct found_sessions found = { 0 };
    arena_init(&found.arena, 0);
    int rc = sessions_named(readers, span_of(q->path), &found, err);
    return rc < 0 ? rc : sessions_print(q, &found, ret);
}

/* ---- events ---- */

enum event_column { EVENT_SEQUENCE, EVENT_TIME, EVENT_NAME, EVENT_PAYLOAD };

static void event_row(struct table *t, const struct session_report *r)
{
    char shown[4 * SESSION_PAYLOAD_BYTES_MAX + 1];
    size_t size = utf8_print_shown(shown, sizeof shown, r->payload);
    table_add_row(t);
    table_set_u64(t, EVENT_SEQUENCE, r->sequence);
    table_set_i64(t, EVENT_TIME, r->start_ns / NS_PER_MS);
    table_set_text(t, EVENT_NAME, r->name);
    session_put_text(t, EVENT_PAYLOAD, (struct span){ shown, size });
}

/* Those that its report counts, or whose numbers come after: the last one that is there
 * has the highest. */
static void missing_note(struct table *t, const struct found_session *s,
                         const struct found_sessions *events)
{
    uint64_t had = s->report.events, last = 0;
    if (events->count > 0)
        last = events->items[events->count - 1].report.sequence;
    had = last > had ? last : had;
    if (events->has_more || had <= events->count)
        return;
    table_add_note(t, "%llu of its %llu events are %s.",
                   (unsigned long long)(had - events->count), (unsigned long long)had,
                   s->state == SESSION_ENDED ? "lost" : "lost, or still to come");
}

int session_events_fetch(const struct api_readers *readers, const void *query,
                         struct api_result *ret, struct err *err)
{
    const struct sessions_query *q = query;
    AUTO(found_sessions_done) struct found_sessions found = { 0 }, events = { 0 };
    AUTO(table_done) struct table table;
    arena_init(&found.arena, 0);
    arena_init(&events.arena, 0);
    table_init(&table);
    int rc = sessions_named(readers, span_of(q->path), &found, err);
    if (rc < 0)
        return rc;
    const struct session_report_filter filter = {
        .uid = found.items[0].report.uid,
        .session = found.items[0].report.session,
        .events = true,
        .limit = q->limit,
    };
    rc = sessions_add(readers, &filter, &events, err);
    if (rc < 0)
        return rc;
    table_add_column(&table, "sequence", TABLE_U64, "");
    table_add_column(&table, "time", TABLE_TIME, "");
    table_add_column(&table, "name", TABLE_TEXT, "");
    table_add_column(&table, "payload", TABLE_TEXT, "");
    for (size_t i = 0; i < events.count; i++)
        event_row(&table, &events.items[i].report);
    if (events.has_more)
        table_add_note(&table, "There are more: limit=COUNT gets them.");
    missing_note(&table, &found.items[0], &events);
    rc = table_error(&table);
    if (rc == 0)
        rc = budget_hold_add(ret->hold, table_bytes(&table));
    if (rc < 0)
        return rc;
    table_to_json(&table, ret->body);
    return strbuf_error(ret->body);
}
