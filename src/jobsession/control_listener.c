/* SPDX-License-Identifier: Apache-2.0 */
/* control_listener - the socket in a session's directory by which its control process
 * serves its owner. */
#include "jobsession/control_listener.h"

#include "base/span.h"
#include "base/table/table.h"
#include "jobsession/children.h"
#include "net/net.h"

#include <fcntl.h>
#include <sys/un.h>

/* A person, her scripts: no more than that comes at once. */
enum { OWNER_CONNECTIONS = 32, OWNER_RATE = 100, OWNER_BURST = 1000 };

struct control_listener {
    struct control_listener_opts opts;
    struct net_opts net;
    struct net_server *server;
    char url[CONTROL_URL_SIZE];
    int dir_fd;
};

/* ---- POST /v1/session/stop ---- */

static void handle_stop(void *arg, struct net_request *request)
{
    const struct control_listener *l = arg;
    if (!l->opts.stop_fn) {
        net_reply_problem(request, 409,
                          "this session ends with the command of its baro session run");
        return;
    }
    l->opts.stop_fn(l->opts.arg, net_request_identity(request)->uid);
    net_reply(request, 202, NULL, NULL);
}

/* ---- GET /v1/sessions ---- */

static void handle_children(void *arg, struct net_request *request)
{
    const struct control_listener *l = arg;
    AUTO(table_done) struct table table;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    table_init(&table);
    children_table(l->opts.dir, &table);
    table_to_json(&table, &out);
    if (table_error(&table) < 0 || strbuf_error(&out) < 0)
        net_reply_error(request, -ENOMEM, NULL);
    else
        net_reply_json(request, 200, &out);
}

/* ---- the door ---- */

int control_socket_url(const char *dir, int *ret_fd, char ret[static CONTROL_URL_SIZE],
                       struct err *err)
{
    struct sockaddr_un un;
    AUTO_CLOSE int fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return err_set(err, errno, "'%s': %s", dir, strerror(errno));
    if (strlen(dir) + sizeof "/" CONTROL_SOCKET <= sizeof un.sun_path)
        (void)snprintf(ret, CONTROL_URL_SIZE, "unix:%s/" CONTROL_SOCKET, dir);
    else
        (void)snprintf(ret, CONTROL_URL_SIZE, "unix:/proc/self/fd/%d/" CONTROL_SOCKET,
                       fd);
    *ret_fd = TAKE_FD(fd);
    return 0;
}

static int start_server(struct control_listener *l, struct err *err)
{
    const struct net_route stop = { .method = "POST",
                                    .pattern = "/v1/session/stop",
                                    .roles = NET_ROLE_ADMIN,
                                    .handle = handle_stop,
                                    .arg = l };
    const struct net_route children = { .method = "GET",
                                        .pattern = "/v1/sessions",
                                        .roles = NET_ROLE_ADMIN,
                                        .handle = handle_children,
                                        .arg = l };
    static const char *none[] = { "none" };
    net_opts_default(&l->net);
    l->net.listen = (struct config_list){ none, 1 };
    l->net.socket = l->url + strlen("unix:");
    l->net.socket_is_private = true;
    l->net.threads = 1;
    l->net.socket_connections_max = OWNER_CONNECTIONS;
    l->net.rate_requests = OWNER_RATE;
    l->net.rate_requests_burst = OWNER_BURST;
    int rc = net_server_new(&l->net, &l->server, err);
    if (rc == 0)
        rc = net_server_add_route(l->server, &stop);
    if (rc == 0)
        rc = net_server_add_route(l->server, &children);
    if (rc == 0)
        rc = session_view_register(l->opts.view, l->server);
    return rc < 0 ? rc : net_server_start(l->server, err);
}

int control_listener_open(const struct control_listener_opts *opts,
                          struct control_listener **ret, struct err *err)
{
    AUTO(control_listener_close) struct control_listener *l = calloc(1, sizeof *l);
    if (!l)
        return -ENOMEM;
    l->opts = *opts;
    l->dir_fd = -1;
    int rc = control_socket_url(opts->dir, &l->dir_fd, l->url, err);
    if (rc == 0)
        rc = start_server(l, err);
    if (rc == 0)
        *ret = TAKE(l);
    return rc;
}

void control_listener_close(struct control_listener *l)
{
    if (!l)
        return;
    net_server_free(l->server);
    auto_close(&l->dir_fd);
    free(l);
}
