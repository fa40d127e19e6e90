/* SPDX-License-Identifier: Apache-2.0 */
/* event_log - the last events of a session, for clients of REST. */
#include "api/session/event_log.h"

#include "base/number.h"
#include "base/span.h"
#include "base/utf8.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct logged_event {
    struct event_id id;
    int64_t t_ns;
    uint32_t origin, uid;
    size_t name_size, payload_size;
    char bytes[]; /* name, payload */
};

static size_t event_bytes(const struct logged_event *event)
{
    return sizeof *event + event->name_size + event->payload_size;
}

static void drop_oldest(struct event_log *log)
{
    struct logged_event *event = log->ring[log->first];
    log->lost = event->id;
    log->bytes -= event_bytes(event);
    log->ring[log->first] = NULL;
    log->first = (log->first + 1) % EVENT_LOG_MAX;
    log->count--;
    free(event);
}

void event_log_done(struct event_log *log)
{
    while (log->count > 0)
        drop_oldest(log);
}

int event_log_add(struct event_log *log, const struct session_event *event)
{
    const struct event_id id = { event->incarnation, event->sequence };
    struct logged_event *copy =
        malloc(sizeof *copy + event->name.size + event->payload.size);
    log->last = id;
    if (!copy) {
        /* Readers learn by the note of what is lost that one is missing. */
        event_log_done(log);
        log->lost = id;
        return -ENOMEM;
    }
    *copy = (struct logged_event){ .id = id,
                                   .t_ns = event->t_ns,
                                   .origin = event->origin,
                                   .uid = event->uid,
                                   .name_size = event->name.size,
                                   .payload_size = event->payload.size };
    memcpy(copy->bytes, event->name.data, event->name.size);
    if (event->payload.size > 0)
        memcpy(copy->bytes + event->name.size, event->payload.data,
               event->payload.size);
    while (log->count == EVENT_LOG_MAX ||
           (log->count > 0 && log->bytes + event_bytes(copy) > EVENT_LOG_BYTES_MAX))
        drop_oldest(log);
    log->ring[(log->first + log->count++) % EVENT_LOG_MAX] = copy;
    log->bytes += event_bytes(copy);
    return 0;
}

void event_log_gap(struct event_log *log, const struct session_gap *gap)
{
    /* What came before the gap goes, too: readers see one place of loss. */
    event_log_done(log);
    log->lost = log->last = (struct event_id){ gap->incarnation, gap->last };
}

/* ---- identifiers ---- */

int event_id_parse(struct span text, struct event_id *ret)
{
    const char *dot = text.size > 0 ? memchr(text.data, '.', text.size) : NULL;
    if (!dot)
        return -EINVAL;
    struct span before = { text.data, (size_t)(dot - text.data) };
    struct span after = { dot + 1, text.size - before.size - 1 };
    int rc = number_parse_u64(before, &ret->incarnation);
    if (rc == 0)
        rc = number_parse_u64(after, &ret->sequence);
    return rc < 0 ? -EINVAL : 0;
}

bool event_id_is_after(struct event_id id, struct event_id other)
{
    return id.incarnation != other.incarnation ? id.incarnation > other.incarnation
                                               : id.sequence > other.sequence;
}

bool event_log_has_like(const struct event_log *log, struct span name,
                        struct span payload)
{
    for (size_t i = 0; i < log->count; i++) {
        const struct logged_event *event = log->ring[(log->first + i) % EVENT_LOG_MAX];
        if (span_eq(name, (struct span){ event->bytes, event->name_size }) &&
            span_eq(payload, (struct span){ event->bytes + event->name_size,
                                            event->payload_size }))
            return true;
    }
    return false;
}

bool event_log_has(const struct event_log *log, struct event_id after)
{
    return event_id_is_after(log->last, after);
}

/* ---- as a table ---- */

enum column { ID, TIME, RANK, HOST, UID, NAME, PAYLOAD };

static void event_columns(struct table *t)
{
    table_add_column(t, "id", TABLE_TEXT, "");
    table_add_column(t, "time", TABLE_TIME, "");
    table_add_column(t, "rank", TABLE_U64, "");
    table_add_column(t, "host", TABLE_TEXT, "");
    table_add_column(t, "uid", TABLE_U64, "");
    table_add_column(t, "name", TABLE_TEXT, "");
    table_add_column(t, "payload", TABLE_TEXT, "");
}

/* Any bytes, as they may be shown. */
static void set_shown(struct table *t, size_t column, struct span text)
{
    char shown[4 * SESSION_PAYLOAD_MAX + 1];
    size_t size = utf8_print_shown(shown, sizeof shown, text);
    table_set_text(t, column, (struct span){ shown, size });
}

static void event_row(struct table *t, const struct logged_event *event,
                      const struct hostset *hosts)
{
    char id[48];
    (void)snprintf(id, sizeof id, "%" PRIu64 ".%" PRIu64, event->id.incarnation,
                   event->id.sequence);
    table_add_row(t);
    table_set_text(t, ID, span_of(id));
    table_set_i64(t, TIME, event->t_ns / NS_PER_MS);
    table_set_u64(t, RANK, event->origin);
    if (event->origin < hostset_count(hosts))
        table_set_text(t, HOST, span_of(hostset_at(hosts, event->origin)));
    if (event->uid != UINT32_MAX)
        table_set_u64(t, UID, event->uid);
    set_shown(t, NAME, (struct span){ event->bytes, event->name_size });
    set_shown(t, PAYLOAD,
              (struct span){ event->bytes + event->name_size, event->payload_size });
}

/* What was lost, where no event comes after it: the reader goes on from its id, as from
 * any other row's. */
static void gap_row(struct table *t, struct event_id lost)
{
    char id[48];
    (void)snprintf(id, sizeof id, "%" PRIu64 ".%" PRIu64, lost.incarnation,
                   lost.sequence);
    table_add_row(t);
    table_set_text(t, ID, span_of(id));
    table_set_text(t, NAME, SPAN("session.gap"));
}

void event_log_table(const struct event_log *log, struct event_id after, size_t limit,
                     const struct hostset *hosts, struct table *ret)
{
    bool is_from_end = after.incarnation == 0 && after.sequence == 0;
    bool has_gap = event_id_is_after(log->lost, after);
    size_t rows = 0;
    event_columns(ret);
    if (!is_from_end && has_gap)
        table_add_note(ret,
                       "Events up to %" PRIu64 ".%" PRIu64 " are not here any more.",
                       log->lost.incarnation, log->lost.sequence);
    for (size_t i = is_from_end && log->count > limit ? log->count - limit : 0;
         i < log->count; i++) {
        const struct logged_event *event = log->ring[(log->first + i) % EVENT_LOG_MAX];
        if (!event_id_is_after(event->id, after))
            continue;
        if (rows++ == limit) {
            table_add_note(ret, "More events follow: after=ID gets them.");
            break;
        }
        event_row(ret, event, hosts);
    }
    if (rows == 0 && has_gap)
        gap_row(ret, log->lost);
}
