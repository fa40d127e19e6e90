/* SPDX-License-Identifier: Apache-2.0 */
/* login_attempt - one request to sign in, from its body to its response; private.
 *
 * Threads  it belongs to its HTTP thread, then to a worker until that responds.
 */
#ifndef SIGNIN_LOGIN_ATTEMPT_H
#define SIGNIN_LOGIN_ATTEMPT_H

#include "net/net.h"
#include "signin/login.h"
#include "signin/login_form.h"
#include "signin/login_helper.h"
#include "signin/login_options.h"

struct attempt {
    struct attempt *next; /* of those that wait */
    struct net_request *request;
    int64_t begun_ns, due_ns; /* due: 0 until it was checked and refused */
    char body[LOGIN_FORM_BYTES_MAX];
    size_t body_size;
    struct login_form form;
    char address[LOGIN_ADDRESS_MAX];
    uint64_t address_key, name_key;
    struct login_result result;
};

/* What routes and workers share. */
struct login_context {
    const struct login_opts *opts;
    struct sessions *sessions;
    struct rate *rate; /* RATE_REQUESTS: of addresses; RATE_FAILURES: of names */
    struct login_helper helper;
    login_warn_fn *warn;
    void *warn_arg;
};

/* For the route: the body, which is erased. */
extern const struct net_body attempt_body;

/* Whether it is to be checked; else it was responded to. */
bool attempt_admit(struct login_context *context, struct attempt *attempt);
/* Its address and name, before the check, so that many at a time are counted, too;
 * amount -1: given back. */
void attempt_charge(struct login_context *context, const struct attempt *attempt,
                    double amount);
/* Checked by the helper.  Whether it was responded to; else it is refused at due_ns. */
bool attempt_check(struct login_context *context, struct attempt *attempt);
/* The refusal, whatever was wrong with name or password. */
void attempt_refuse(struct attempt *attempt);
/* 503 with this text on the page. */
void attempt_drop(struct attempt *attempt, const char *message);

/* The cookie that the form's hidden field is compared with. */
const char *login_form_cookie(const struct net_request *request);
/* The page as a response; message NULL: none. */
void login_page_reply(struct net_request *request, unsigned status, const char *message,
                      struct span next);
/* 303 to path, with the cookie; value "": it ends. */
void login_cookie_reply(struct net_request *request, const char *value,
                        int64_t lifetime_s, const char *path);
/* A line of the audit.  token NULL: none. */
void login_audit(const struct net_request *request, const char *route, unsigned status,
                 const struct token *token, struct span user, const char *origin);

#endif
