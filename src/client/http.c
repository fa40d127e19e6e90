/* SPDX-License-Identifier: Apache-2.0 */
/* http - one connection to a barod: requests, and what their responses mean. */
#include "client/http.h"

#include "base/span.h"

#include "base/system/secret.h"
#include "net/net.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TOKEN_FILE_BYTES_MAX 8192
#define STATUS_BAD_REQUEST 400
#define STATUS_UNAUTHORIZED 401
#define STATUS_FORBIDDEN 403
#define STATUS_NOT_FOUND 404
#define STATUS_TOO_MANY 429
#define TRIES_MAX 30
#define WAIT_S_MAX 10

struct client_http {
    struct net_client *client;
    struct net_response response;
};

/* ---- opening ---- */

static int token_read(const struct client_endpoint *endpoint, struct strbuf *ret,
                      struct err *err)
{
    const char *path =
        endpoint->token_file ? endpoint->token_file : getenv("BARO_TOKEN_FILE");
    if (!path || !*path)
        return 0;
    int rc = secret_read(path, TOKEN_FILE_BYTES_MAX, ret, err);
    if (rc < 0)
        return rc;
    struct span token = span_trim(strbuf_span(ret));
    memmove(ret->data, token.data, token.size);
    ret->size = token.size;
    ret->data[token.size] = '\0';
    return 0;
}

int client_http_open(const struct client_endpoint *endpoint, struct client_http **ret,
                     struct err *err)
{
    AUTO(strbuf_done) struct strbuf token = STRBUF_INIT;
    AUTO(client_http_close) struct client_http *http = calloc(1, sizeof *http);
    if (!http)
        return err_set(err, ENOMEM, "out of memory");
    int rc = token_read(endpoint, &token, err);
    if (rc < 0)
        return rc;
    struct net_client_opts opts = { .url = client_endpoint_url(endpoint),
                                    .token = strbuf_text(&token),
                                    .ca_file = endpoint->ca_file,
                                    .connect_timeout_ns = endpoint->timeout_ns,
                                    .timeout_ns = endpoint->timeout_ns };
    rc = net_client_new(&opts, &http->client, err);
    if (rc == 0)
        *ret = TAKE(http);
    return rc;
}

void client_http_close(struct client_http *http)
{
    if (!http)
        return;
    net_client_free(http->client);
    net_response_done(&http->response);
    free(http);
}

/* ---- requests ---- */

static bool is_json(const struct net_response *response)
{
    return strstr(response->content_type, "json") != NULL;
}

/* rc: of the transfer.  Which option helps is the client's to say. */
static int response_check(struct client_http *http, int rc, struct span *ret,
                          struct err *err)
{
    if (rc == -ENOTCONN)
        return err_prefix(err, rc,
                          "no response (is barod running? --server or BARO_SERVER "
                          "names another address)");
    if (rc == 0)
        rc = net_response_check(&http->response, err);
    if (rc < 0 && err && http->response.status == STATUS_UNAUTHORIZED) {
        struct err why = *err;
        rc = err_set(err, -rc, "%s; see --token-file", why.text);
    }
    if (rc < 0 && err && http->response.status == STATUS_NOT_FOUND &&
        !is_json(&http->response)) {
        struct err why = *err;
        rc = err_set(err, -rc,
                     "%s, and not as a barod does: --server or BARO_SERVER names "
                     "another address",
                     why.text);
    }
    if (rc < 0 && err && http->response.status == STATUS_FORBIDDEN) {
        struct err why = *err;
        rc = err_set(err, -rc,
                     "%s; --token-file names the token of another role, which an "
                     "admin of the site makes with 'baro token new --role'",
                     why.text);
    }
    if (rc == 0)
        *ret = strbuf_span(&http->response.body);
    return rc;
}

static void wait_as_told(const struct client_http *http)
{
    int64_t wait_s = http->response.retry_after_s;
    wait_s = wait_s < 1 ? 1 : wait_s > WAIT_S_MAX ? WAIT_S_MAX : wait_s;
    const struct timespec wait = { .tv_sec = wait_s };
    (void)nanosleep(&wait, NULL);
}

int client_http_get(struct client_http *http, const char *path, struct span *ret,
                    struct err *err)
{
    http->response.status = 0;
    int rc = net_client_get(http->client, path, &http->response, err);
    return response_check(http, rc, ret, err);
}

int client_http_get_url(struct client_http *http, const struct net_url *url,
                        struct span *ret, struct err *err)
{
    if (strbuf_error(&url->text) < 0)
        return err_set(err, ENOMEM, "out of memory");
    return client_http_get(http, strbuf_text(&url->text), ret, err);
}

int client_http_get_typed(struct client_http *http, const struct net_url *url,
                          struct span *ret, struct err *err)
{
    int rc = client_http_get_url(http, url, ret, err);
    bool is_misuse = rc == -EBADMSG && http->response.status == STATUS_BAD_REQUEST &&
                     is_json(&http->response);
    return is_misuse ? -EINVAL : rc;
}

int client_http_get_paced(struct client_http *http, const char *path, struct span *ret,
                          struct err *err)
{
    int rc = client_http_get(http, path, ret, err);
    for (unsigned i = 1; rc == -EAGAIN && i < TRIES_MAX; i++) {
        if (http->response.status != STATUS_TOO_MANY)
            break;
        wait_as_told(http);
        rc = client_http_get(http, path, ret, err);
    }
    return rc;
}

int client_http_get_with(struct client_http *http, const char *path, struct span body,
                         struct span *ret, struct err *err)
{
    http->response.status = 0;
    int rc = net_client_get_with(http->client, path, "application/json", body,
                                 &http->response, err);
    return response_check(http, rc, ret, err);
}

int client_http_post(struct client_http *http, const char *path,
                     const char *content_type, struct span body, struct span *ret,
                     struct err *err)
{
    int rc = -EAGAIN;
    for (unsigned i = 0; rc == -EAGAIN && i < TRIES_MAX; i++) {
        if (i > 0)
            wait_as_told(http);
        http->response.status = 0;
        rc = net_client_post(http->client, path, content_type, NULL, body,
                             &http->response, err);
        rc = response_check(http, rc, ret, err);
    }
    return rc;
}

bool client_http_has_more(const struct client_http *http)
{
    return http->response.has_more;
}

/* ---- one request on a connection of its own ---- */

int client_http_fetch(const struct client_endpoint *endpoint, const char *path,
                      struct strbuf *ret, struct err *err)
{
    AUTO(client_http_close) struct client_http *http = NULL;
    struct span body = { 0 };
    int rc = client_http_open(endpoint, &http, err);
    if (rc == 0)
        rc = client_http_get(http, path, &body, err);
    if (rc < 0)
        return rc;
    strbuf_add_span(ret, body);
    return strbuf_error(ret) < 0 ? err_set(err, ENOMEM, "out of memory") : 0;
}

int client_http_fetch_table(const struct client_endpoint *endpoint,
                            const struct net_url *url, struct table *ret,
                            struct err *err)
{
    AUTO(client_http_close) struct client_http *http = NULL;
    struct span body = { 0 };
    int rc = client_http_open(endpoint, &http, err);
    if (rc == 0)
        rc = client_http_get_typed(http, url, &body, err);
    return rc < 0 ? rc : table_from_json(body, ret, err);
}
