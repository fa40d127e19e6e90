/* SPDX-License-Identifier: Apache-2.0 */
/* submission_response - what barod made of lines that were posted: its counts. */
#include "agent/send/submission_response.h"

#include "agent/send/delivery.h"
#include "base/json_reader.h"
#include "base/number.h"
#include "base/span.h"
#include "net/net.h"

struct response_reading {
    uint64_t counts[4]; /* accepted, changed, duplicate, refused */
    int at;             /* the count that comes next; -1: another value */
    unsigned seen;
};

static int on_response_json(void *arg, enum json_event event, struct span text,
                            unsigned depth)
{
    static const char *const names[] = { "accepted", "changed", "duplicate",
                                         "refused" };
    struct response_reading *r = arg;
    if (depth == 0 && event == JSON_KEY) {
        r->at = -1;
        for (size_t i = 0; i < COUNT_OF(names); i++)
            r->at = span_is(text, names[i]) ? (int)i : r->at;
    } else if (depth == 1 && event == JSON_NUMBER && r->at >= 0) {
        r->seen |= number_parse_u64(text, &r->counts[r->at]) == 0 ? 1U << r->at : 0;
    }
    return 0;
}

enum post_verdict submission_judge(const struct net_response *response, uint32_t count,
                                   struct post_accepted *ret)
{
    struct response_reading r = { .at = -1 };
    struct batch_response none;
    struct span body = strbuf_span(&response->body);
    (void)count;
    if (response->status == 200 && json_read(body, on_response_json, &r, NULL) == 0 &&
        r.seen == 15) {
        *ret = (struct post_accepted){ r.counts[0] + r.counts[1] + r.counts[2],
                                       r.counts[3] };
        return POST_ACCEPTED;
    }
    return delivery_judge(response->status, body, 1, &none) == VERDICT_REFUSED
               ? POST_REFUSED
               : POST_LATER;
}
