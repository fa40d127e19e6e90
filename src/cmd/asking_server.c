/* SPDX-License-Identifier: Apache-2.0 */
/* asking_server - answers from barod, over REST. */
#include "base/file.h"
#include "base/secret.h"
#include "cmd/asking_way.h"
#include "net/net.h"

#include <stdlib.h>

#define TOKEN_FILE_MAX 8192

struct remote {
    struct net_client *client;
    struct net_answer answer;
};

static void remote_close(void *state)
{
    struct remote *r = state;
    if (!r)
        return;
    net_client_free(r->client);
    net_answer_done(&r->answer);
    free(r);
}

static void remote_free(struct remote *r)
{
    remote_close(r);
}
DEFINE_AUTO(struct remote, remote_free);

static const char *or_environment(const char *value, const char *name)
{
    return value ? value : getenv(name);
}

static const char *server_url(const struct asking_args *args)
{
    const char *url = or_environment(args->server, "BARO_SERVER");
    return url && *url ? url : ASKING_SERVER_DEFAULT;
}

int asking_client_new(const struct asking_args *args, struct net_client **ret,
                      struct err *err)
{
    AUTO(strbuf_done) struct strbuf token = STRBUF_INIT;
    const char *token_file = or_environment(args->token_file, "BARO_TOKEN_FILE");
    if (token_file && *token_file) {
        int rc = secret_read(token_file, TOKEN_FILE_MAX, &token, err);
        if (rc < 0)
            return rc;
        struct span text = span_trim(strbuf_span(&token));
        token.data[text.data + text.size - token.data] = '\0';
    }
    struct net_client_opts opts = { .url = server_url(args),
                                    .token = strbuf_text(&token),
                                    .ca_file = args->ca_file };
    return net_client_new(&opts, ret, err);
}

int asking_no_answer(struct err *err, int rc)
{
    return err_prefix(err, rc,
                      "no answer (is barod running? --server or BARO_SERVER says "
                      "where)");
}

int asking_answer_check(const struct net_answer *answer, struct err *err)
{
    int rc = net_answer_check(answer, err);
    if (answer->status != 401)
        return rc;
    struct err why = *err;
    return err_set(err, -rc, "%s; see --token-file", why.text);
}

int asking_get(const struct asking_args *args, const char *path, struct net_answer *ret,
               struct err *err)
{
    AUTO(net_client_free) struct net_client *client = NULL;
    int rc = asking_client_new(args, &client, err);
    if (rc == 0)
        rc = net_client_get(client, path, ret, err);
    if (rc == -ENOTCONN)
        return asking_no_answer(err, rc);
    return rc < 0 ? rc : asking_answer_check(ret, err);
}

static int remote_open(const struct asking_args *args, void **ret, struct err *err)
{
    AUTO(remote_free) struct remote *r = calloc(1, sizeof *r);
    if (!r)
        return -ENOMEM;
    int rc = asking_client_new(args, &r->client, err);
    if (rc < 0)
        return rc;
    *ret = TAKE(r);
    return 0;
}

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           strchr("-._~", c);
}

static void add_encoded(struct span text, struct strbuf *out)
{
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (c && is_plain(c))
            strbuf_addc(out, c);
        else
            strbuf_addf(out, "%%%02X", (unsigned)(unsigned char)c);
    }
}

/* path?name=value&..., without the pair called leave_out. */
static void add_query(const struct asking_pairs *pairs, const char *leave_out,
                      struct strbuf *out)
{
    char separator = '?';
    for (size_t i = 0; i < pairs->count; i++) {
        if (leave_out && strcmp(pairs->items[i].name, leave_out) == 0)
            continue;
        strbuf_addf(out, "%c%s=", separator, pairs->items[i].name);
        add_encoded(pairs->items[i].value, out);
        separator = '&';
    }
}

static int get(struct remote *r, const struct strbuf *path, struct err *err)
{
    if (strbuf_error(path))
        return -ENOMEM;
    int rc = net_client_get(r->client, strbuf_text(path), &r->answer, err);
    if (rc == -ENOTCONN)
        return asking_no_answer(err, rc);
    return rc < 0 ? rc : asking_answer_check(&r->answer, err);
}

static int remote_table(void *state, enum asking_question question,
                        const struct asking_pairs *pairs, struct table *ret,
                        struct err *err)
{
    static const char *const paths[] = {
        [ASKING_TOP] = "/v1/jobstats/top",
        [ASKING_RATES] = "/v1/jobstats/rates",
        [ASKING_SERIES] = "/v1/jobstats/series",
    };
    struct remote *r = state;
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    strbuf_adds(&path, paths[question]);
    add_query(pairs, NULL, &path);
    int rc = get(r, &path, err);
    return rc < 0 ? rc : table_from_json(strbuf_span(&r->answer.body), ret, err);
}

static int remote_job(void *state, const struct asking_pairs *pairs,
                      struct table *parts, struct err *err)
{
    struct remote *r = state;
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    strbuf_adds(&path, "/v1/jobstats/job/");
    for (size_t i = 0; i < pairs->count; i++)
        if (strcmp(pairs->items[i].name, "job") == 0)
            add_encoded(pairs->items[i].value, &path);
    add_query(pairs, "job", &path);
    int rc = get(r, &path, err);
    return rc < 0 ? rc : ask_job_from_json(strbuf_span(&r->answer.body), parts, err);
}

const struct asking_way asking_way_server = {
    .open = remote_open,
    .close = remote_close,
    .table = remote_table,
    .job = remote_job,
};
