/* SPDX-License-Identifier: Apache-2.0 */
/* progress - whether a job goes on, by the record of its batch system. */
#include "client/job/progress.h"

#include "base/span.h"
#include "client/job/database.h"
#include "source/scheduler/scheduler.h"

static int run_note(void *arg, const struct job *run)
{
    enum job_progress *progress = arg;
    *progress =
        run->end_ns == JOB_TIME_NONE ? JOB_PROGRESS_GOES_ON : JOB_PROGRESS_ENDED;
    return 0;
}

static int run_request(const struct client_endpoint *endpoint, const char *cluster,
                       const char *id, struct strbuf *ret, struct err *err)
{
    AUTO(net_url_done) struct net_url url = { 0 };
    AUTO(client_http_close) struct client_http *http = NULL;
    struct span lines;
    net_url_init(&url, "/v1/jobs");
    net_url_add(&url, "id", id);
    net_url_add(&url, "cluster", cluster);
    net_url_add(&url, "limit", "1");
    net_url_add(&url, "format", "lines");
    int rc = client_http_open(endpoint, &http, err);
    if (rc == 0)
        rc = client_http_get_url(http, &url, &lines, err);
    if (rc == 0)
        strbuf_add_span(ret, lines);
    return rc < 0 ? rc : strbuf_error(ret);
}

int job_progress_read(const struct client_endpoint *endpoint, const char *cluster,
                      const char *id, enum job_progress *ret, struct err *err)
{
    AUTO(arena_done) struct arena arena = { 0 };
    AUTO(strbuf_done) struct strbuf lines = STRBUF_INIT;
    AUTO_FREE char *copy = strdup(id);
    char *slash = copy ? strchr(copy, '/') : NULL;
    enum job_progress progress = JOB_PROGRESS_UNKNOWN;
    struct span rest, line;
    struct job run = { 0 };
    if (!copy)
        return err_set(err, ENOMEM, "out of memory");
    int rc;
    if (endpoint->records) {
        rc = job_database_run(endpoint, cluster, id, run_note, &progress, err);
    } else {
        if (slash)
            *slash = '\0';
        rc = run_request(endpoint, slash ? copy : cluster, slash ? slash + 1 : copy,
                         &lines, err);
        rest = strbuf_span(&lines);
        (void)span_cut(&rest, '\n', &line);
        arena_init(&arena, 0);
        if (rc == 0 && line.size > 0) {
            rc = job_line_read(line, &arena, &run, err);
            rc = rc < 0 ? err_prefix(err, rc, "the server's response")
                        : run_note(&progress, &run);
        }
    }
    if (rc == 0)
        *ret = progress;
    return rc;
}
