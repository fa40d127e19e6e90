/* SPDX-License-Identifier: Apache-2.0 */
/* ingest_only - net and ingest as a process, with nothing behind them.
 *
 *     ingest_only SOCKET     prints "PORT\n", serves until it is told to end
 *
 * Rows are counted and forgotten, slowly enough that the queue fills.
 */
#include "base/clock.h"
#include "ingest/ingest.h"

#include <signal.h>
#include <stdio.h>

static int put(void *arg, const struct jobbatch *batch, struct batch_result *ret,
               struct err *err)
{
    (void)arg;
    (void)err;
    *ret = (struct batch_result){ .accepted = batch->row_count };
    (void)usleep((useconds_t)(batch->row_count * 2));
    return 0;
}

static void answer_health(void *arg, struct net_request *request)
{
    (void)arg;
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    strbuf_adds(&body, "{\"status\":\"ok\"}");
    net_reply_json(request, 200, &body);
}

static int serve(const char *path, struct err *err)
{
    static const char *listen[] = { "127.0.0.1:0" };
    AUTO(net_server_free) struct net_server *server = NULL;
    struct net_opts opts;
    net_opts_default(&opts);
    opts.listen.items = listen;
    opts.listen.count = 1;
    opts.socket = path;
    opts.connections_max = 256;
    opts.body_budget_bytes = 64 << 20;
    opts.head_timeout_ns = 2000000000;
    opts.body_grace_ns = 2000000000;
    const struct ingest_writer_opts writer_opts = { .put = put,
                                                    .queue_bytes_max = 32 << 20 };
    const struct net_route health = { .method = "GET",
                                      .pattern = "/healthz",
                                      .handle = answer_health };
    struct ingest_writer *writer = NULL;
    struct jobstats_routes *ingest = NULL;
    int rc = ingest_writer_start(&writer_opts, &writer, err);
    if (rc == 0)
        rc = net_server_new(&opts, &server, err);
    if (rc == 0)
        rc = net_server_add_route(server, &health);
    if (rc == 0)
        rc = jobstats_routes_new(server, writer, NULL, 0, &ingest);
    if (rc == 0)
        rc = net_server_start(server, err);
    if (rc == 0) {
        sigset_t signals;
        int which;
        (void)sigemptyset(&signals);
        (void)sigaddset(&signals, SIGTERM);
        (void)sigaddset(&signals, SIGINT);
        printf("%u\n", net_server_port(server, 0));
        (void)fflush(stdout);
        (void)sigwait(&signals, &which);
        net_server_free(TAKE(server));
    }
    jobstats_routes_free(ingest);
    ingest_writer_free(writer);
    return rc;
}

int main(int argc, char **argv)
{
    struct err err = { 0 };
    sigset_t signals;
    (void)sigemptyset(&signals);
    (void)sigaddset(&signals, SIGTERM);
    (void)sigaddset(&signals, SIGINT);
    (void)pthread_sigmask(SIG_BLOCK, &signals, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
    if (argc != 2) {
        fprintf(stderr, "usage: ingest_only SOCKET\n");
        return EXIT_USAGE;
    }
    if (serve(argv[1], &err) < 0) {
        fprintf(stderr, "ingest_only: %s\n", err.text);
        return EXIT_FAILED;
    }
    return EXIT_OK;
}
