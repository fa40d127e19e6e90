/* SPDX-License-Identifier: Apache-2.0 */
/* barod_waiting - a barod without its database yet: it listens, and says not now. */
#include "cmd/barod_waiting.h"

#include "base/cleanup.h"
#include "base/number.h"

static const char reason[] = "barod waits for its database: try again";

static int refuse_body(void *arg, struct net_request *request, void **ret_state,
                       struct err *err)
{
    (void)arg;
    (void)request;
    (void)ret_state;
    return err_set(err, EAGAIN, "%s", reason);
}

static void refuse(void *arg, struct net_request *request)
{
    (void)arg;
    net_reply_problem(request, 503, reason);
}

/* Nobody has to be known for it, so that no token is judged twice. */
static int add_routes(struct net_server *server, struct err *err)
{
    static const struct net_body body = { .begin = refuse_body };
    static const char *const patterns[] = {
        "/{a}",
        "/{a}/{b}",
        "/{a}/{b}/{c}",
        "/{a}/{b}/{c}/{d}",
    };
    static const char *const methods[] = { "GET", "POST" };
    for (size_t i = 0; i < COUNT_OF(patterns); i++)
        for (size_t k = 0; k < COUNT_OF(methods); k++) {
            const struct net_route route = {
                .method = methods[k],
                .pattern = patterns[i],
                .handle = refuse,
                .body = &body,
            };
            if (net_server_add_route(server, &route) < 0)
                return err_set(err, ENOMEM, "out of memory");
        }
    return 0;
}

int barod_waiting_start(const struct net_opts *opts, struct net_server **ret,
                        struct err *err)
{
    AUTO(net_server_free) struct net_server *server = NULL;
    int rc = net_server_new(opts, &server, err);
    if (rc == 0)
        rc = add_routes(server, err);
    if (rc == 0)
        rc = net_server_start(server, err);
    if (rc == 0)
        *ret = TAKE(server);
    return rc;
}
