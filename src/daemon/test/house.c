/* SPDX-License-Identifier: Apache-2.0 */
/* house - a barod within a test. */
#include "daemon/test/house.h"

#include "base/file.h"
#include "base/log.h"
#include "base/number.h"
#include "base/span.h"

void house_load(struct house *h, const char *path, const char *more)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    const struct option_list no_options = { 0 };
    const struct daemon_args args = { .config = h->config, .set = &no_options };
    struct err err = { 0 };
    *h = (struct house){ 0 };
    (void)snprintf(h->config, sizeof h->config, "%s.conf", path);
    (void)snprintf(h->socket, sizeof h->socket, "%s.sock", path);
    (void)snprintf(h->records, sizeof h->records, "%s.db", path);
    (void)snprintf(h->url, sizeof h->url, "unix:%s", h->socket);
    strbuf_addf(&text,
                "[records]\nengine = sqlite\npath = %s\n"
                "[net]\nlisten = none\nsocket = %s\nthreads = 1\n%s",
                h->records, h->socket, more);
    assert_int_equal(file_replace(h->config, text.data, text.size, 0600, NULL), 0);
    if (daemon_setup_load(&args, &h->d.setup, &err) < 0)
        fail_msg("%s", err.text);
    log_set_level(LOG_LEVEL_ERROR);
}

int house_start(struct house *h, struct err *err)
{
    assert_int_equal(uv_loop_init(&h->d.loop), 0);
    h->d.has_loop = true;
    int rc = daemon_start(&h->d, err);
    if (rc < 0)
        return rc;
    const struct net_client_opts opts = { .url = h->url, .timeout_ns = 60 * NS_PER_S };
    return net_client_new(&opts, &h->client, err);
}

void house_stop(struct house *h)
{
    net_client_free(h->client);
    net_response_done(&h->response);
    daemon_stop(&h->d);
}

unsigned house_get(struct house *h, const char *path)
{
    struct err err = { 0 };
    if (net_client_get(h->client, path, &h->response, &err) < 0)
        fail_msg("%s", err.text);
    return h->response.status;
}

unsigned house_post(struct house *h, const char *path, const char *type,
                    const char *body)
{
    struct err err = { 0 };
    if (net_client_post(h->client, path, type, NULL, span_of(body), &h->response,
                        &err) < 0)
        fail_msg("%s", err.text);
    return h->response.status;
}
