/* SPDX-License-Identifier: Apache-2.0 */
/* peer - a server within the test: requests are recorded, responses are listed before.
 *
 * Threads  none inside.
 */
#ifndef MIGRATE_TEST_PEER_H
#define MIGRATE_TEST_PEER_H

#include "base/span.h"
#include "base/strbuf.h"
#include "migrate/http_peer.h"

#include "base/test/testing.h"

struct test_peer {
    const char *const *responses; /* in turn; NULL: an error */
    size_t response_count;
    int error;           /* what a missing response returns */
    size_t requests;     /* how many there were */
    struct strbuf paths; /* one a line, with the body after a blank */
};

static inline int test_peer_respond(void *arg, const char *path, struct span body,
                                    struct span *ret, struct err *err)
{
    struct test_peer *peer = arg;
    size_t n = peer->requests++;
    strbuf_addf(&peer->paths, "%s" SPAN_FMT "\n", path, SPAN_ARG(body));
    const char *response = n < peer->response_count ? peer->responses[n] : NULL;
    if (!response)
        return err_set(err, peer->error ? -peer->error : EIO, "no response %zu", n);
    *ret = span_of(response);
    return 0;
}

static inline struct http_peer test_peer_make(struct test_peer *peer)
{
    return (struct http_peer){ test_peer_respond, test_peer_respond, peer };
}

/* Collects what a sample_text writes. */
static inline int test_collect(void *arg, struct span lines, struct err *err)
{
    (void)err;
    strbuf_add_span(arg, lines);
    return 0;
}

#endif
