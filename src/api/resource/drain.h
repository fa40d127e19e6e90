/* SPDX-License-Identifier: Apache-2.0 */
/* drain - what an administrator states of hosts or of a component: drained, or resumed.
 *
 * Threads  drain_read: an HTTP thread's; drain_run, drain_done: the writer's.
 */
#ifndef API_RESOURCE_DRAIN_H
#define API_RESOURCE_DRAIN_H

#include "api/resource/resource.h"

struct drain {
    const struct resource_routes_opts *opts;
    struct net_request *request;
    struct arena arena; /* texts and statements */
    struct resource_statement *statements;
    size_t count, capacity;
    struct submission_result result;
};

/* The statements that the request's parameters are: hosts and cluster, or component;
 * and reason.  is_resume: what was drained ends.  Errors: -EINVAL, -ENOENT (no host of
 * that name is known, and no cluster is named), -EAGAIN, -ENOMEM. */
int drain_read(const struct resource_routes_opts *opts, struct net_request *request,
               bool is_resume, struct drain **ret, struct err *err);
void drain_free(struct drain *drain);
/* A task of the writer: stores, and replies. */
int drain_run(void *arg, struct err *err);
void drain_done(void *arg, int rc, const struct err *err);

#endif
