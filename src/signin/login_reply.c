/* SPDX-License-Identifier: Apache-2.0 */
/* login_reply - the responses of sign-in: its page, its cookies, its lines of audit. */
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"
#include "signin/login_attempt.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

enum { COOKIE_BYTES_MAX = 256, FORM_LIFETIME_S = 3600 };

static void cookie_set(struct net_request *request, const char *name, const char *value,
                       int64_t lifetime_s)
{
    char text[COOKIE_BYTES_MAX];
    bool is_encrypted;
    (void)net_request_is_private(request, &is_encrypted);
    (void)snprintf(text, sizeof text,
                   "%s=%s; Path=/; Max-Age=%lld; HttpOnly; SameSite=Strict%s", name,
                   value, (long long)lifetime_s, is_encrypted ? "; Secure" : "");
    net_reply_header(request, "Set-Cookie", text);
    explicit_bzero(text, sizeof text);
}

/* The cookie that the form's hidden field is compared with. */
const char *login_form_cookie(const struct net_request *request)
{
    bool is_encrypted;
    (void)net_request_is_private(request, &is_encrypted);
    return is_encrypted ? "__Host-baro_form" : "baro_form";
}

/* That of the browser, so that several pages are valid at a time, or a new one. */
static void secret_fill(const struct net_request *request,
                        char secret[static LOGIN_SECRET_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    unsigned char bytes[(LOGIN_SECRET_SIZE - 1) / 2] = { 0 };
    struct span old = net_request_cookie(request, login_form_cookie(request));
    size_t count = 0;
    while (count < old.size && strchr(digits, old.data[count]))
        count++;
    secret[LOGIN_SECRET_SIZE - 1] = '\0';
    if (count == old.size && count == LOGIN_SECRET_SIZE - 1) {
        memcpy(secret, old.data, count);
        return;
    }
    secret[0] = '\0'; /* without randomness the form is refused */
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return;
    for (size_t i = 0; i < sizeof bytes; i++) {
        secret[2 * i] = digits[bytes[i] >> 4];
        secret[2 * i + 1] = digits[bytes[i] & 15];
    }
}

static void session_fill(const struct net_request *request, struct login_page *page,
                         char expires[static TIMETEXT_SIZE])
{
    const struct net_identity *identity = net_request_identity(request);
    expires[0] = '\0';
    page->user = identity->client.user;
    page->roles = access_roles_name(identity->client.roles);
    page->expires = expires;
    if (identity->token)
        (void)timetext_print_seconds(expires, identity->token->expires_s * NS_PER_S);
}

void login_page_reply(struct net_request *request, unsigned status, const char *message,
                      struct span next)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    char secret[LOGIN_SECRET_SIZE], expires[TIMETEXT_SIZE];
    struct login_page page = { .message = message, .secret = secret, .next = next };
    if (!message)
        session_fill(request, &page, expires);
    if (page.user.size == 0) {
        secret_fill(request, secret);
        cookie_set(request, login_form_cookie(request), secret, FORM_LIFETIME_S);
    }
    net_reply_header(request, "Content-Security-Policy", login_page_policy);
    net_reply_header(request, "X-Frame-Options", "DENY");
    net_reply_header(request, "Referrer-Policy", "same-origin");
    login_page_print(&page, &out);
    net_reply(request, status, "text/html; charset=utf-8", &out);
}

void login_cookie_reply(struct net_request *request, const char *value,
                        int64_t lifetime_s, const char *path)
{
    cookie_set(request, net_request_session_cookie(request), value, lifetime_s);
    net_reply_header(request, "Location", path);
    net_reply(request, 303, NULL, NULL);
}

void login_audit(const struct net_request *request, const char *route, unsigned status,
                 const struct token *token, struct span user, const char *origin)
{
    const struct net_audit audit = {
        .method = "POST",
        .route = route,
        .status = status,
        .role = token ? net_role_name(token->role) : net_role_name(NET_ROLE_NONE),
        .user = user,
        .token = token ? token->id : "",
        .origin = origin,
        .is_bounded = status != 429 && status != 503,
        .is_outage = status == 503,
    };
    net_request_audit(request, &audit);
}
