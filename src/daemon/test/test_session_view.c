/* SPDX-License-Identifier: Apache-2.0 */
/* test_session_view - requests about a session of two nodes, and barod stops among
 * them.
 *
 * What it is for shows under AddressSanitizer and ThreadSanitizer: the other node's
 * responses come while requests are made, and while what waits is ended.
 */
#include "base/number.h"
#include "base/span.h"
#include "base/test/scratch.h"
#include "daemon/test/house.h"

#include <stdatomic.h>

#define CLIENTS 4

static struct house house, peer; /* the peer: its configuration alone */

struct client {
    pthread_t thread;
    const char *path;
    unsigned ok, ended;
};

static void *client_run(void *arg)
{
    struct client *c = arg;
    struct net_client *client = NULL;
    struct net_response response = { 0 };
    const struct net_client_opts opts = { .url = house.url,
                                          .timeout_ns = 60 * NS_PER_S };
    int rc = net_client_new(&opts, &client, NULL);
    while (rc == 0 && c->ended == 0) {
        rc = net_client_get(client, c->path, &response, NULL);
        c->ok += rc == 0 && response.status == 200;
        c->ended += rc == 0 && response.status != 200;
    }
    net_response_done(&response);
    net_client_free(client);
    return NULL;
}

static bool both_are_online(void)
{
    return house_get(&house, "/v1/session") == 200 &&
           strstr(strbuf_text(&house.response.body), "\"rank[0-1]\"") != NULL;
}

static void load(struct house *h, const char *path, int rank)
{
    AUTO(strbuf_done) struct strbuf more = STRBUF_INIT;
    char name[140];
    (void)snprintf(name, sizeof name, "%s%d", path, rank);
    strbuf_addf(&more,
                "[store]\ndirectory = none\n[metric load]\nstep = 10s\n"
                "[session]\nsize = 2\nrank = %d\naddress = unix:%s.%%r\n"
                "heartbeat = 200ms\nperiod = 1s\nlead = 300ms\ndeadline = 900ms\n"
                "state = %s.state\n",
                rank, path, path);
    house_load(h, name, strbuf_text(&more));
}

static void barod_stops_among_requests(void **state)
{
    struct client clients[CLIENTS] = { { .path = "/v1/session/nodes" },
                                       { .path = "/v1/session/nodes" },
                                       { .path = "/v1/events?after=999.1&wait=20ms" },
                                       { .path = "/v1/events?after=999.1&wait=60s" } };
    const struct session_callbacks none = { 0 };
    struct err err = { 0 };
    struct session *other = NULL;
    char path[128];
    (void)state;
    (void)snprintf(path, sizeof path, "%s", scratch_path("view"));
    load(&house, path, 0);
    load(&peer, path, 1);
    if (house_start(&house, &err) < 0 ||
        session_start(&peer.d.setup.opts.session, &none, &other, &err) < 0)
        fail_msg("%s", err.text);
    for (int i = 0; i < 1000 && !both_are_online(); i++)
        (void)usleep(10000);
    assert_true(both_are_online());
    for (size_t i = 0; i < CLIENTS; i++)
        assert_int_equal(
            pthread_create(&clients[i].thread, NULL, client_run, &clients[i]), 0);
    (void)usleep(500000);
    house_stop(&house);
    for (size_t i = 0; i < CLIENTS; i++)
        (void)pthread_join(clients[i].thread, NULL);
    session_stop(other);
    daemon_setup_done(&peer.d.setup);
    assert_true(clients[0].ok > 0 && clients[1].ok > 0 && clients[2].ok > 0);
    assert_int_equal(clients[3].ended, 1); /* a 503, and not after a minute */
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(barod_stops_among_requests) };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
