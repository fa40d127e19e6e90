/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_session_message - bodies from a peer; what is accepted is written and read
 * again.
 *
 * The input: a byte for the message, its body.
 */
#include "base/span.h"
#include "fuzz/fuzz.h"
#include "session/message.h"

#define RANKS 300

static void fuzz_hello(struct span body)
{
    struct session_hello hello = { 0 }, again = { 0 };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    if (session_hello_decode(body, &hello) == 0 && hello.protocol == SESSION_PROTOCOL) {
        session_hello_encode(&hello, &out);
        fuzz_check(session_hello_decode(strbuf_span(&out), &again) == 0);
        fuzz_check(rank_set_equal(&hello.ranks, &again.ranks));
        fuzz_check(hello.rank == again.rank && span_eq(hello.host, again.host));
    }
    rank_set_done(&hello.ranks);
    rank_set_done(&again.ranks);
}

static void fuzz_contribution(struct span body)
{
    struct session_contribution c, again;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf twice = STRBUF_INIT;
    if (session_contribution_decode(body, RANKS, &c) == 0) {
        session_contribution_encode(&c, &out);
        int rc = session_contribution_decode(strbuf_span(&out), RANKS, &again);
        fuzz_check(rc == 0);
        session_contribution_encode(&again, &twice);
        fuzz_check(span_eq(strbuf_span(&out), strbuf_span(&twice)));
        (void)bundle_is_own(&c.bundle);
        fuzz_check(bundle_merge(&again.bundle, &c.bundle) == 0);
        fuzz_check(again.bundle.count == c.bundle.count);
        bundle_done(&again.bundle);
    }
    bundle_done(&c.bundle);
}

static void fuzz_event(struct span body)
{
    struct session_event event, again;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    if (session_event_decode(body, RANKS, &event) < 0)
        return;
    session_event_encode(&event, &out);
    fuzz_check(session_event_decode(strbuf_span(&out), RANKS, &again) == 0);
    fuzz_check(span_eq(event.payload, again.payload) && event.origin < RANKS);
}

static void fuzz_rest(unsigned type, struct span body)
{
    struct session_heartbeat beat;
    struct session_trigger trigger = { 0 };
    struct session_request request;
    struct session_gap gap = { 0 };
    struct rank_set ranks = { 0 };
    if (type == SESSION_HEARTBEAT)
        (void)session_heartbeat_decode(body, &beat);
    else if (type == SESSION_TRIGGER)
        (void)session_trigger_decode(body, RANKS, &trigger);
    else if (type == SESSION_REQUEST)
        (void)session_request_decode(body, RANKS, &request);
    else if (type == SESSION_GAP)
        (void)session_gap_decode(body, RANKS, &gap);
    else if (type == SESSION_MEMBERS &&
             session_members_decode(body, RANKS, &ranks) == 0)
        fuzz_check(rank_set_size(&ranks) <= RANKS);
    rank_set_done(&trigger.idle);
    rank_set_done(&gap.online);
    rank_set_done(&ranks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct span body = { (const char *)data + 1, size - 1 };
    unsigned type = data[0] % 13;
    if (type == SESSION_HELLO)
        fuzz_hello(body);
    else if (type == SESSION_CONTRIBUTION)
        fuzz_contribution(body);
    else if (type == SESSION_EVENT)
        fuzz_event(body);
    else
        fuzz_rest(type, body);
    return 0;
}
