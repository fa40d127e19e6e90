/* SPDX-License-Identifier: Apache-2.0 */
/* served_page - the page of a job as a barod makes it, out of all that it knows. */
#include "client/job/served_page.h"

#include "base/span.h"
#include "client/job/operand.h"

#include <unistd.h>

static bool is_of_cluster(const char *text)
{
    const char *slash = strchr(text, '/');
    return slash && slash > text && text[0] != '.' && slash[1] &&
           !strchr(slash + 1, '/') && !span_ends(span_of(text), ".darshan") &&
           access(text, F_OK) < 0;
}

bool job_is_served(const struct client_endpoint *endpoint, const char *text, int rc)
{
    return !endpoint->records &&
           (is_of_cluster(text) || (rc == -ENOENT && !job_operand_is_log(text)));
}

static int page_request(const struct client_endpoint *endpoint, const char *cluster,
                        const char *id, const char *form, struct strbuf *ret,
                        struct err *err)
{
    AUTO(net_url_done) struct net_url url = { 0 };
    AUTO(client_http_close) struct client_http *http = NULL;
    struct span body;
    net_url_init(&url, "/v1/jobs");
    net_url_add_segment(&url, span_of(id));
    net_url_add(&url, "cluster", cluster);
    net_url_add(&url, "format", strcmp(form, "json") == 0 ? NULL : form);
    int rc = client_http_open(endpoint, &http, err);
    if (rc == 0)
        rc = client_http_get_url(http, &url, &body, err);
    if (rc == 0)
        strbuf_add_span(ret, body);
    return rc < 0 ? rc : strbuf_error(ret);
}

int job_served_page(const struct client_endpoint *endpoint, const char *cluster,
                    const char *id, const char *form, struct strbuf *ret,
                    struct err *err)
{
    AUTO_FREE char *copy = strdup(id);
    char *slash = copy ? strchr(copy, '/') : NULL;
    int rc = 0;
    if (!copy)
        return err_set(err, ENOMEM, "out of memory");
    if (endpoint->records)
        return err_set(err, EINVAL,
                       "job %s: a database has no metrics: name a barod (--server)",
                       id);
    if (strcmp(form, "json") != 0 && strcmp(form, "text") != 0 &&
        strcmp(form, "line") != 0)
        return err_set(err, EINVAL, "--output: '%s' is neither text nor json", form);
    if (!slash &&
        (rc = page_request(endpoint, cluster, copy, form, ret, err)) != -ENOENT)
        return rc;
    if (!slash)
        return err_set(
            err, ENOENT,
            "'%s' is not a file, and %s has no job of that id%s%s: no summary "
            "('baro job summarize --server'), no run ('baro job import "
            "--server'), no rows of jobstats",
            id, client_endpoint_url(endpoint), cluster ? " on cluster " : "",
            cluster ? cluster : "");
    *slash = '\0';
    return page_request(endpoint, copy, slash + 1, form, ret, err);
}
