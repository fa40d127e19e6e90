/* SPDX-License-Identifier: Apache-2.0 */
/* site_event - what the agent has for a session, as events of that session: by its name
 * each is marked as not its own. */
#include "jobsession/site/site_event.h"

#include "base/json_writer.h"
#include "base/number.h"
#include "base/span.h"
#include "session/session.h"

#include <errno.h>

bool site_event_is_foreign(struct span name)
{
    return span_starts(name, SITE_EVENT_PREFIX) ||
           span_starts(name, CHILD_EVENT_PREFIX);
}

/* What stands before the payload. */
struct event_head {
    const char *key; /* "number", "session" */
    struct span id, uid;
    uint64_t sequence; /* 0: none */
    int64_t t_ns;
};

static void print_wrapped(const struct event_head *head, struct span payload,
                          size_t size, struct strbuf *out)
{
    struct json_writer w;
    strbuf_clear(out);
    json_writer_init(&w, out);
    json_object(&w);
    json_key(&w, head->key);
    json_span(&w, head->id);
    if (head->sequence > 0) {
        json_key(&w, "sequence");
        json_u64(&w, head->sequence);
    }
    json_key(&w, "t");
    json_seconds(&w, head->t_ns);
    if (head->uid.size > 0) {
        json_key(&w, "uid");
        json_span(&w, head->uid);
    }
    json_key(&w, "payload");
    json_span(&w, (struct span){ payload.data, size });
    if (size < payload.size) {
        json_key(&w, "cut");
        json_bool(&w, true);
    }
    json_object_end(&w);
}

/* Not inside of a character. */
static size_t shorten(struct span text, size_t size)
{
    while (size > 0 && ((unsigned char)text.data[size] & 0xc0) == 0x80)
        size--;
    return size;
}

static int print_head(const struct event_head *head, struct span payload,
                      struct strbuf *out)
{
    size_t size = payload.size;
    print_wrapped(head, payload, size, out);
    while (out->size > SESSION_PAYLOAD_MAX && size > 0) {
        size = shorten(payload, size - (size + 7) / 8);
        print_wrapped(head, payload, size, out);
    }
    return strbuf_error(out);
}

static int print_name(const char *prefix, struct span name, struct strbuf *out)
{
    strbuf_addf(out, "%s" SPAN_FMT, prefix, SPAN_ARG(name));
    if (strbuf_error(out) < 0)
        return -ENOMEM;
    return out->size <= SESSION_TEXT_MAX &&
                   session_event_name_is_valid(strbuf_span(out))
               ? 0
               : -EBADMSG;
}

static int print_event(struct span rest, struct strbuf *name, struct strbuf *payload)
{
    struct event_head head = { .key = "number" };
    struct span t, own;
    (void)span_cut(&rest, ' ', &head.id);
    (void)span_cut(&rest, ' ', &t);
    (void)span_cut(&rest, ' ', &head.uid);
    (void)span_cut(&rest, ' ', &own);
    if (head.id.size == 0 || number_parse_i64(t, &head.t_ns) < 0 || own.size == 0)
        return -EBADMSG;
    int rc = print_name(SITE_EVENT_PREFIX, own, name);
    return rc < 0 ? rc : print_head(&head, rest, payload);
}

/* "lost 3", "gap 7 4 9": numbers with these keys. */
static int print_numbers(struct span rest, const char *const *keys, size_t count,
                         struct strbuf *payload)
{
    struct json_writer w;
    json_writer_init(&w, payload);
    json_object(&w);
    for (size_t i = 0; i < count; i++) {
        struct span text;
        uint64_t number;
        (void)span_cut(&rest, ' ', &text);
        if (number_parse_u64(text, &number) < 0)
            return -EBADMSG;
        json_key(&w, keys[i]);
        json_u64(&w, number);
    }
    json_object_end(&w);
    return strbuf_error(payload);
}

int site_event_print(struct span line, struct strbuf *name, struct strbuf *payload)
{
    static const char *const lost[] = { "count" };
    static const char *const gap[] = { "incarnation", "first", "last" };
    static const char *const rest_keys[] = { "incarnation", "first" };
    struct span rest = line, verb;
    strbuf_clear(name);
    strbuf_clear(payload);
    (void)span_cut(&rest, ' ', &verb);
    if (span_is(verb, "event"))
        return print_event(rest, name, payload);
    bool is_lost = span_is(verb, "lost"), is_rest = span_is(verb, "rest");
    if (!is_lost && !is_rest && !span_is(verb, "gap") && !span_is(verb, "health"))
        return -EBADMSG;
    int rc = print_name(SITE_EVENT_PREFIX, verb, name);
    if (rc < 0)
        return rc;
    if (is_lost)
        return print_numbers(rest, lost, COUNT_OF(lost), payload);
    if (is_rest)
        return print_numbers(rest, rest_keys, COUNT_OF(rest_keys), payload);
    if (span_is(verb, "gap"))
        return print_numbers(rest, gap, COUNT_OF(gap), payload);
    strbuf_add_span(payload, rest);
    return payload->size > SESSION_PAYLOAD_MAX ? -EBADMSG : strbuf_error(payload);
}

static int print_session(const struct session_report *r, struct strbuf *payload)
{
    struct json_writer w;
    json_writer_init(&w, payload);
    json_object(&w);
    json_key(&w, "session");
    json_span(&w, r->session);
    json_key(&w, "name");
    json_span(&w, r->name);
    json_key(&w, "state");
    json_text(&w, r->has_ended ? "ended" : "running");
    if (r->reason.size > 0) {
        json_key(&w, "reason");
        json_span(&w, r->reason);
    }
    json_object_end(&w);
    return strbuf_error(payload);
}

int child_event_print(const struct session_report *r, struct strbuf *name,
                      struct strbuf *payload)
{
    const struct event_head head = {
        .key = "session", .id = r->session, .sequence = r->sequence, .t_ns = r->start_ns
    };
    strbuf_clear(name);
    strbuf_clear(payload);
    int rc = print_name(CHILD_EVENT_PREFIX, r->sequence > 0 ? r->name : SPAN("session"),
                        name);
    if (rc < 0)
        return rc;
    return r->sequence > 0 ? print_head(&head, r->payload, payload)
                           : print_session(r, payload);
}

int child_lost_print(struct span count, struct strbuf *name, struct strbuf *payload)
{
    static const char *const keys[] = { "count" };
    strbuf_clear(name);
    strbuf_clear(payload);
    int rc = print_name(CHILD_EVENT_PREFIX, SPAN("lost"), name);
    return rc < 0 ? rc : print_numbers(count, keys, COUNT_OF(keys), payload);
}

int child_gap_print(struct span session, uint64_t first, uint64_t last,
                    struct strbuf *name, struct strbuf *payload)
{
    struct json_writer w;
    strbuf_clear(name);
    strbuf_clear(payload);
    json_writer_init(&w, payload);
    json_object(&w);
    json_key(&w, "session");
    json_span(&w, session);
    json_key(&w, "first");
    json_u64(&w, first);
    json_key(&w, "last");
    json_u64(&w, last);
    json_object_end(&w);
    int rc = print_name(CHILD_EVENT_PREFIX, SPAN("gap"), name);
    return rc < 0 ? rc : strbuf_error(payload);
}
