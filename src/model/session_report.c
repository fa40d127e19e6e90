/* SPDX-License-Identifier: Apache-2.0 */
/* session_report - what a session that a user started reports to the site. */
#include "model/session_report.h"

#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/number.h"
#include "base/span.h"
#include "base/utf8.h"

#include <stddef.h>

#define REASON_BYTES_MAX ((size_t)512)
#define HOST_BYTES_MAX ((size_t)255)
#define BEAT_MS_MAX UINT64_C(86400000)
#define RANKS_MAX UINT64_C(1000000)

/* ---- members of a line ---- */

enum report_type { REPORT_TEXT, REPORT_NUMBER, REPORT_TIME };

#define AT(member) offsetof(struct session_report, member)

static const struct report_member {
    const char *key;
    enum report_type type;
    size_t offset;
} members[] = {
    { "session", REPORT_TEXT, AT(session) },
    { "sequence", REPORT_NUMBER, AT(sequence) },
    { "name", REPORT_TEXT, AT(name) },
    { "parent", REPORT_TEXT, AT(parent) },
    { "hosts", REPORT_TEXT, AT(hosts) },
    { "ranks", REPORT_NUMBER, AT(ranks) },
    { "address", REPORT_TEXT, AT(address) },
    { "reason", REPORT_TEXT, AT(reason) },
    { "payload", REPORT_TEXT, AT(payload) },
    { "beat", REPORT_NUMBER, AT(beat_ms) },
    { "events", REPORT_NUMBER, AT(events) },
    { "start", REPORT_TIME, AT(start_ns) },
    { "uid", REPORT_TEXT, AT(uid) },
    { "cluster", REPORT_TEXT, AT(cluster) },
    { "host", REPORT_TEXT, AT(host) },
    { "job", REPORT_TEXT, AT(job) },
    { "t", REPORT_TIME, AT(t_ns) },
};

/* "name" or, of an event, "event"; "state": besides the table. */
enum {
    MEMBER_NAME = 2,
    MEMBER_STATE = COUNT_OF(members),
    MEMBER_EVENT,
    MEMBER_COUNT,
};

static const char *member_name(unsigned member)
{
    return member == MEMBER_STATE   ? "state"
           : member == MEMBER_EVENT ? "event"
                                    : members[member].key;
}

/* ---- checks ---- */

static bool is_report_text(struct span text, size_t size_max)
{
    if (text.size > size_max || !utf8_is_valid(text))
        return false;
    for (size_t i = 0; i < text.size; i++)
        if ((unsigned char)text.data[i] < ' ' || text.data[i] == 0x7f)
            return false;
    return true;
}

static bool has_only_bytes(struct span text, const char *bytes, size_t size_max)
{
    if (text.size == 0 || text.size > size_max)
        return false;
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] == '\0' || !strchr(bytes, text.data[i]))
            return false;
    return true;
}

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

static bool is_id(struct span text)
{
    return text.size == SESSION_ID_BYTES &&
           has_only_bytes(text, "0123456789abcdef", SESSION_ID_BYTES);
}

const char *session_report_check(const struct session_report *r)
{
    if (!is_id(r->session) || (r->parent.size > 0 && !is_id(r->parent)))
        return "a session has 32 hexadecimal digits";
    if (r->sequence > SESSION_EVENTS_MAX)
        return "a session has at most 10,000 events for the site";
    /* A colon stands between the names of sessions in each other. */
    if (!has_only_bytes(r->name, r->sequence > 0 ? LETTERS "._:-" : LETTERS "._-",
                        SESSION_NAME_BYTES_MAX) ||
        r->name.data[0] == '.')
        return "its name has other bytes than letters, digits and . _ -";
    if (!is_report_text(r->hosts, SESSION_HOSTS_BYTES_MAX) ||
        !is_report_text(r->address, SESSION_ADDRESS_BYTES_MAX) ||
        !is_report_text(r->reason, REASON_BYTES_MAX))
        return "hosts, address or reason are too long, or have control characters";
    if (r->payload.size > SESSION_PAYLOAD_BYTES_MAX || !utf8_is_valid(r->payload) ||
        (r->payload.size > 0 && memchr(r->payload.data, '\0', r->payload.size)))
        return "the payload is too long, or no text";
    if (r->ranks > RANKS_MAX || r->beat_ms > BEAT_MS_MAX ||
        r->events > SESSION_EVENTS_MAX)
        return "ranks, beat or events are more than can be";
    if (r->start_ns <= 0)
        return "'start' is missing";
    return NULL;
}

const char *session_report_check_sender(const struct session_report *r)
{
    if (!has_only_bytes(r->uid, "0123456789", 10))
        return "'uid' is not a user's number";
    if (!has_only_bytes(r->host, LETTERS "._-", HOST_BYTES_MAX))
        return "'host' is not the name of a host";
    if (!is_report_text(r->cluster, HOST_BYTES_MAX) ||
        !is_report_text(r->job, HOST_BYTES_MAX))
        return "cluster or job are too long, or have control characters";
    return r->t_ns <= 0 ? "'t' is missing" : NULL;
}

/* ---- printing ---- */

static void print_member(struct json_writer *w, const char *key,
                         const struct report_member *member,
                         const struct session_report *r)
{
    const void *at = (const char *)r + member->offset;
    const struct span *text = at;
    const uint64_t *number = at;
    if (member->type == REPORT_TEXT ? text->size == 0 : *number == 0)
        return;
    json_key(w, key);
    if (member->type == REPORT_TEXT)
        json_span(w, *text);
    else if (member->type == REPORT_NUMBER)
        json_u64(w, *number);
    else
        json_seconds(w, *(const int64_t *)at);
}

void session_report_print_line(const struct session_report *r, struct strbuf *out)
{
    struct json_writer w;
    json_writer_init(&w, out);
    json_object(&w);
    for (size_t i = 0; i < COUNT_OF(members); i++) {
        bool is_event_name = i == MEMBER_NAME && r->sequence > 0;
        print_member(&w, is_event_name ? "event" : members[i].key, &members[i], r);
    }
    if (r->sequence == 0) {
        json_key(&w, "state");
        json_text(&w, r->has_ended ? "ended" : "running");
    }
    json_object_end(&w);
    strbuf_addc(out, '\n');
}

/* ---- reading ---- */

struct report_line {
    struct arena *arena;
    struct err *err;
    struct session_report report;
    unsigned member; /* whose value is due */
    unsigned given;  /* bit n: member n was there */
};

static int report_key(struct report_line *in, struct span key)
{
    for (unsigned i = 0; i < MEMBER_COUNT; i++) {
        if (!span_is(key, member_name(i)))
            continue;
        if (in->given >> i & 1)
            return err_set(in->err, EBADMSG, "'%s' is given twice", member_name(i));
        in->given |= 1U << i;
        in->member = i;
        return 0;
    }
    return err_set(in->err, EBADMSG, "'%.*s' is not a key of a session's report",
                   (int)(key.size < 64 ? key.size : 64), key.data);
}

static int report_state(struct report_line *in, struct span text)
{
    in->report.has_ended = span_is(text, "ended");
    if (in->report.has_ended || span_is(text, "running"))
        return 0;
    return err_set(in->err, EBADMSG, "'state' is not running or ended");
}

static int report_text(struct report_line *in, struct span text)
{
    if (in->member == MEMBER_STATE)
        return report_state(in, text);
    char *copy = arena_dup(in->arena, text);
    if (!copy)
        return -ENOMEM;
    size_t offset = in->member == MEMBER_EVENT ? AT(name) : members[in->member].offset;
    *(struct span *)(void *)((char *)&in->report + offset) =
        (struct span){ copy, text.size };
    return 0;
}

static int report_number(struct report_line *in, struct span text)
{
    const struct report_member *member = &members[in->member];
    void *at = (char *)&in->report + member->offset;
    int rc = member->type == REPORT_TIME ? number_parse_seconds(text, at)
                                         : number_parse_u64(text, at);
    if (rc == 0 && (member->type != REPORT_TIME || *(int64_t *)at > 0))
        return 0;
    return err_set(in->err, EBADMSG, "'%s' is not a %s", member->key,
                   member->type == REPORT_TIME ? "time in seconds since 1970"
                                               : "whole number");
}

static int report_value(void *arg, enum json_event event, struct span text,
                        unsigned depth)
{
    struct report_line *in = arg;
    if (depth == 0 && (event == JSON_OBJECT || event == JSON_OBJECT_END))
        return 0;
    if (depth == 0 && event == JSON_KEY)
        return report_key(in, text);
    if (depth == 0)
        return err_set(in->err, EBADMSG, "it is not an object");
    bool is_text =
        in->member >= MEMBER_STATE || members[in->member].type == REPORT_TEXT;
    if (is_text && event == JSON_STRING)
        return report_text(in, text);
    if (!is_text && event == JSON_NUMBER)
        return report_number(in, text);
    return err_set(in->err, EBADMSG, "'%s' is not a %s", member_name(in->member),
                   is_text ? "text" : "number");
}

static const char *report_check_line(const struct report_line *in)
{
    bool is_event = in->given >> MEMBER_EVENT & 1,
         is_named = in->given >> MEMBER_NAME & 1;
    if (is_event == is_named || is_event != (in->report.sequence > 0))
        return "it is of a session, with a name and sequence 0, or of an event, with a "
               "sequence";
    if (!is_event && !(in->given >> MEMBER_STATE & 1))
        return "'state' is missing";
    if (is_event && in->given >> MEMBER_STATE & 1)
        return "an event has no state";
    return session_report_check(&in->report);
}

int session_report_read_line(struct span line, struct arena *arena,
                             struct session_report *ret, struct err *err)
{
    const struct json_reader_opts opts = { .depth_max = 2,
                                           .token_bytes_max =
                                               SESSION_REPORT_LINE_BYTES_MAX };
    struct report_line in = { .arena = arena, .err = err };
    AUTO(json_reader_done) struct json_reader reader;
    json_reader_init(&reader, &opts, report_value, &in);
    int rc = json_reader_feed(&reader, line.data, line.size, err);
    if (rc == 0)
        rc = json_reader_finish(&reader, err);
    if (rc < 0)
        return rc == -EMSGSIZE ? err_set(err, EBADMSG, "a text of it is too long") : rc;
    const char *reason = report_check_line(&in);
    if (reason)
        return err_set(err, EBADMSG, "%s", reason);
    *ret = in.report;
    return 0;
}
