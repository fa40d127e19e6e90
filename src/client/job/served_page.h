/* SPDX-License-Identifier: Apache-2.0 */
/* served_page - the page of a job as a barod makes it, out of all that it knows.
 *
 *     "4711"       ─▶ GET /v1/jobs/4711
 *     "alex/4711"  ─▶ GET /v1/jobs/4711?cluster=alex
 *     two and more ─▶ GET /v1/diff?jobs=4711,alex/4712
 */
#ifndef CLIENT_JOB_SERVED_PAGE_H
#define CLIENT_JOB_SERVED_PAGE_H

#include "base/strbuf.h"
#include "client/client.h"

/* Whether the page is to be served: text is CLUSTER/ID (one '/', no file of that name,
 * no log's), or an id that job_operand_find() failed to find (rc). */
bool job_is_served(const struct client_endpoint *endpoint, const char *text, int rc);

struct job_page_request {
    const char *cluster; /* of the job; NULL: any */
    const char *id;      /* or CLUSTER/ID */
    const char *step;    /* of the job; NULL: all of it */
    const char *form;    /* json, text, html, line or js1 */
};

/* Append the page to ret, byte for byte as served.  Errors: -EINVAL (endpoint is a
 * database, the form), -ENOENT (nothing is known of it: err says what was asked where),
 * those of client/http.h. */
int job_served_page(const struct client_endpoint *endpoint,
                    const struct job_page_request *page, struct strbuf *ret,
                    struct err *err);

struct job_diff_request {
    const char *cluster; /* of jobs that name none; NULL: any */
    const char *const *ids;
    size_t count;
    uint64_t floor_percent; /* 0: the default */
    const char *form;       /* table, json or csv; NULL: table */
};

/* In what they differ.  Errors: -ENOENT (they are not all ids, or the log of one is not
 * found there), -EINVAL (the form), those of client/http.h. */
int job_served_diff(const struct client_endpoint *endpoint,
                    const struct job_diff_request *diff, struct strbuf *ret,
                    struct err *err);

#endif
