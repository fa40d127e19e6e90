/* SPDX-License-Identifier: Apache-2.0 */
/* publication - an event that a client publishes. */
#include "api/session/publication.h"

#include "base/span.h"

#include <errno.h>
#include <string.h>

/* Programs of the site that look at nodes from outside have a name of their own. */
static int publication_admit(const struct net_identity *identity, struct span name,
                             struct err *err)
{
    if (identity->client.roles & NET_ROLE_ADMIN)
        return 0;
    if (!identity->token || identity->token->host[0])
        return err_set(err, EACCES, "the token is one of a host");
    return span_starts(name, "bmc.")
               ? 0
               : err_set(err, EACCES,
                         "of agents the names that begin with 'bmc.' alone");
}

static int publication_params(struct net_request *request, bool *ret_once,
                              struct err *err)
{
    struct span key, value;
    for (size_t i = 0; net_request_query_at(request, i, &key, &value); i++) {
        if (!span_is(key, "once"))
            return err_set(err, EINVAL, "there is no parameter '%.*s'",
                           (int)(key.size < 40 ? key.size : 40), key.data);
        *ret_once = span_is(value, "true");
        if (!*ret_once && !span_is(value, "false"))
            return err_set(err, EINVAL, "once: wants true or false");
    }
    return 0;
}

static int publication_begin(void *arg, struct net_request *request, void **ret_state,
                             struct err *err)
{
    (void)arg;
    const struct net_identity *identity = net_request_identity(request);
    struct span name = net_request_var(request, "name");
    bool is_once = false;
    int rc = publication_admit(identity, name, err);
    if (rc == 0)
        rc = publication_params(request, &is_once, err);
    if (rc < 0)
        return rc;
    if (!session_event_name_is_valid(name))
        return err_set(err, EINVAL,
                       "name: wants an event's name of letters, digits and _ . : -");
    if (span_starts(name, "session."))
        return err_set(err, EINVAL, "name: 'session.' is for the session's own events");
    struct publication *p = arena_alloc(net_request_arena(request), sizeof *p);
    if (!p)
        return err_set(err, ENOMEM, "out of memory");
    p->name = name;
    p->is_once = is_once;
    p->size = 0;
    p->uid = identity->is_local ? identity->uid : UINT32_MAX;
    *ret_state = p;
    return 0;
}

static int publication_data(void *state, struct net_request *request, const void *bytes,
                            size_t size, struct err *err)
{
    struct publication *p = state;
    (void)request;
    if (size > sizeof p->payload - p->size)
        return err_set(err, EMSGSIZE, "the payload may have %zu bytes",
                       sizeof p->payload);
    memcpy(p->payload + p->size, bytes, size);
    p->size += size;
    return 0;
}

static void publication_done(void *state)
{
    (void)state; /* it is in the request's arena */
}

const struct net_body publication_body = { publication_begin, publication_data,
                                           publication_done };

int publication_check(const struct publication *p, const struct net_request *request,
                      struct err *err)
{
    const struct net_identity *identity = net_request_identity(request);
    struct span cluster, rest = { p->payload, p->size };
    if ((identity->client.roles & NET_ROLE_ADMIN) || !identity->token ||
        !identity->token->cluster[0])
        return 0;
    bool has_cluster = memchr(p->payload, '/', p->size) != NULL;
    (void)span_cut(&rest, '/', &cluster);
    return has_cluster && token_may_cluster(identity->token, cluster)
               ? 0
               : err_set(err, EACCES,
                         "the token is for the cluster %s: the payload begins with %s/",
                         identity->token->cluster, identity->token->cluster);
}

void publication_make(const struct publication *p, struct session_node *node)
{
    struct err err = { 0 };
    const struct span payload = { p->payload, p->size };
    int rc = node_publish(node, p->uid, p->name, payload);
    if (rc == 0) {
        net_reply(p->request, 202, NULL, NULL);
        return;
    }
    if (rc == -EAGAIN)
        net_reply_problem(
            p->request, 429,
            "more events than [session] event_rate allows: send it again");
    else if (rc == -ENOBUFS)
        net_reply_problem(p->request, 503, "the control node is away: send it again");
    else
        net_reply_error(p->request, rc, &err);
}
