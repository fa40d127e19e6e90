/* SPDX-License-Identifier: Apache-2.0 */
/* metric_body - bodies of requests to the metric store, read whole: they are small. */
#include "api/metric/metric_body.h"

#include "base/span.h"

#include <stdlib.h>

static int body_begin(void *arg, struct net_request *request, void **ret_state,
                      struct err *err)
{
    (void)arg, (void)request, (void)err;
    struct strbuf *body = calloc(1, sizeof *body);
    if (!body)
        return -ENOMEM;
    *ret_state = body;
    return 0;
}

static int body_data(void *state, struct net_request *request, const void *data,
                     size_t size, struct err *err)
{
    struct strbuf *body = state;
    strbuf_add(body, data, size);
    if (strbuf_error(body) < 0)
        return -ENOMEM;
    if (net_request_charge(request, body->capacity) < 0)
        return err_set(err, EAGAIN, "too many bodies at once: try again");
    return 0;
}

static void body_free_state(void *state)
{
    strbuf_done(state);
    free(state);
}

const struct net_body metric_whole_body = { body_begin, body_data, body_free_state };

struct span metric_body(const struct net_request *request)
{
    const struct strbuf *body = net_request_state(request);
    return body ? strbuf_span(body) : SPAN("");
}
