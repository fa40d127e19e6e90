/* SPDX-License-Identifier: Apache-2.0 */
/* server_target - imported samples to a running barod, by POST /api/write. */
#include "migrate/server_target.h"

#include "migrate/sample_text.h"

#include <math.h>
#include <stdlib.h>

struct server {
    struct http_peer peer;
    struct sample_text text;
    uint64_t bad_requests; /* with lines that were refused */
};

static void server_free(struct server *s)
{
    if (!s)
        return;
    sample_text_done(&s->text);
    free(s);
}
DEFINE_AUTO(struct server, server_free);

/* barod's response to a write is empty unless it refused a line. */
static int send_lines(void *arg, struct span lines, struct err *err)
{
    struct server *s = arg;
    struct span response;
    int rc = s->peer.post(s->peer.arg, "/api/write", lines, &response, err);
    s->bad_requests += rc == 0 && response.size > 0;
    return rc;
}

static int put_in_server(void *state, const struct import_series *series,
                         const double *values, size_t count, struct err *err)
{
    struct server *s = state;
    int rc = sample_text_series(&s->text, series->path, series->metric);
    if (rc == -EINVAL)
        return 0; /* counted there */
    if (rc < 0)
        return err_set(err, -rc, "out of memory");
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = sample_text_add(&s->text, series->start_ns + (int64_t)i * series->step_ns,
                             values[i], err);
    return rc;
}

static int end_server(void *state, struct import_target_counts *counts, struct err *err)
{
    AUTO(server_free) struct server *s = state;
    int rc = sample_text_end(&s->text, err);
    *counts = (struct import_target_counts){
        .samples = s->text.samples,
        .refused = s->bad_requests,
        .skipped_series = s->text.skipped_series,
    };
    return rc;
}

int server_target_open(const struct http_peer *peer, struct import_target *ret,
                       struct err *err)
{
    struct server *s = calloc(1, sizeof *s);
    if (!s)
        return err_set(err, ENOMEM, "out of memory");
    s->peer = *peer;
    s->text.form = SAMPLE_TEXT_LINE;
    s->text.write = send_lines;
    s->text.write_arg = s;
    *ret = (struct import_target){ put_in_server, end_server, s };
    return 0;
}
