/* SPDX-License-Identifier: Apache-2.0 */
/* test_server - the server asked by our own client, over loopback and a unix socket. */
#include "base/clock.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "base/uuid.h"
#include "net/net.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <zlib.h>
#include <zstd.h>

struct fixture {
    char dir[32];
    char socket[64], key_file[64], revoked_file[64];
    char unix_url[80], tcp_url[64];
    struct net_opts opts;
    struct net_server *server;
    struct token_key *key;
    pthread_t responder;
    bool has_responder;
    _Atomic bool is_held;
    _Atomic bool is_gone;           /* what the last watched request found */
    char limited[200];              /* of whom the server said something last */
    _Atomic unsigned limited_count; /* after the text */
    size_t streamed_bytes;          /* of the second piece of /v1/stream */
    int streamed;
};

/* ---- routes ---- */

static void respond_health(void *arg, struct net_request *request)
{
    (void)arg;
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    strbuf_adds(&body, "{}");
    net_reply_json(request, 200, &body);
}

/* Says what the server understood of the head. */
static void respond_echo(void *arg, struct net_request *request)
{
    (void)arg;
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    struct span name, value;
    struct span id = net_request_var(request, "id");
    strbuf_addf(&body, "%s " SPAN_FMT " id=" SPAN_FMT,
                access_roles_name(net_request_identity(request)->client.roles),
                SPAN_ARG(net_request_path(request)), SPAN_ARG(id));
    for (size_t i = 0; net_request_query_at(request, i, &name, &value); i++)
        strbuf_addf(&body, " " SPAN_FMT "=" SPAN_FMT, SPAN_ARG(name), SPAN_ARG(value));
    net_reply(request, 200, "text/plain", &body);
}

static void *respond_later(void *arg)
{
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    strbuf_adds(&body, "later");
    (void)usleep(20000);
    net_reply(arg, 200, "text/plain", &body);
    return NULL;
}

static void defer(void *arg, struct net_request *request)
{
    struct fixture *f = arg;
    net_request_defer(request);
    if (f->has_responder)
        (void)pthread_join(f->responder, NULL);
    f->has_responder = pthread_create(&f->responder, NULL, respond_later, request) == 0;
}

/* Until the client has gone, or a minute is over. */
static void *watch_client(void *arg)
{
    struct net_request *request = arg;
    struct fixture *f = *(struct fixture **)net_request_state(request);
    bool is_gone = net_request_is_gone(request);
    for (int i = 0; i < 6000 && !is_gone; i++) {
        (void)usleep(10000);
        is_gone = net_request_is_gone(request);
    }
    atomic_store(&f->is_gone, is_gone);
    net_reply_problem(request, 503, "gone");
    return NULL;
}

static int begin_watch(void *arg, struct net_request *request, void **ret_state,
                       struct err *err)
{
    struct fixture **state = malloc(sizeof(struct fixture *));
    (void)request;
    (void)err;
    if (!state)
        return -ENOMEM;
    *state = arg;
    *ret_state = state;
    return 0;
}

static void watch(void *arg, struct net_request *request)
{
    struct fixture *f = arg;
    net_request_defer(request);
    f->has_responder = pthread_create(&f->responder, NULL, watch_client, request) == 0;
}

/* A short piece, then a long one. */
static int next_of_stream(void *state, struct strbuf *out)
{
    struct fixture *f = state;
    size_t size = f->streamed == 0 ? 1000 : f->streamed_bytes;
    if (f->streamed++ >= 2)
        return 0;
    if (strbuf_reserve(out, size) < 0)
        return -ENOMEM;
    memset(out->data + out->size, 'x', size);
    out->size += size;
    return 0;
}

static void stream_nothing_to_free(void *state)
{
    (void)state;
}

static void respond_stream(void *arg, struct net_request *request)
{
    struct fixture *f = arg;
    const struct net_stream stream = { .next = next_of_stream,
                                       .free = stream_nothing_to_free,
                                       .state = f };
    f->streamed = 0;
    (void)net_reply_stream(request, 200, "text/plain", &stream);
}

static void note_limited(void *arg, const char *sender, const char *reason,
                         const char *outcome, const char *key)
{
    struct fixture *f = arg;
    (void)snprintf(f->limited, sizeof f->limited, "%s %s and %s; see %s", sender,
                   reason, outcome, key);
    f->limited_count++;
}

/* Keeps the HTTP thread until the fixture says so. */
static void hold_the_thread(void *arg, struct net_request *request)
{
    struct fixture *f = arg;
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    strbuf_adds(&body, "held");
    atomic_store(&f->is_held, true);
    while (atomic_load(&f->is_held))
        (void)usleep(1000);
    net_reply(request, 200, "text/plain", &body);
}

static int begin_sum(void *arg, struct net_request *request, void **ret_state,
                     struct err *err)
{
    (void)arg;
    (void)request;
    (void)err;
    *ret_state = calloc(1, sizeof(uint64_t));
    return *ret_state ? 0 : -ENOMEM;
}

/* A body of digits; "x" is refused, "M" asks for much memory, "L" for a large body's.
 */
static int take_sum(void *state, struct net_request *request, const void *data,
                    size_t size, struct err *err)
{
    uint64_t *sum = state;
    const char *text = data;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == 'x')
            return err_set(err, EBADMSG, "an x");
        if (text[i] == 'M' && net_request_charge(request, 100 << 20) < 0)
            return err_set(err, EAGAIN, "no memory");
        if (text[i] == 'L' && net_request_charge(request, 3 << 20) < 0)
            return err_set(err, EAGAIN, "no memory");
        *sum += (uint64_t)(text[i] - '0');
    }
    return 0;
}

static void respond_sum(void *arg, struct net_request *request)
{
    (void)arg;
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    strbuf_add_u64(&body, *(uint64_t *)net_request_state(request));
    net_reply(request, 200, "text/plain", &body);
}

static const struct net_body sum_body = { begin_sum, take_sum, free };
static const struct net_body watch_body = { begin_watch, take_sum, free };
static const char *const sum_types[] = { "text/plain", NULL };

/* ---- the fixture ---- */

static void write_file(const char *path, const char *text, mode_t mode)
{
    struct err err = { 0 };
    if (file_replace(path, text, strlen(text), mode, &err) < 0)
        fail_msg("%s", err.text);
}

static void add_routes_and_start(struct fixture *f)
{
    const struct net_route routes[] = {
        { .method = "GET", .pattern = "/healthz", .handle = respond_health },
        { .method = "GET",
          .pattern = "/v1/things/{id}",
          .roles = NET_ROLE_READER,
          .handle = respond_echo },
        { .method = "GET",
          .pattern = "/v1/later",
          .roles = NET_ROLE_READER,
          .handle = defer,
          .arg = f },
        { .method = "GET",
          .pattern = "/v1/hold",
          .roles = NET_ROLE_READER,
          .handle = hold_the_thread,
          .arg = f },
        { .method = "POST",
          .pattern = "/v1/watch",
          .roles = NET_ROLE_READER,
          .handle = watch,
          .body = &watch_body,
          .arg = f },
        { .method = "GET",
          .pattern = "/v1/stream",
          .roles = NET_ROLE_READER,
          .handle = respond_stream,
          .arg = f },
        { .method = "GET",
          .pattern = "/v1/admin",
          .roles = NET_ROLE_ADMIN,
          .handle = respond_echo },
        { .method = "POST",
          .pattern = "/v1/sum",
          .roles = NET_ROLE_AGENT,
          .handle = respond_sum,
          .body = &sum_body,
          .content_types = sum_types },
    };
    struct err err = { 0 };
    if (net_server_new(&f->opts, &f->server, &err) < 0)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < COUNT_OF(routes); i++)
        assert_int_equal(net_server_add_route(f->server, &routes[i]), 0);
    net_server_on_limited(f->server, note_limited, f);
    if (net_server_start(f->server, &err) < 0)
        fail_msg("%s", err.text);
    (void)snprintf(f->tcp_url, sizeof f->tcp_url, "http://127.0.0.1:%u",
                   net_server_port(f->server, 0));
}

static void start(struct fixture *f, bool has_key)
{
    static const char *const listen[] = { "127.0.0.1:0" };
    *f = (struct fixture){ .dir = "/tmp/baro-net.XXXXXX" };
    assert_non_null(mkdtemp(f->dir));
    (void)snprintf(f->socket, sizeof f->socket, "%s/sock", f->dir);
    (void)snprintf(f->unix_url, sizeof f->unix_url, "unix:%s", f->socket);
    (void)snprintf(f->key_file, sizeof f->key_file, "%s/key.pub", f->dir);
    (void)snprintf(f->revoked_file, sizeof f->revoked_file, "%s/revoked", f->dir);
    net_opts_default(&f->opts);
    assert_true(f->opts.connections_max == 512 && f->opts.body_bytes_max == 32 << 20);
    f->opts.listen.items = (const char **)(uintptr_t)listen;
    f->opts.listen.count = 1;
    f->opts.socket = f->socket;
    f->opts.threads = 2;
    f->opts.body_bytes_max = 4 << 20;
    f->opts.body_budget_bytes = 8 << 20;
    f->opts.head_timeout_ns = 300 * 1000000LL;
    f->opts.body_grace_ns = 300 * 1000000LL;
    f->opts.connections_max = 8;
    f->opts.socket_connections_max = 8;
    assert_int_equal(token_key_new(&f->key, NULL), 0);
    if (has_key) {
        AUTO(strbuf_done) struct strbuf pem = STRBUF_INIT;
        assert_int_equal(token_key_print_public(f->key, &pem), 0);
        write_file(f->key_file, strbuf_text(&pem), 0644);
        write_file(f->revoked_file, "", 0644);
        f->opts.key = f->key_file;
        f->opts.revoked = f->revoked_file;
    }
    add_routes_and_start(f);
}
static void stop(struct fixture *f)
{
    net_server_free(f->server);
    if (f->has_responder)
        (void)pthread_join(f->responder, NULL);
    token_key_free(f->key);
    (void)unlink(f->key_file);
    (void)unlink(f->revoked_file);
    assert_int_equal(rmdir(f->dir), 0); /* the socket is gone, too */
}
DEFINE_AUTO_DONE(struct fixture, stop);

static struct net_client *client_of(const char *url, const char *token)
{
    struct net_client *client = NULL;
    struct err err = { 0 };
    const struct net_client_opts opts = { .url = url,
                                          .token = token,
                                          .timeout_ns = 10000000000LL };
    if (net_client_new(&opts, &client, &err) < 0)
        fail_msg("%s", err.text);
    return client;
}

/* The response's status and body, each path with one client. */
static unsigned get(const char *url, const char *token, const char *path, char *ret,
                    size_t size)
{
    AUTO(net_client_free) struct net_client *client = client_of(url, token);
    AUTO(net_response_done) struct net_response response = { 0 };
    struct err err = { 0 };
    if (net_client_get(client, path, &response, &err) < 0)
        fail_msg("%s: %s", path, err.text);
    (void)snprintf(ret, size, "%s", strbuf_text(&response.body));
    return response.status;
}

static unsigned post(const char *url, const char *token, const char *body, char *ret,
                     size_t size)
{
    AUTO(net_client_free) struct net_client *client = client_of(url, token);
    AUTO(net_response_done) struct net_response response = { 0 };
    struct err err = { 0 };
    if (net_client_post(client, "/v1/sum", "text/plain", NULL, span_of(body), &response,
                        &err) < 0)
        fail_msg("%s", err.text);
    if (response.status == 503)
        assert_true(response.retry_after_s == 5);
    (void)snprintf(ret, size, "%s", strbuf_text(&response.body));
    return response.status;
}

static void make_token(struct fixture *f, enum net_role role, struct strbuf *out)
{
    struct token token = { .role = role, .host = "oss01" };
    struct uuid id;
    assert_int_equal(uuid_new(&id), 0);
    uuid_print(token.id, &id);
    token.issued_s = clock_now_ns() / 1000000000;
    token.expires_s = token.issued_s + 100;
    assert_int_equal(token_sign(f->key, &token, out, NULL), 0);
}

/* ---- the tests ---- */

static void paths_and_queries_are_taken_apart(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        unsigned status;
        const char *body; /* NULL: any */
    } cases[] = {
        { "/healthz", 200, "{}" },
        { "/v1/things/7", 200, "admin /v1/things/7 id=7" },
        { "/v1/things/a%2Fb%20c?q=1%262&r=x+y&q=", 200,
          "admin /v1/things/a/b c id=a/b c q=1&2 r=x y q=" },
        { "/v1/things/", 404, NULL },
        { "/v1/things/7/8", 404, NULL },
        { "/healthz/", 404, NULL },
        { "/v1/things/a%zz", 400, NULL },
        { "/v1/things/a%00", 400, NULL },
        { "/v1/things/a?x=%", 400, NULL },
        { "/v1/sum", 405,
          "{\"type\":\"about:blank\",\"title\":\"Not with this method\",\"status\":405,"
          "\"detail\":\"this path accepts POST\"}" },
        { "/v1/later", 200, "later" },
    };
    AUTO(stop) struct fixture f;
    start(&f, false);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char body[400];
        unsigned status = get(f.unix_url, NULL, cases[i].path, body, sizeof body);
        if (status != cases[i].status ||
            (cases[i].body && strcmp(body, cases[i].body) != 0))
            fail_msg("%s: %u %s", cases[i].path, status, body);
    }
}

static void without_a_key_loopback_may_read_only(void **state)
{
    (void)state;
    AUTO(stop) struct fixture f;
    char body[400];
    start(&f, false);
    assert_int_equal(get(f.tcp_url, NULL, "/healthz", body, sizeof body), 200);
    assert_int_equal(get(f.tcp_url, NULL, "/v1/things/1", body, sizeof body), 200);
    assert_string_equal(body, "reader /v1/things/1 id=1");
    assert_int_equal(get(f.tcp_url, NULL, "/v1/admin", body, sizeof body), 403);
    assert_int_equal(post(f.tcp_url, NULL, "12", body, sizeof body), 403);
    /* Our own user, by the kernel's word. */
    assert_int_equal(get(f.unix_url, NULL, "/v1/admin", body, sizeof body), 200);
    assert_int_equal(post(f.unix_url, NULL, "12", body, sizeof body), 200);
    assert_string_equal(body, "3");
}

/* The status line of what a hand-written request gets over TCP. */
static void ask_by_hand(const struct fixture *f, const char *request, char *ret,
                        size_t size)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons((uint16_t)net_server_port(f->server, 0)),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    AUTO_CLOSE int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(write(fd, request, strlen(request)), strlen(request));
    ssize_t n = read(fd, ret, size - 1);
    ret[n < 0 ? 0 : n] = '\0';
}

static void a_browser_that_was_sent_here_by_another_name_gets_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *host;
        const char *status;
    } cases[] = {
        { "localhost", "HTTP/1.1 200" },         { "127.0.0.1:8091", "HTTP/1.1 200" },
        { "[::1]:8091", "HTTP/1.1 200" },        { "attacker.example", "HTTP/1.1 403" },
        { "localhost.example", "HTTP/1.1 403" },
    };
    AUTO(stop) struct fixture f;
    start(&f, false);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char request[200], response[500];
        (void)snprintf(request, sizeof request,
                       "GET /v1/things/1 HTTP/1.1\r\nHost: %s\r\n\r\n", cases[i].host);
        ask_by_hand(&f, request, response, sizeof response);
        if (strncmp(response, cases[i].status, strlen(cases[i].status)) != 0)
            fail_msg("%s: %s", cases[i].host, response);
    }
}

static void with_a_key_a_token_decides(void **state)
{
    (void)state;
    AUTO(stop) struct fixture f;
    AUTO(strbuf_done) struct strbuf agent = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf reader = STRBUF_INIT;
    char body[400];
    start(&f, true);
    make_token(&f, NET_ROLE_AGENT, &agent);
    make_token(&f, NET_ROLE_READER, &reader);
    const char *a = strbuf_text(&agent), *r = strbuf_text(&reader);
    assert_int_equal(get(f.tcp_url, NULL, "/healthz", body, sizeof body), 200);
    assert_int_equal(get(f.tcp_url, NULL, "/v1/things/1", body, sizeof body), 401);
    assert_int_equal(get(f.tcp_url, "a.b", "/v1/things/1", body, sizeof body), 401);
    assert_int_equal(get(f.tcp_url, a, "/v1/things/1", body, sizeof body), 403);
    assert_int_equal(get(f.tcp_url, r, "/v1/things/1", body, sizeof body), 200);
    assert_int_equal(get(f.tcp_url, r, "/v1/admin", body, sizeof body), 403);
    assert_int_equal(post(f.tcp_url, r, "12", body, sizeof body), 403);
    assert_int_equal(post(f.tcp_url, a, "12", body, sizeof body), 200);

    /* Revoked: seen within a second. */
    struct token token;
    assert_int_equal(token_parse(strbuf_span(&agent), &token, NULL), 0);
    write_file(f.revoked_file, token.id, 0644);
    unsigned status = 200;
    for (int i = 0; i < 200 && status == 200; i++) {
        (void)usleep(50000);
        status = post(f.tcp_url, a, "12", body, sizeof body);
    }
    assert_int_equal(status, 401);
    assert_non_null(strstr(body, "revoked"));
}

static void bodies_are_held_to_their_limits(void **state)
{
    (void)state;
    AUTO(stop) struct fixture f;
    char body[400];
    start(&f, false);
    assert_int_equal(post(f.unix_url, NULL, "", body, sizeof body), 200);
    assert_int_equal(post(f.unix_url, NULL, "12x34", body, sizeof body), 400);
    assert_non_null(strstr(body, "\"detail\":\"an x\""));
    /* More than all requests may have together: no matter of trying again. */
    assert_int_equal(post(f.unix_url, NULL, "12M34", body, sizeof body), 413);
    assert_non_null(strstr(body, "body_budget"));
    AUTO_FREE char *ones = malloc((5 << 20) + 1);
    assert_non_null(ones);
    memset(ones, '1', 5 << 20);
    ones[5 << 20] = '\0';
    assert_int_equal(post(f.unix_url, NULL, ones, body, sizeof body), 413);
    ones[3 << 20] = '\0';
    assert_int_equal(post(f.unix_url, NULL, ones, body, sizeof body), 200);
    assert_string_equal(body, "3145728");

    AUTO(net_client_free) struct net_client *client = client_of(f.unix_url, NULL);
    AUTO(net_response_done) struct net_response response = { 0 };
    struct err err = { 0 };
    assert_int_equal(net_client_post(client, "/v1/sum", "image/png", NULL, SPAN("1"),
                                     &response, &err),
                     0);
    assert_int_equal(response.status, 415);
    assert_int_equal(net_response_check(&response, &err), -EPROTONOSUPPORT);
    assert_non_null(
        strstr(err.text, "content type is not accepted here (choose text/"));
    assert_int_equal(net_client_post(client, "/v1/sum", "text/plain", "br", SPAN("1"),
                                     &response, &err),
                     0);
    assert_int_equal(response.status, 415);
    assert_int_equal(net_client_post(client, "/v1/sum", "text/plain", "zstd",
                                     SPAN("garbage"), &response, &err),
                     0);
    assert_int_equal(response.status, 400);
    /* All of it was given back. */
    struct net_stats stats;
    net_server_stats(f.server, &stats);
    for (int i = 0; i < 100 && stats.budget_bytes; i++) {
        (void)usleep(10000);
        net_server_stats(f.server, &stats);
    }
    assert_true(stats.budget_bytes == 0 && stats.budget_refusals == 1);
}

static void open_listeners_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *listen;
        const char *words;
    } cases[] = {
        { "0.0.0.0:0", "set \"key\"" },
        { "[::]:8091", "set \"key\"" },
        { "192.0.2.1:80", "set \"key\"" },
        { "127.0.0.1", "is not ADDRESS:PORT" },
        { "127.0.0.1:99999", "is not ADDRESS:PORT" },
        { "[::1:80", "is not ADDRESS:PORT" },
        { "example:80", "is not ADDRESS:PORT" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct net_opts opts;
        struct net_server *server = NULL;
        struct err err = { 0 };
        const char *items[] = { cases[i].listen };
        net_opts_default(&opts);
        opts.listen.items = items;
        opts.listen.count = 1;
        int rc = net_server_new(&opts, &server, &err);
        if (rc != -EINVAL || !strstr(err.text, cases[i].words))
            fail_msg("%s: %d %s", cases[i].listen, rc, err.text);
        opts.key = "/dev/null";
        rc = net_server_new(&opts, &server, &err);
        assert_true(rc < 0 && !server);
        if (i < 3)
            assert_non_null(strstr(err.text, "plaintext = yes"));
    }
}

static void a_peer_that_sends_nothing_makes_room(void **state)
{
    (void)state;
    AUTO(stop) struct fixture f;
    int fds[40];
    char body[400];
    start(&f, false);
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    memcpy(address.sun_path, f.socket, strlen(f.socket));
    for (size_t i = 0; i < COUNT_OF(fds); i++) {
        fds[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        assert_true(fds[i] >= 0);
        assert_int_equal(connect(fds[i], (struct sockaddr *)&address, sizeof address),
                         0);
    }
    assert_int_equal(get(f.unix_url, NULL, "/healthz", body, sizeof body), 200);
    /* The rest of them go for being slow. */
    char byte;
    for (size_t i = 0; i < COUNT_OF(fds); i++) {
        while (read(fds[i], &byte, 1) > 0)
            continue;
        (void)close(fds[i]);
    }
    assert_int_equal(get(f.unix_url, NULL, "/healthz", body, sizeof body), 200);
}

static int dial(const struct fixture *f)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    memcpy(address.sun_path, f->socket, strlen(f->socket));
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

static void say(int fd, const char *text)
{
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

/* Its bytes wait for us, longer than a head may take. */
static void who_waits_for_a_busy_server_is_not_slow(void **state)
{
    (void)state;
    AUTO(stop) struct fixture f;
    char response[400] = "";
    start(&f, false);
    net_server_free(f.server);
    f.opts.threads = 1;
    f.opts.head_timeout_ns = 1000 * 1000000LL;
    add_routes_and_start(&f);
    AUTO_CLOSE int patient = dial(&f);
    AUTO_CLOSE int busy = dial(&f);
    say(patient, "GET /healthz HTTP/1.1\r\n");
    say(busy, "GET /v1/hold HTTP/1.1\r\nHost: localhost\r\n\r\n");
    while (!atomic_load(&f.is_held))
        (void)usleep(1000);
    say(patient, "Host: localhost\r\n\r\n");
    (void)usleep(2000000);
    atomic_store(&f.is_held, false);
    assert_true(read(patient, response, sizeof response - 1) > 0);
    assert_memory_equal(response, "HTTP/1.1 200", 12);
}

/* However well it keeps to the rate of a body. */
static void the_rest_of_a_refused_body_is_not_read_for_long(void **state)
{
    (void)state;
    AUTO(stop) struct fixture f;
    char response[400] = "";
    start(&f, true);
    net_server_free(f.server);
    f.opts.body_grace_ns = 3600 * 1000000000LL;
    add_routes_and_start(&f);
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_port =
                                       htons((uint16_t)net_server_port(f.server, 0)),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    AUTO_CLOSE int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    say(fd, "POST /v1/sum HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
            "Content-Length: 1000000\r\n\r\n");
    size_t sent = 0;
    while (sent < 3000 && send(fd, "1", 1, MSG_NOSIGNAL) == 1) {
        sent++;
        (void)usleep(10000);
    }
    assert_true(sent < 3000);
    assert_true(read(fd, response, sizeof response) <= 0);
    struct net_stats stats;
    net_server_stats(f.server, &stats);
    assert_int_equal(stats.swept_slow, 1);
}

static void no_socket_goes_on_into_another_program(void **state)
{
    (void)state;
    AUTO(stop) struct fixture f;
    start(&f, false);
    const char *const urls[] = { f.unix_url, f.tcp_url };
    for (size_t i = 0; i < COUNT_OF(urls); i++) {
        AUTO(net_client_free) struct net_client *client = client_of(urls[i], NULL);
        AUTO(net_response_done) struct net_response response = { 0 };
        struct err err = { 0 };
        assert_int_equal(net_client_get(client, "/healthz", &response, &err), 0);
        size_t sockets = 0;
        for (int fd = 3; fd < 256; fd++) { /* the connection is kept for the next */
            struct sockaddr_storage peer;
            socklen_t size = sizeof peer; /* a socketpair's ends have no name */
            if (getpeername(fd, (struct sockaddr *)&peer, &size) < 0 ||
                size <= sizeof(sa_family_t))
                continue;
            sockets++;
            assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
        }
        assert_true(sockets > 0);
    }
}

static void who_asks_too_often_is_told_when_to_come_again(void **state)
{
    (void)state;
    AUTO(stop) struct fixture f;
    AUTO(strbuf_done) struct strbuf agent = STRBUF_INIT, reader = STRBUF_INIT;
    char body[400];
    /* The server reads its options at its start: a second one on the same files. */
    start(&f, true);
    net_server_free(f.server);
    f.server = NULL;
    f.opts.rate_requests = 1;
    f.opts.rate_requests_burst = 3;
    f.opts.rate_failures = 1;
    add_routes_and_start(&f);
    make_token(&f, NET_ROLE_AGENT, &agent);
    make_token(&f, NET_ROLE_READER, &reader);
    const char *token = strbuf_text(&agent);
    for (int i = 0; i < 3; i++)
        assert_int_equal(post(f.tcp_url, token, "12", body, sizeof body), 200);
    assert_int_equal(post(f.tcp_url, token, "12", body, sizeof body), 429);
    assert_non_null(strstr(body, "more requests than one sender may have"));
    /* The same host, another token: one sender.  Nobody in particular: another. */
    assert_int_equal(
        get(f.tcp_url, strbuf_text(&reader), "/v1/things/1", body, sizeof body), 429);
    assert_int_equal(get(f.tcp_url, NULL, "/healthz", body, sizeof body), 200);
    assert_int_equal(get(f.unix_url, NULL, "/v1/things/1", body, sizeof body), 200);
    struct net_stats stats;
    net_server_stats(f.server, &stats);
    assert_true(stats.rate_refusals == 2);
}

static void restart_with_accounts(struct fixture *f, struct budget_account *requests,
                                  struct budget_account *responses)
{
    net_server_free(f->server);
    f->server = NULL;
    f->opts.requests = requests;
    f->opts.responses = responses;
    add_routes_and_start(f);
}

static unsigned post_coded(const char *url, const char *token, const char *coding,
                           struct span body)
{
    AUTO(net_client_free) struct net_client *client = client_of(url, token);
    AUTO(net_response_done) struct net_response response = { 0 };
    struct err err = { 0 };
    if (net_client_post(client, "/v1/sum", "text/plain", coding, body, &response,
                        &err) < 0)
        fail_msg("%s", err.text);
    return response.status;
}

/* Others hold all that large bodies may have. */
static void small_bodies_are_taken_from_the_reserve_however_coded(void **state)
{
    (void)state;
    static const char text[] = "12345678901234567890123456789012345678901234";
    AUTO(stop) struct fixture f;
    AUTO(strbuf_done) struct strbuf agent = STRBUF_INIT;
    struct budget_account requests;
    budget_account_init(&requests, "requests", 8 << 20);
    struct budget_hold others = { .account = &requests, .owner = 1 };
    char zstd[200], gzip[200];
    z_stream z = { .next_in = (Bytef *)(uintptr_t)text,
                   .avail_in = 44,
                   .next_out = (Bytef *)gzip,
                   .avail_out = sizeof gzip };
    assert_int_equal(deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
                     Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    assert_int_equal(deflateEnd(&z), Z_OK);
    const struct {
        const char *coding;
        struct span body;
    } cases[] = {
        { NULL, SPAN(text) },
        { "gzip", { gzip, z.total_out } },
        { "zstd", { zstd, ZSTD_compress(zstd, sizeof zstd, text, 44, 3) } },
    };
    start(&f, true);
    restart_with_accounts(&f, &requests, NULL);
    make_token(&f, NET_ROLE_AGENT, &agent);
    assert_int_equal(budget_hold_set(&others, budget_hold_most(&others)), 0);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        unsigned status =
            post_coded(f.tcp_url, strbuf_text(&agent), cases[i].coding, cases[i].body);
        if (status != 200)
            fail_msg("%s: %u", cases[i].coding ? cases[i].coding : "plain", status);
    }
    assert_int_equal(post_coded(f.tcp_url, strbuf_text(&agent), NULL, SPAN("L")), 503);
    budget_hold_done(&others);
}

static int dial_tcp(const struct fixture *f)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_port =
                                       htons((uint16_t)net_server_port(f->server, 0)),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

/* Others hold 3 of 8 MiB; the largest body may be 4 MiB. */
static void a_sender_with_a_small_request_under_way_sends_a_large_one(void **state)
{
    (void)state;
    AUTO(stop) struct fixture f;
    AUTO(strbuf_done) struct strbuf agent = STRBUF_INIT;
    struct budget_account requests;
    budget_account_init(&requests, "requests", 8 << 20);
    struct budget_hold others = { .account = &requests, .owner = 1 };
    char head[600];
    start(&f, true);
    f.opts.body_grace_ns = 60 * INT64_C(1000000000);
    restart_with_accounts(&f, &requests, NULL);
    make_token(&f, NET_ROLE_AGENT, &agent);
    assert_int_equal(budget_hold_set(&others, 3 << 20), 0);
    AUTO_CLOSE int small = dial_tcp(&f);
    (void)snprintf(head, sizeof head,
                   "POST /v1/sum HTTP/1.1\r\nHost: localhost\r\n"
                   "Authorization: Bearer %s\r\nContent-Type: text/plain\r\n"
                   "Content-Length: 10\r\n\r\n1",
                   strbuf_text(&agent));
    say(small, head);
    for (int i = 0; i < 6000 && requests.used_bytes <= 3 << 20; i++)
        (void)usleep(10000);
    assert_int_equal(post_coded(f.tcp_url, strbuf_text(&agent), NULL, SPAN("L")), 200);
    budget_hold_done(&others);
}

static void a_response_that_is_cut_off_is_told_of(void **state)
{
    (void)state;
    AUTO(stop) struct fixture f;
    AUTO(strbuf_done) struct strbuf reader = STRBUF_INIT;
    struct budget_account responses;
    budget_account_init(&responses, "responses", 1 << 20);
    start(&f, true);
    f.opts.body_grace_ns = f.opts.head_timeout_ns = 60 * INT64_C(1000000000);
    restart_with_accounts(&f, NULL, &responses);
    make_token(&f, NET_ROLE_READER, &reader);
    for (int i = 0; i < 2; i++) {
        AUTO(net_client_free)
        struct net_client *client = client_of(f.tcp_url, strbuf_text(&reader));
        AUTO(net_response_done) struct net_response response = { 0 };
        struct err err = { 0 };
        f.streamed_bytes = i == 0 ? 700 << 10 : 900 << 10;
        int rc = net_client_get(client, "/v1/stream", &response, &err);
        assert_true(i == 0 ? rc == 0 && f.limited_count == 0 : rc < 0);
    }
    for (int i = 0; i < 6000 && f.limited_count == 0; i++)
        (void)usleep(10000);
    assert_non_null(strstr(f.limited, "oss01 has a response that finds no memory and "
                                      "had a response cut off; see response_budget"));
}

/* Closed without a reset: after some seconds in which it was to be seen. */
static void a_tcp_client_that_closed_is_gone_after_a_while(void **state)
{
    (void)state;
    AUTO(stop) struct fixture f;
    start(&f, false);
    int fd = dial_tcp(&f);
    say(fd, "POST /v1/watch HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
    (void)close(fd);
    for (int i = 0; i < 6500 && !atomic_load(&f.is_gone); i++)
        (void)usleep(10000);
    assert_true(atomic_load(&f.is_gone));
}

static void guessing_tokens_ends_and_who_was_believed_goes_on(void **state)
{
    (void)state;
    AUTO(stop) struct fixture f;
    AUTO(strbuf_done) struct strbuf known = STRBUF_INIT, fresh = STRBUF_INIT;
    char body[400];
    start(&f, true);
    net_server_free(f.server);
    f.server = NULL;
    f.opts.rate_failures = 2;
    add_routes_and_start(&f);
    make_token(&f, NET_ROLE_READER, &known);
    make_token(&f, NET_ROLE_READER, &fresh);
    const char *token = strbuf_text(&known);
    assert_int_equal(get(f.tcp_url, token, "/v1/things/1", body, sizeof body), 200);
    for (int i = 0; i < 2; i++)
        assert_int_equal(get(f.tcp_url, "a.b", "/v1/things/1", body, sizeof body), 401);
    int refused = 0;
    for (int i = 0; i < 100; i++) /* with luck, one in four is looked at */
        refused += get(f.tcp_url, "a.b", "/v1/things/1", body, sizeof body) == 429;
    assert_in_range(refused, 50, 99);
    assert_int_equal(get(f.tcp_url, token, "/v1/things/1", body, sizeof body), 200);
    /* One that was never seen comes through although somebody goes on guessing. */
    int status = 0;
    for (int i = 0; i < 200 && status != 200; i++) {
        (void)get(f.tcp_url, "a.b", "/v1/things/1", body, sizeof body);
        status = get(f.tcp_url, strbuf_text(&fresh), "/v1/things/1", body, sizeof body);
    }
    assert_int_equal(status, 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_and_queries_are_taken_apart),
        cmocka_unit_test(without_a_key_loopback_may_read_only),
        cmocka_unit_test(a_browser_that_was_sent_here_by_another_name_gets_nothing),
        cmocka_unit_test(with_a_key_a_token_decides),
        cmocka_unit_test(bodies_are_held_to_their_limits),
        cmocka_unit_test(open_listeners_are_refused),
        cmocka_unit_test(a_peer_that_sends_nothing_makes_room),
        cmocka_unit_test(who_waits_for_a_busy_server_is_not_slow),
        cmocka_unit_test(the_rest_of_a_refused_body_is_not_read_for_long),
        cmocka_unit_test(who_asks_too_often_is_told_when_to_come_again),
        cmocka_unit_test(guessing_tokens_ends_and_who_was_believed_goes_on),
        cmocka_unit_test(small_bodies_are_taken_from_the_reserve_however_coded),
        cmocka_unit_test(a_sender_with_a_small_request_under_way_sends_a_large_one),
        cmocka_unit_test(a_response_that_is_cut_off_is_told_of),
        cmocka_unit_test(a_tcp_client_that_closed_is_gone_after_a_while),
        cmocka_unit_test(no_socket_goes_on_into_another_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
