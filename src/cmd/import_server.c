/* SPDX-License-Identifier: Apache-2.0 */
/* import_server - samples to a running barod, by POST /api/write. */
#include "base/clock.h"
#include "base/number.h"
#include "cmd/export_text.h"
#include "cmd/import_target.h"

#include <math.h>

struct server {
    struct client_http *http;
    struct export_text text;
    struct err err; /* why text could not be sent */
    uint64_t bodies_with_bad_lines;
};

static void server_free(struct server *s)
{
    if (!s)
        return;
    client_http_close(s->http);
    export_text_done(&s->text);
    free(s);
}
DEFINE_AUTO(struct server, server_free);

/* What cannot be kept now is sent again: the same sample twice is one. */
static int send_lines(void *arg, struct span lines)
{
    struct server *s = arg;
    struct span body;
    int rc =
        client_http_post(s->http, "/api/write", "text/plain", lines, &body, &s->err);
    s->bodies_with_bad_lines += rc == 0 && body.size > 0;
    return rc;
}

static int put(void *state, const struct import_series *series, const double *values,
               size_t count, struct err *err)
{
    struct server *s = state;
    int rc = export_text_series(&s->text, series->path, series->metric);
    if (rc == -EINVAL)
        return 0;
    for (size_t i = 0; rc == 0 && i < count; i++) {
        if (!isnan(values[i]))
            rc = export_text_sample(
                &s->text, series->start_ns + (int64_t)i * series->step_ns, values[i]);
    }
    return rc < 0 ? err_set(err, -rc, "%s", s->err.text) : 0;
}

static int end(void *state, struct import_counts *counts, struct err *err)
{
    AUTO(server_free) struct server *s = state;
    int rc = export_text_end(&s->text, err);
    *counts = (struct import_counts){
        .samples = s->text.samples,
        .refused = s->bodies_with_bad_lines,
        .unsaid_series = s->text.unsaid_series,
    };
    return rc < 0 ? err_set(err, -rc, "%s", s->err.text) : 0;
}

int import_into_server(const struct client_endpoint *endpoint,
                       struct import_target *ret, struct err *err)
{
    AUTO(server_free) struct server *s = calloc(1, sizeof *s);
    if (!s)
        return err_set(err, ENOMEM, "out of memory");
    s->text.form = EXPORT_LINE;
    s->text.write = send_lines;
    s->text.write_arg = s;
    int rc = client_http_open(endpoint, &s->http, err);
    if (rc == 0)
        *ret = (struct import_target){ .put = put, .end = end, .state = TAKE(s) };
    return rc;
}
