/* SPDX-License-Identifier: Apache-2.0 */
/* login - the routes by which persons sign in and out, and the workers that check. */
#include "signin/login.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/system/helper.h"
#include "signin/login_attempt.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct login {
    struct login_context context;
    char helper_path[PATH_MAX];
    bool is_on; /* a service is configured */
    int stop_fd;
    pthread_t threads[LOGIN_WORKERS];
    size_t thread_count;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t wake;
    struct attempt *first; /* that wait for a worker, or for their time */
    size_t waiting;        /* with those that are being checked */
    bool is_stopping;
};

/* ---- those that wait ---- */

static size_t count_of_address(const struct login *login, uint64_t key)
{
    size_t count = 0;
    for (const struct attempt *a = login->first; a; a = a->next)
        count += a->address_key == key;
    return count;
}

/* Whether it waits now; with the lock the worker cannot respond before it was deferred.
 */
static bool attempt_push(struct login *login, struct attempt *attempt)
{
    LOCKED(&login->lock);
    if (login->is_stopping || login->waiting == LOGIN_WAITING_MAX ||
        count_of_address(login, attempt->address_key) >= LOGIN_WAITING_MAX / 4)
        return false;
    struct attempt **end = &login->first;
    while (*end)
        end = &(*end)->next;
    *end = attempt;
    login->waiting++;
    net_request_defer(attempt->request);
    (void)pthread_cond_signal(&login->wake);
    return true;
}

static struct attempt *attempt_unlink(struct login *login, struct attempt *wanted)
{
    struct attempt **at = &login->first;
    while (*at && *at != wanted)
        at = &(*at)->next;
    if (*at)
        *at = wanted->next;
    wanted->next = NULL;
    return wanted;
}

/* The next one to be dealt with; NULL: none yet, *ret_due_ns is when, or INT64_MAX. */
static struct attempt *attempt_due(struct login *login, int64_t *ret_due_ns)
{
    int64_t now_ns = clock_monotonic_ns();
    *ret_due_ns = INT64_MAX;
    for (struct attempt *a = login->first; a; a = a->next) {
        if (login->is_stopping || a->due_ns <= now_ns)
            return attempt_unlink(login, a);
        if (a->due_ns < *ret_due_ns)
            *ret_due_ns = a->due_ns;
    }
    return NULL;
}

static struct attempt *attempt_next(struct login *login, bool *ret_is_stopping)
{
    LOCKED(&login->lock);
    for (;;) {
        int64_t due_ns;
        struct attempt *attempt = attempt_due(login, &due_ns);
        *ret_is_stopping = login->is_stopping;
        if (attempt || login->is_stopping)
            return attempt;
        struct timespec until = { due_ns / NS_PER_S, due_ns % NS_PER_S };
        if (due_ns == INT64_MAX)
            (void)pthread_cond_wait(&login->wake, &login->lock);
        else
            (void)pthread_cond_timedwait(&login->wake, &login->lock, &until);
    }
}

static void attempt_end(struct login *login)
{
    LOCKED(&login->lock);
    login->waiting--;
}

/* Back among those that wait: until its time. */
static void attempt_wait(struct login *login, struct attempt *attempt)
{
    LOCKED(&login->lock);
    attempt->next = login->first;
    login->first = attempt;
    (void)pthread_cond_signal(&login->wake);
}

static void *work(void *arg)
{
    struct login *login = arg;
    for (;;) {
        bool is_stopping;
        struct attempt *attempt = attempt_next(login, &is_stopping);
        if (!attempt)
            return NULL;
        /* Once it was responded to, it is no longer there. */
        bool is_over = true;
        if (attempt->due_ns > 0)
            attempt_refuse(attempt);
        else if (is_stopping)
            attempt_drop(attempt, "The server is stopping. Try again later.");
        else
            is_over = attempt_check(&login->context, attempt);
        if (is_over)
            attempt_end(login);
        else
            attempt_wait(login, attempt);
    }
}

/* ---- routes ---- */

static bool is_on(const struct login *login, struct net_request *request)
{
    if (!login->is_on)
        net_reply_problem(request, 404,
                          "users do not sign in here: see [login] in barod.conf(5)");
    return login->is_on;
}

static void handle_page(void *arg, struct net_request *request)
{
    struct span next = net_request_query(request, "next");
    bool is_encrypted;
    if (!is_on(arg, request))
        return;
    if (!net_request_is_private(request, &is_encrypted)) {
        net_reply_problem(request, 403,
                          "a password is accepted by TLS, loopback or the unix socket "
                          "only: set tls_certificate in [net]");
        return;
    }
    if (!login_next_is_ours(next))
        next = (struct span){ 0 };
    login_page_reply(request, 200, NULL, next);
}

static void handle_login(void *arg, struct net_request *request)
{
    struct login *login = arg;
    struct attempt *attempt = net_request_state(request);
    if (!is_on(login, request) || !attempt_admit(&login->context, attempt))
        return;
    if (attempt_push(login, attempt))
        return;
    attempt_charge(&login->context, attempt, -1); /* nothing was tried */
    attempt_drop(attempt, "Too many users sign in at the moment. Try again.");
}

static void handle_logout(void *arg, struct net_request *request)
{
    struct login *login = arg;
    struct session session;
    if (!is_on(login, request))
        return;
    if (net_request_is_foreign(request)) {
        net_reply_problem(request, 403,
                          "the form has to come from this server's own "
                          "page");
        return;
    }
    struct span cookie =
        net_request_cookie(request, net_request_session_cookie(request));
    if (session_end(login->context.sessions, cookie, &session))
        login_audit(request, "/v1/logout", 303, &session.token,
                    span_of(session.token.user), net_request_origin(request));
    login_cookie_reply(request, "", 0, "/v1/login");
}

static int add_routes(struct login *login, struct net_server *server)
{
    static const char *const types[] = { "application/x-www-form-urlencoded", NULL };
    const struct net_route routes[] = {
        { .method = "GET",
          .pattern = "/v1/login",
          .handle = handle_page,
          .arg = login },
        { .method = "POST",
          .pattern = "/v1/login",
          .handle = handle_login,
          .body = &attempt_body,
          .content_types = types,
          .arg = login },
        { .method = "POST",
          .pattern = "/v1/logout",
          .handle = handle_logout,
          .arg = login },
    };
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < COUNT_OF(routes); i++)
        rc = net_server_add_route(server, &routes[i]);
    return rc;
}

/* ---- start and stop ---- */

static int context_fill(struct login *login, struct net_server *server, struct err *err)
{
    struct login_context *c = &login->context;
    const struct rate_limit limits[RATE_KIND_COUNT] = {
        [RATE_REQUESTS] = { (double)c->opts->rate_address / 60,
                            (double)c->opts->rate_address },
        [RATE_FAILURES] = { (double)c->opts->rate_name / 60,
                            (double)c->opts->rate_name },
    };
    c->helper.path = *c->opts->helper
                         ? c->opts->helper
                         : helper_find(BARO_LIBEXECDIR "/baro-pam", login->helper_path);
    c->helper.service = c->opts->service;
    c->helper.directory = c->opts->directory;
    c->helper.timeout_ns = c->opts->timeout_ns;
    int rc = login_helper_examine(&c->helper, err);
    if (rc == 0)
        rc = sessions_new(&c->sessions);
    if (rc == 0)
        rc = net_server_accept_sessions(server, c->sessions, err);
    if (rc < 0)
        return err_prefix(err, rc, "login");
    c->rate = rate_new(limits);
    c->helper.stop_fd = login->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (!c->rate)
        return -ENOMEM;
    return login->stop_fd < 0 ? err_set(err, errno, "eventfd: %s", strerror(errno)) : 0;
}

/* Waits are in monotonic time. */
static void wake_init(pthread_cond_t *wake)
{
    pthread_condattr_t attributes;
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(wake, &attributes);
    (void)pthread_condattr_destroy(&attributes);
}

int login_new(const struct login_opts *opts, struct net_server *server,
              login_warn_fn *warn, void *arg, struct login **ret, struct err *err)
{
    AUTO(login_free) struct login *login = calloc(1, sizeof *login);
    if (!login)
        return -ENOMEM;
    login->stop_fd = -1;
    login->is_on = opts->service && *opts->service;
    login->context.opts = opts;
    login->context.warn = warn;
    login->context.warn_arg = arg;
    (void)pthread_mutex_init(&login->lock, NULL);
    wake_init(&login->wake);
    login_helper_init(&login->context.helper);
    int rc = login->is_on ? context_fill(login, server, err) : 0;
    if (rc == 0)
        rc = add_routes(login, server);
    if (rc == 0)
        *ret = TAKE(login);
    return rc;
}

int login_start(struct login *login, struct err *err)
{
    while (login->is_on && login->thread_count < LOGIN_WORKERS) {
        int rc =
            pthread_create(&login->threads[login->thread_count], NULL, work, login);
        if (rc != 0)
            return err_set(err, rc, "a thread for sign-in: %s", strerror(rc));
        login->thread_count++;
    }
    return 0;
}

void login_stop(struct login *login)
{
    if (!login || login->thread_count == 0)
        return;
    {
        LOCKED(&login->lock);
        login->is_stopping = true;
        (void)pthread_cond_broadcast(&login->wake);
    }
    (void)!eventfd_write(login->stop_fd, 1);
    while (login->thread_count > 0)
        (void)pthread_join(login->threads[--login->thread_count], NULL);
}

void login_free(struct login *login)
{
    if (!login)
        return;
    login_stop(login);
    if (login->stop_fd >= 0)
        (void)close(login->stop_fd);
    sessions_free(login->context.sessions);
    rate_free(login->context.rate);
    login_helper_done(&login->context.helper);
    (void)pthread_cond_destroy(&login->wake);
    (void)pthread_mutex_destroy(&login->lock);
    free(login);
}
