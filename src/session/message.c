/* SPDX-License-Identifier: Apache-2.0 */
/* message - what the nodes of a session send each other: bodies of frames. */
#include "session/message.h"

#include "base/number.h"
#include "base/span.h"

#include <errno.h>

/* A number that goes up by one: one more is still a number. */
static uint64_t read_count(struct octets *in)
{
    return octets_limited(in, UINT64_MAX >> 16);
}

/* Times of day up to the year 2262, and lengths of time. */
static int64_t read_time(struct octets *in)
{
    return (int64_t)octets_limited(in, INT64_MAX);
}

void session_hello_encode(const struct session_hello *hello, struct strbuf *out)
{
    session_hello_encode_signed(hello, out);
    octets_add_text(out, hello->signature);
}

void session_hello_encode_signed(const struct session_hello *hello, struct strbuf *out)
{
    octets_add_varint(out, hello->protocol);
    octets_add_text(out, hello->name);
    octets_add_text(out, hello->host);
    octets_add_u64(out, hello->hosts_digest);
    octets_add_u64(out, hello->shape_digest);
    octets_add_varint(out, (uint64_t)hello->heartbeat_ns);
    octets_add_varint(out, hello->rank);
    octets_add_u64(out, hello->boot);
    octets_add_varint(out, hello->incarnation);
    octets_add_varint(out, hello->sequence);
    rank_set_encode(&hello->ranks, out);
    octets_add_text(out, hello->token);
}

int session_hello_decode(struct span body, struct session_hello *ret)
{
    struct octets in = { .rest = body };
    *ret = (struct session_hello){ .protocol = octets_varint(&in) };
    /* Another protocol may go on in another form. */
    if (in.is_bad || ret->protocol != SESSION_PROTOCOL)
        return in.is_bad ? -EBADMSG : 0;
    ret->name = octets_text(&in, SESSION_TEXT_MAX);
    ret->host = octets_text(&in, SESSION_TEXT_MAX);
    ret->hosts_digest = octets_u64(&in);
    ret->shape_digest = octets_u64(&in);
    ret->heartbeat_ns = read_time(&in);
    ret->rank = (uint32_t)octets_limited(&in, RANKS_MAX);
    ret->boot = octets_u64(&in);
    ret->incarnation = read_count(&in);
    ret->sequence = read_count(&in);
    int rc = rank_set_decode(&in, RANKS_MAX, &ret->ranks);
    if (rc < 0)
        return rc;
    ret->token = octets_text(&in, SESSION_TOKEN_MAX);
    ret->signed_size = body.size - in.rest.size;
    ret->signature = octets_text(&in, SESSION_SIGNATURE_MAX);
    return octets_done(&in);
}

void session_heartbeat_encode(const struct session_heartbeat *beat, struct strbuf *out)
{
    octets_add_varint(out, (uint64_t)beat->now_ns);
    octets_add_varint(out, (uint64_t)beat->peer_now_ns);
    octets_add_varint(out, (uint64_t)beat->held_ns);
}

int session_heartbeat_decode(struct span body, struct session_heartbeat *ret)
{
    struct octets in = { .rest = body };
    /* Sums and differences of them do not overflow. */
    ret->now_ns = (int64_t)octets_limited(&in, INT64_MAX / 4);
    ret->peer_now_ns = (int64_t)octets_limited(&in, INT64_MAX / 4);
    ret->held_ns = (int64_t)octets_limited(&in, INT64_MAX / 4);
    return octets_done(&in);
}

void session_trigger_encode(const struct session_trigger *trigger, struct strbuf *out)
{
    octets_add_varint(out, trigger->incarnation);
    octets_add_varint(out, trigger->epoch);
    octets_add_varint(out, (uint64_t)trigger->instant_ns);
    octets_add_varint(out, (uint64_t)trigger->period_ns);
    octets_add_varint(out, (uint64_t)trigger->deadline_ns);
    if (trigger->idle.count > 0)
        rank_set_encode(&trigger->idle, out);
}

int session_trigger_decode(struct span body, uint32_t ranks,
                           struct session_trigger *ret)
{
    struct octets in = { .rest = body };
    *ret = (struct session_trigger){ .incarnation = read_count(&in) };
    ret->epoch = read_count(&in);
    ret->instant_ns = read_time(&in);
    ret->period_ns = (int64_t)octets_limited(&in, 86400 * NS_PER_S);
    ret->deadline_ns = (int64_t)octets_limited(&in, 86400 * NS_PER_S);
    int rc = in.rest.size > 0 ? rank_set_decode(&in, ranks, &ret->idle) : 0;
    if (rc == 0)
        rc = octets_done(&in);
    return rc == 0 && ret->instant_ns > INT64_MAX - 2 * 86400 * NS_PER_S ? -EBADMSG
                                                                         : rc;
}

void session_contribution_encode(const struct session_contribution *c,
                                 struct strbuf *out)
{
    octets_add_varint(out, c->incarnation);
    octets_add_varint(out, c->epoch);
    octets_add_varint(out, c->late);
    bundle_encode(&c->bundle, out);
}

int session_contribution_decode(struct span body, uint32_t ranks,
                                struct session_contribution *ret)
{
    struct octets in = { .rest = body };
    *ret = (struct session_contribution){ .incarnation = octets_varint(&in) };
    ret->epoch = octets_varint(&in);
    ret->late = octets_limited(&in, REDUCE_COUNT_MAX);
    int rc = bundle_decode(&in, ranks, &ret->bundle);
    return rc < 0 ? rc : octets_done(&in);
}

int session_members_decode(struct span body, uint32_t ranks, struct rank_set *ret)
{
    struct octets in = { .rest = body };
    int rc = rank_set_decode(&in, ranks, ret);
    return rc < 0 ? rc : octets_done(&in);
}

bool session_event_name_is_valid(struct span name)
{
    for (size_t i = 0; i < name.size; i++) {
        char c = name.data[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
              (c >= '0' && c <= '9') || memchr("_.:-", c, 4)))
            return false;
    }
    return name.size > 0 && name.size <= SESSION_TEXT_MAX;
}

void session_event_encode(const struct session_event *event, struct strbuf *out)
{
    session_event_encode_signed(event, out);
    octets_add_text(out, event->signature);
}

void session_event_encode_signed(const struct session_event *event, struct strbuf *out)
{
    octets_add_varint(out, event->incarnation);
    octets_add_varint(out, event->sequence);
    octets_add_varint(out, event->origin);
    octets_add_u64(out, event->boot);
    octets_add_varint(out, event->publication);
    octets_add_varint(out, event->base);
    octets_add_varint(out, (uint64_t)event->t_ns);
    octets_add_varint(out, event->uid);
    octets_add_text(out, event->name);
    octets_add_text(out, event->payload);
    octets_add_text(out, event->token);
}

int session_event_decode(struct span body, uint32_t ranks, struct session_event *ret)
{
    struct octets in = { .rest = body };
    ret->incarnation = read_count(&in);
    ret->sequence = read_count(&in);
    ret->origin = (uint32_t)octets_limited(&in, ranks - 1);
    ret->boot = octets_u64(&in);
    ret->publication = read_count(&in);
    ret->base = read_count(&in);
    ret->t_ns = read_time(&in);
    ret->uid = (uint32_t)octets_limited(&in, UINT32_MAX);
    ret->name = octets_text(&in, SESSION_TEXT_MAX);
    ret->payload = octets_text(&in, SESSION_PAYLOAD_MAX);
    ret->token = octets_text(&in, SESSION_TOKEN_MAX);
    ret->signed_size = body.size - in.rest.size;
    ret->signature = octets_text(&in, SESSION_SIGNATURE_MAX);
    int rc = octets_done(&in);
    bool is_valid = ret->publication > 0 && session_event_name_is_valid(ret->name);
    return rc == 0 && !is_valid ? -EBADMSG : rc;
}

void session_gap_encode(const struct session_gap *gap, struct strbuf *out)
{
    octets_add_varint(out, gap->incarnation);
    octets_add_varint(out, gap->first);
    octets_add_varint(out, gap->last);
    rank_set_encode(&gap->online, out);
}

int session_gap_decode(struct span body, uint32_t ranks, struct session_gap *ret)
{
    struct octets in = { .rest = body };
    *ret = (struct session_gap){ .incarnation = read_count(&in) };
    ret->first = read_count(&in);
    ret->last = read_count(&in);
    int rc = rank_set_decode(&in, ranks, &ret->online);
    if (rc == 0)
        rc = octets_done(&in);
    return rc == 0 && (ret->first == 0 || ret->last < ret->first) ? -EBADMSG : rc;
}

void session_request_encode(const struct session_request *request, struct strbuf *out)
{
    octets_add_varint(out, request->from);
    octets_add_varint(out, request->to);
    octets_add_u64(out, request->id);
    strbuf_addc(out, (char)request->hops);
    octets_add_text(out, request->text);
}

int session_request_decode(struct span body, uint32_t ranks,
                           struct session_request *ret)
{
    struct octets in = { .rest = body };
    ret->from = (uint32_t)octets_limited(&in, ranks - 1);
    ret->to = (uint32_t)octets_limited(&in, ranks - 1);
    ret->id = octets_u64(&in);
    ret->hops = octets_u8(&in);
    ret->text = octets_text(&in, SESSION_RESPONSE_MAX);
    return octets_done(&in);
}
