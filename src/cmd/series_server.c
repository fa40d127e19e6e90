/* SPDX-License-Identifier: Apache-2.0 */
/* series_server - a running barod as a series of what servers measured. */
#include "cmd/series_server.h"

#include "base/hashmap.h"
#include "cmd/asking.h"
#include "net/net.h"

#include <stdio.h>
#include <time.h>

#define WORD "barod"
#define NOTES_MAX 100
#define TOO_MANY 429
#define TRIES_MAX 30
#define WAIT_S_MAX 10

struct server {
    const char *name; /* the caller's */
    struct net_client *client;
    struct net_answer answer;
};

bool series_server_is(const char *name)
{
    static const char *const prefixes[] = { "unix:", "http://", "https://" };
    for (size_t i = 0; i < COUNT_OF(prefixes); i++)
        if (span_starts(span_of(name), prefixes[i]))
            return true;
    return strcmp(name, WORD) == 0;
}

/* One sender may ask so often a second; a long window asks more often than that. */
static int get_patiently(struct server *s, const char *path, struct err *err)
{
    for (unsigned tries = 0;; tries++) {
        int rc = net_client_get(s->client, path, &s->answer, err);
        if (rc < 0 || s->answer.status != TOO_MANY || tries == TRIES_MAX)
            return rc;
        int64_t wait_s = s->answer.retry_after_s;
        wait_s = wait_s < 1 ? 1 : wait_s > WAIT_S_MAX ? WAIT_S_MAX : wait_s;
        const struct timespec wait = { .tv_sec = wait_s };
        (void)nanosleep(&wait, NULL);
    }
}

static int get(void *arg, const char *path, struct span *ret, struct err *err)
{
    struct server *s = arg;
    struct err why = { 0 };
    int rc = get_patiently(s, path, &why);
    if (rc == -ENOTCONN)
        rc = asking_no_answer(&why, rc);
    else if (rc == 0)
        rc = asking_answer_check(&s->answer, &why);
    if (rc < 0)
        return err_set(err, -rc, "%s: %s", s->name, why.text);
    *ret = strbuf_span(&s->answer.body);
    return 0;
}

/* A series is opened again and again, and would say it each time. */
static void note(void *arg, const char *text)
{
    static struct hashmap told;
    const struct server *s = arg;
    bool is_new = false;
    if (told.count >= NOTES_MAX || !hashmap_put(&told, span_of(text), &is_new))
        return;
    if (is_new)
        fprintf(stderr, "baro: %s: %s\n", s->name, text);
}

static void server_close(void *arg)
{
    struct server *s = arg;
    if (!s)
        return;
    net_client_free(s->client);
    net_answer_done(&s->answer);
    free(s);
}

static void server_free(struct server *s)
{
    server_close(s);
}
DEFINE_AUTO(struct server, server_free);

int series_server_open(const char *name, const struct series_way *way,
                       const struct lmt_opts *opts, struct lmt_series **ret,
                       struct err *err)
{
    static const struct series_way none = { 0 };
    AUTO(server_free) struct server *s = calloc(1, sizeof *s);
    if (!s)
        return err_set(err, ENOMEM, "out of memory");
    way = way ? way : &none;
    s->name = name;
    const struct asking_args asking = {
        .server = strcmp(name, WORD) == 0 ? way->server : name,
        .token_file = way->token_file,
        .ca_file = way->ca_file,
    };
    const struct lmt_barod_opts barod = { .arg = s,
                                          .get = get,
                                          .note = note,
                                          .close = server_close,
                                          .clock_offset_s = opts->clock_offset_s };
    int rc = asking_client_new(&asking, &s->client, err);
    if (rc == 0)
        rc = lmt_barod_open(&barod, ret, err);
    if (rc == 0)
        s = NULL; /* the series has it */
    return rc;
}
