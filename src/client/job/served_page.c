/* SPDX-License-Identifier: Apache-2.0 */
/* served_page - the page of a job as a barod makes it, out of all that it knows. */
#include "client/job/served_page.h"

#include "base/span.h"
#include "client/job/operand.h"

#include <errno.h>
#include <unistd.h>

bool job_is_served(const struct client_endpoint *endpoint, const char *text, int rc)
{
    return !endpoint->records && ((strchr(text, '/') && job_operand_is_id(text)) ||
                                  (rc == -ENOENT && !job_operand_is_log(text)));
}

static int page_request(const struct client_endpoint *endpoint,
                        const struct job_page_request *page, struct strbuf *ret,
                        struct err *err)
{
    AUTO(net_url_done) struct net_url url = { 0 };
    AUTO(client_http_close) struct client_http *http = NULL;
    struct span body;
    const char *form = page->form;
    net_url_init(&url, "/v1/jobs");
    net_url_add_segment(&url, span_of(page->id));
    bool is_html = strcmp(form, "html") == 0;
    if (is_html)
        net_url_add_segment(&url, span_of("page"));
    net_url_add(&url, "cluster", page->cluster);
    net_url_add(&url, "step", page->step);
    net_url_add(&url, "format", is_html || strcmp(form, "json") == 0 ? NULL : form);
    int rc = client_http_open(endpoint, &http, err);
    if (rc == 0)
        rc = client_http_get_url(http, &url, &body, err);
    if (rc == 0)
        strbuf_add_span(ret, body);
    return rc < 0 ? rc : strbuf_error(ret);
}

int job_served_page(const struct client_endpoint *endpoint,
                    const struct job_page_request *page, struct strbuf *ret,
                    struct err *err)
{
    static const char *const forms[] = { "json", "text", "html", "line", "js1" };
    AUTO_FREE char *copy = strdup(page->id);
    char *slash = copy ? strchr(copy, '/') : NULL;
    struct job_page_request request = *page;
    bool is_form = false;
    int rc = 0;
    if (!copy)
        return err_set(err, ENOMEM, "out of memory");
    if (endpoint->records)
        return err_set(err, EINVAL,
                       "job %s: a database has no metrics: name a barod (--server)",
                       page->id);
    for (size_t i = 0; i < COUNT_OF(forms); i++)
        is_form = is_form || strcmp(page->form, forms[i]) == 0;
    if (!is_form)
        return err_set(err, EINVAL,
                       "--output: invalid value '%s' (choose text, json, html)",
                       page->form);
    if (!slash && (rc = page_request(endpoint, page, ret, err)) != -ENOENT)
        return rc;
    if (!slash && page->step) /* what is missing may be the step alone */
        return rc;
    if (!slash)
        return err_set(
            err, ENOENT,
            "'%s' is not a file, and %s has no job of that id%s%s: no summary "
            "('baro job summarize --server'), no run ('baro job import "
            "--server'), no rows of jobstats",
            page->id, client_endpoint_url(endpoint),
            page->cluster ? " on cluster " : "", page->cluster ? page->cluster : "");
    *slash = '\0';
    request.cluster = copy;
    request.id = slash + 1;
    return page_request(endpoint, &request, ret, err);
}

int job_served_diff(const struct client_endpoint *endpoint,
                    const struct job_diff_request *diff, struct strbuf *ret,
                    struct err *err)
{
    AUTO(net_url_done) struct net_url url = { 0 };
    AUTO(client_http_close) struct client_http *http = NULL;
    AUTO(strbuf_done) struct strbuf jobs = STRBUF_INIT;
    char floor[24];
    struct span body;
    for (size_t i = 0; i < diff->count; i++) {
        if (!job_operand_is_id(diff->ids[i]))
            return err_set(err, ENOENT, "'%s' is not the id of a job", diff->ids[i]);
        strbuf_addf(&jobs, "%s%s", i > 0 ? "," : "", diff->ids[i]);
    }
    if (strbuf_error(&jobs) < 0)
        return err_set(err, ENOMEM, "out of memory");
    (void)snprintf(floor, sizeof floor, "%llu",
                   (unsigned long long)diff->floor_percent);
    bool is_text = !diff->form || strcmp(diff->form, "table") == 0;
    net_url_init(&url, "/v1/diff");
    net_url_add(&url, "jobs", strbuf_text(&jobs));
    net_url_add(&url, "cluster", diff->cluster);
    net_url_add(&url, "floor", diff->floor_percent ? floor : NULL);
    net_url_add(&url, "format", is_text ? "text" : diff->form);
    int rc = client_http_open(endpoint, &http, err);
    if (rc == 0)
        rc = client_http_get_url(http, &url, &body, err);
    if (rc == 0)
        strbuf_add_span(ret, body);
    return rc < 0 ? rc : strbuf_error(ret);
}
