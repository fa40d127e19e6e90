/* SPDX-License-Identifier: Apache-2.0 */
/* login_attempt - one request to sign in, from its body to its response. */
#include "signin/login_attempt.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"

#include <arpa/inet.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUTE "/v1/login"

__attribute__((format(printf, 2, 3))) static void warn(
    const struct login_context *context, const char *format, ...)
{
    char text[1024];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (context->warn)
        context->warn(context->warn_arg, text);
}

/* ---- the body ---- */

static int attempt_begin(void *arg, struct net_request *request, void **ret_state,
                         struct err *err)
{
    bool is_encrypted;
    (void)arg;
    if (!net_request_is_private(request, &is_encrypted))
        return err_set(err, EACCES,
                       "a password is accepted by TLS, loopback or the unix socket "
                       "only: set tls_certificate in [net]");
    if (net_request_is_foreign(request))
        return err_set(err, EACCES, "the form has to come from this server's own page");
    struct attempt *attempt = calloc(1, sizeof *attempt);
    if (!attempt)
        return -ENOMEM;
    attempt->request = request;
    if (net_request_charge(request, sizeof *attempt) < 0) {
        free(attempt);
        return err_set(err, EAGAIN, "too many bodies at once: try again");
    }
    *ret_state = attempt;
    return 0;
}

static int attempt_data(void *state, struct net_request *request, const void *data,
                        size_t size, struct err *err)
{
    struct attempt *attempt = state;
    (void)request;
    if (size > sizeof attempt->body - attempt->body_size)
        return err_set(err, EMSGSIZE, "the form is over %d bytes",
                       LOGIN_FORM_BYTES_MAX);
    memcpy(attempt->body + attempt->body_size, data, size);
    attempt->body_size += size;
    return 0;
}

static void attempt_free(void *state)
{
    explicit_bzero(state, sizeof(struct attempt));
    free(state);
}

const struct net_body attempt_body = { attempt_begin, attempt_data, attempt_free };

/* ---- who it is, and whether it may ---- */

/* The address that the proxy states last is the one that it saw itself. */
static struct span forwarded_for(const struct net_request *request)
{
    struct span rest = net_request_header_last(request, "X-Forwarded-For"),
                last = { 0 };
    while (rest.size > 0)
        (void)span_cut(&rest, ',', &last);
    return span_trim(last);
}

/* As the server has them: of IPv6 the /64, which is one host's. */
static bool address_print(struct span text, char out[static LOGIN_ADDRESS_MAX])
{
    char address[INET6_ADDRSTRLEN], prefix[INET6_ADDRSTRLEN];
    struct in_addr in4;
    struct in6_addr in6;
    if (text.size == 0 || text.size >= sizeof address)
        return false;
    memcpy(address, text.data, text.size);
    address[text.size] = '\0';
    if (inet_pton(AF_INET, address, &in4) == 1) {
        (void)snprintf(out, LOGIN_ADDRESS_MAX, "%s", address);
        return true;
    }
    if (inet_pton(AF_INET6, address, &in6) != 1)
        return false;
    if (IN6_IS_ADDR_V4MAPPED(&in6)) {
        (void)inet_ntop(AF_INET, in6.s6_addr + 12, out, LOGIN_ADDRESS_MAX);
        return true;
    }
    memset(in6.s6_addr + 8, 0, 8);
    (void)inet_ntop(AF_INET6, &in6, prefix, sizeof prefix);
    (void)snprintf(out, LOGIN_ADDRESS_MAX, "%s/64", prefix);
    return true;
}

static uint64_t key_of(const char *kind, const char *text)
{
    char name[LOGIN_USER_MAX + 32];
    (void)snprintf(name, sizeof name, "%s %s", kind, text);
    return rate_key(span_of(name));
}

static void attempt_name(struct attempt *attempt)
{
    const struct net_request *request = attempt->request;
    char name[LOGIN_USER_MAX + 1];
    if (!net_request_is_proxied(request) ||
        !address_print(forwarded_for(request), attempt->address))
        (void)snprintf(attempt->address, sizeof attempt->address, "%s",
                       net_request_origin(request));
    attempt->address_key = key_of("address", attempt->address);
    login_name_fold(attempt->form.user, name);
    attempt->name_key = key_of("name", name);
}

void attempt_charge(struct login_context *context, const struct attempt *attempt,
                    double amount)
{
    int64_t now_ns = clock_monotonic_ns();
    rate_charge(context->rate, attempt->address_key, RATE_REQUESTS, amount, now_ns);
    rate_charge(context->rate, attempt->name_key, RATE_FAILURES, amount, now_ns);
}

static bool is_within_rates(struct login_context *context, struct attempt *attempt)
{
    int64_t now_ns = clock_monotonic_ns();
    int64_t of_address =
        rate_wait_ns(context->rate, attempt->address_key, RATE_REQUESTS, now_ns);
    int64_t of_name =
        rate_wait_ns(context->rate, attempt->name_key, RATE_FAILURES, now_ns);
    int64_t wait_ns = of_address > of_name ? of_address : of_name;
    char seconds[24];
    if (wait_ns <= 0)
        return true;
    (void)snprintf(seconds, sizeof seconds, "%lld",
                   (long long)(wait_ns / NS_PER_S + 1));
    net_reply_header(attempt->request, "Retry-After", seconds);
    login_audit(attempt->request, ROUTE, 429, NULL, (struct span){ 0 },
                attempt->address);
    login_page_reply(attempt->request, 429,
                     "Too many attempts to sign in. Wait a minute, then try again.",
                     span_of(attempt->form.next));
    return false;
}

/* A page elsewhere can submit a form here, with a name and password of its own: it has
 * neither the cookie nor the field that belongs to it. */
static bool is_own_form(const struct attempt *attempt)
{
    struct span cookie =
        net_request_cookie(attempt->request, login_form_cookie(attempt->request));
    return login_secret_is(attempt->form.secret, cookie);
}

bool attempt_admit(struct login_context *context, struct attempt *attempt)
{
    struct err err = { 0 };
    struct span body = { attempt->body, attempt->body_size };
    int rc = login_form_parse(body, &attempt->form, &err);
    explicit_bzero(attempt->body, sizeof attempt->body);
    if (rc < 0) {
        net_reply_error(attempt->request, rc, &err);
        return false;
    }
    attempt_name(attempt);
    if (!is_own_form(attempt)) {
        login_page_reply(attempt->request, 403,
                         "This page was open for too long, or cookies are off. Try "
                         "again.",
                         span_of(attempt->form.next));
        return false;
    }
    if (!is_within_rates(context, attempt))
        return false;
    /* From here on: a client can hold its body back for as long as it likes. */
    attempt->begun_ns = clock_monotonic_ns();
    attempt_charge(context, attempt, 1);
    return true;
}

/* ---- the check ---- */

void attempt_drop(struct attempt *attempt, const char *message)
{
    explicit_bzero(attempt->form.password, sizeof attempt->form.password);
    net_reply_header(attempt->request, "Retry-After", "10");
    login_page_reply(attempt->request, 503, message, span_of(attempt->form.next));
}

/* The name is logged only where it is one: people type passwords there. */
void attempt_refuse(struct attempt *attempt)
{
    bool is_expired = attempt->result.verdict == LOGIN_EXPIRED;
    struct span user = { 0 };
    if (attempt->result.is_known)
        user = span_of(attempt->form.user);
    login_audit(attempt->request, ROUTE, 401, NULL, user, attempt->address);
    login_page_reply(attempt->request, 401,
                     is_expired ? "The password or the account has expired."
                                : "The user name or the password is wrong.",
                     span_of(attempt->form.next));
}

static int helper_check(struct login_context *context, struct attempt *attempt,
                        struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    size_t count;
    const struct access_rules *rules = net_request_rules(attempt->request);
    const struct span *groups = access_rules_groups(rules, &count);
    struct login_question question = {
        .address = span_of(attempt->address),
        .user = span_of(attempt->form.user),
        .password = span_of(attempt->form.password),
    };
    for (size_t i = 0; i < count && i < LOGIN_GROUPS_MAX; i++)
        question.groups[question.group_count++] = groups[i];
    /* At once as large as ever, so that no copy of it is left behind. */
    int rc = strbuf_reserve(&text, LOGIN_REQUEST_BYTES_MAX);
    if (rc == 0)
        rc = login_question_print(&question, &text);
    explicit_bzero(attempt->form.password, sizeof attempt->form.password);
    if (rc == 0)
        rc = login_helper_check(&context->helper, strbuf_span(&text), &attempt->result,
                                err);
    if (text.data)
        explicit_bzero(text.data, text.size);
    return rc;
}

/* What the rules grant to the user and the groups. */
static void session_grant(const struct login_context *context,
                          const struct attempt *attempt, struct session *session)
{
    const struct access_rules *rules = net_request_rules(attempt->request);
    size_t count;
    const struct span *all = access_rules_groups(rules, &count);
    struct span groups[ACCESS_GROUPS_MAX], accounts[ACCESS_ACCOUNTS_MAX];
    struct access_client client = { .roles = NET_ROLE_USER,
                                    .user = span_of(attempt->result.user),
                                    .groups = groups };
    struct token *token = &session->token;
    for (size_t i = 0; i < count; i++)
        if (attempt->result.groups & UINT32_C(1) << i)
            groups[client.group_count++] = all[i];
    if (!access_rules_grant(rules, &client, accounts))
        warn(context,
             "user '" SPAN_FMT "' is manager of over %d accounts by the rules in "
             "[access]: the first ones count",
             SPAN_ARG(client.user), ACCESS_ACCOUNTS_MAX);
    session->roles = client.roles;
    (void)net_role_parse(span_of(access_roles_name(client.roles)), &token->role);
    (void)snprintf(token->user, sizeof token->user, "%s", attempt->result.user);
    for (size_t i = 0; i < client.account_count; i++)
        (void)snprintf(token->accounts[i], sizeof token->accounts[i], SPAN_FMT,
                       SPAN_ARG(client.accounts[i]));
    token->account_count = client.account_count;
}

static int sign_in(struct login_context *context, struct attempt *attempt)
{
    struct session session = { 0 };
    char text[SESSION_TEXT_SIZE];
    int64_t now_s = clock_now_ns() / NS_PER_S;
    int64_t lifetime_s = context->opts->lifetime_ns / NS_PER_S;
    struct net_request *request = attempt->request;
    session_grant(context, attempt, &session);
    session.token.expires_s = now_s + lifetime_s;
    int rc = session_issue(context->sessions, &session, now_s, text);
    if (rc < 0)
        return rc;
    /* The one before is not left behind. */
    (void)session_end(context->sessions,
                      net_request_cookie(request, net_request_session_cookie(request)),
                      NULL);
    login_audit(request, ROUTE, 303, &session.token, span_of(session.token.user),
                attempt->address);
    login_cookie_reply(request, text, lifetime_s,
                       attempt->form.next[0] ? attempt->form.next : ROUTE);
    explicit_bzero(text, sizeof text);
    return 0;
}

/* Modules and name services may understand many forms of a name (ALICE, alice@SITE) as
 * one account.  Only those that are one to the rates sign in; others are refused like a
 * wrong password, so that they are worth nothing to who guesses. */
static void hold_to_name(const struct login_context *context, struct attempt *attempt)
{
    struct login_result *result = &attempt->result;
    bool is_right = result->verdict == LOGIN_OK || result->verdict == LOGIN_EXPIRED;
    if (!is_right || login_name_is_same(attempt->form.user, result->user))
        return;
    if (result->verdict == LOGIN_OK)
        warn(context, "'%s' is the account '%s', which signs in by that name only",
             attempt->form.user, result->user);
    result->verdict = LOGIN_DENIED;
}

bool attempt_check(struct login_context *context, struct attempt *attempt)
{
    struct err err = { 0 };
    struct login_result *result = &attempt->result;
    bool is_name = token_is_name(span_of(attempt->form.user), LOGIN_USER_MAX) &&
                   attempt->form.password[0];
    int rc = 0;
    result->verdict = LOGIN_DENIED;
    if (is_name)
        rc = helper_check(context, attempt, &err);
    if (rc == 0)
        hold_to_name(context, attempt);
    if (rc == 0 && result->verdict == LOGIN_OK) {
        attempt_charge(context, attempt, -1);
        rc = sign_in(context, attempt);
        if (rc == 0)
            return true;
    }
    if (rc == 0 && result->verdict != LOGIN_UNAVAILABLE) {
        attempt->due_ns = attempt->begun_ns + context->opts->delay_ns;
        return false;
    }
    /* Else it stays charged: while PAM is away a client may not try without a limit. */
    if (rc < 0 && result->verdict == LOGIN_OK)
        attempt_charge(context, attempt, 1);
    if (rc == 0)
        (void)err_set(&err, EIO, "PAM service '%s': no module could decide",
                      context->opts->service);
    if (rc != -ECANCELED)
        warn(context, "%s; the user gets 503", err.text[0] ? err.text : strerror(-rc));
    login_audit(attempt->request, ROUTE, 503, NULL, (struct span){ 0 },
                attempt->address);
    attempt_drop(attempt,
                 "Passwords cannot be checked at the moment. Try again later.");
    return true;
}
