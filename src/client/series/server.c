/* SPDX-License-Identifier: Apache-2.0 */
/* server - a running barod as a series of what servers measured. */
#include "client/series/server.h"

#include "base/hashmap.h"
#include "base/span.h"
#include "client/client.h"

#include <stdio.h>

#define NOTES_MAX 100

struct server {
    const char *name; /* the caller's */
    struct series_opts way;
    struct client_http *http;
};

bool series_server_is(const char *name)
{
    return client_endpoint_is_server(name);
}

static int get(void *arg, const char *path, struct span *ret, struct err *err)
{
    struct server *s = arg;
    struct err why = { 0 };
    int rc = client_http_get_paced(s->http, path, ret, &why);
    if (rc < 0)
        return err_set(err, -rc, "%s: %s", s->name, why.text);
    return 0;
}

/* A series is opened again and again, and would log it each time. */
static void note(void *arg, const char *text)
{
    static struct hashmap logged;
    const struct server *s = arg;
    bool is_new = false;
    if (logged.count >= NOTES_MAX || !hashmap_put(&logged, span_of(text), &is_new))
        return;
    if (is_new)
        series_log(&s->way, "%s: %s", s->name, text);
}

static void server_close(void *arg)
{
    struct server *s = arg;
    if (!s)
        return;
    client_http_close(s->http);
    free(s);
}

static void server_free(struct server *s)
{
    server_close(s);
}
DEFINE_AUTO(struct server, server_free);

int series_server_open(const char *name, const struct series_opts *way,
                       const struct lmt_opts *opts, struct lmt_series **ret,
                       struct err *err)
{
    static const struct series_opts none = { 0 };
    AUTO(server_free) struct server *s = calloc(1, sizeof *s);
    if (!s)
        return err_set(err, ENOMEM, "out of memory");
    way = way ? way : &none;
    s->name = name;
    s->way = *way;
    const struct client_endpoint endpoint = {
        .server = way->server,
        .token_file = way->token_file,
        .ca_file = way->ca_file,
    };
    const struct client_endpoint named = client_endpoint_named(name, &endpoint);
    const struct lmt_barod_opts barod = { .arg = s,
                                          .get = get,
                                          .note = note,
                                          .close = server_close,
                                          .clock_offset_s = opts->clock_offset_s };
    int rc = client_http_open(&named, &s->http, err);
    if (rc == 0)
        rc = lmt_barod_open(&barod, ret, err);
    if (rc == 0)
        s = NULL; /* the series has it */
    return rc;
}
