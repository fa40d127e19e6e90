/* SPDX-License-Identifier: Apache-2.0 */
/* node_query - one request to nodes of a session, and their responses. */
#include "api/session/node_query.h"

#include "base/clock.h"
#include "base/json_reader.h"
#include "base/number.h"
#include "base/span.h"

#include <inttypes.h>

/* ---- sending ---- */

void node_query_send(struct node_query *query, struct session_node *node)
{
    query->due_count = 0;
    for (uint32_t i = 0; i < query->count; i++) {
        struct node_response *response = &query->responses[i];
        response->is_online = rank_set_has(node_online(node), response->rank);
        response->is_due = response->is_online;
        query->due_count += response->is_due;
    }
    for (uint32_t i = 0; i < query->count; i++) {
        struct node_response *response = &query->responses[i];
        if (!response->is_due)
            continue;
        response->sent_ns = clock_steady_ns();
        /* This node's own response comes from inside. */
        if (node_request(node, response->rank,
                         query->number * RANKS_MAX + response->rank,
                         SPAN("stats")) < 0) {
            response->is_due = false;
            query->due_count--;
        }
    }
}

/* ---- responses ---- */

struct reading {
    struct node_response *response;
    int64_t *value; /* of the last key; NULL: it is not wanted */
};

static int64_t *find_number(struct node_response *response, struct span key)
{
    static const char *const names[] = {
#define X(NAME, text, unit, is_time) [NODE_##NAME] = (text),
        NODE_NUMBERS(X)
#undef X
    };
    if (span_is(key, "parent"))
        return &response->parent;
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (span_is(key, names[i]))
            return &response->numbers[i];
    return NULL;
}

static int on_json(void *arg, enum json_event event, struct span text, unsigned depth)
{
    struct reading *reading = arg;
    (void)depth;
    if (event == JSON_KEY)
        reading->value = find_number(reading->response, text);
    else if (event == JSON_NUMBER && reading->value &&
             number_parse_i64(text, reading->value) < 0)
        return -EBADMSG;
    return 0;
}

bool node_query_receive(struct node_query *query, const struct session_request *frame)
{
    if (frame->id / RANKS_MAX != query->number)
        return false;
    for (uint32_t i = 0; i < query->count; i++) {
        struct node_response *response = &query->responses[i];
        struct reading reading = { .response = response };
        if (response->rank != frame->from || !response->is_due)
            continue;
        response->is_due = false;
        query->due_count--;
        response->parent = -1;
        response->responded_ns = clock_steady_ns();
        response->has_responded = json_read(frame->text, on_json, &reading, NULL) == 0;
        break;
    }
    return true;
}

/* ---- the table ---- */

enum column { HOST, RANK, STATE, PARENT, ROUND_TRIP, FIRST_NUMBER };

static const struct {
    const char *name, *unit;
    bool is_time;
} numbers[] = {
#define X(NAME, text, unit, is_time) [NODE_##NAME] = { text, unit, is_time },
    NODE_NUMBERS(X)
#undef X
};

static void node_columns(struct table *t)
{
    table_add_column(t, "host", TABLE_TEXT, "");
    table_add_column(t, "rank", TABLE_U64, "");
    table_add_column(t, "state", TABLE_TEXT, "");
    table_add_column(t, "parent", TABLE_TEXT, "");
    table_add_column(t, "round_trip", TABLE_DOUBLE, "s");
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        char name[32];
        size_t size = strlen(numbers[i].name);
        (void)snprintf(name, sizeof name, "%.*s",
                       (int)(size - (numbers[i].is_time ? strlen("_ns") : 0)),
                       numbers[i].name);
        table_add_column(t, name, numbers[i].is_time ? TABLE_DOUBLE : TABLE_I64,
                         numbers[i].unit);
    }
}

static void set_response(struct table *t, const struct node_response *response,
                         const struct hostset *hosts)
{
    if (response->parent >= 0 && (uint64_t)response->parent < hostset_count(hosts))
        table_set_text(t, PARENT, span_of(hostset_at(hosts, (size_t)response->parent)));
    table_set_double(t, ROUND_TRIP,
                     (double)(response->responded_ns - response->sent_ns) / NS_PER_S);
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        if (numbers[i].is_time)
            table_set_double(t, FIRST_NUMBER + i,
                             (double)response->numbers[i] / NS_PER_S);
        else
            table_set_i64(t, FIRST_NUMBER + i, response->numbers[i]);
    }
}

void node_query_table(const struct node_query *query, const struct hostset *hosts,
                      struct table *ret)
{
    uint32_t silent = 0;
    node_columns(ret);
    for (uint32_t i = 0; i < query->count; i++) {
        const struct node_response *response = &query->responses[i];
        bool is_silent = response->is_online && !response->has_responded;
        silent += is_silent;
        table_add_row(ret);
        table_set_text(ret, HOST, span_of(hostset_at(hosts, response->rank)));
        table_set_u64(ret, RANK, response->rank);
        table_set_text(ret, STATE,
                       span_of(!response->is_online ? "absent"
                               : is_silent          ? "no response"
                                                    : "online"));
        if (response->has_responded)
            set_response(ret, response, hosts);
    }
    if (silent > 0)
        table_add_note(ret, "%" PRIu32 " nodes are online and did not respond in time.",
                       silent);
    if (query->cut > 0)
        table_add_note(ret,
                       "The first %" PRIu32 " nodes; %" PRIu32
                       " more fit: host=HOSTS names others.",
                       query->count, query->cut);
}
