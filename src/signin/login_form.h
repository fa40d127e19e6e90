/* SPDX-License-Identifier: Apache-2.0 */
/* login_form - what a browser submits to sign in, and the page it does it on.
 *
 * Threads  none inside.
 */
#ifndef SIGNIN_LOGIN_FORM_H
#define SIGNIN_LOGIN_FORM_H

#include "base/err.h"
#include "base/span_type.h"
#include "base/strbuf.h"
#include "signin/login_message.h"

#include <stdbool.h>

enum {
    LOGIN_FORM_BYTES_MAX = 8192,
    LOGIN_SECRET_SIZE = 33, /* of 16 bytes in hex, with the NUL */
    LOGIN_NEXT_MAX = 512,
};

/* "user=alice&password=...&form=...&next=%2Fv1%2Fjobs", decoded. */
struct login_form {
    char user[LOGIN_USER_MAX + 1];
    char password[LOGIN_PASSWORD_MAX + 1];
    char secret[LOGIN_SECRET_SIZE]; /* the field "form" */
    char next[LOGIN_NEXT_MAX + 1];  /* "": none, or not one of ours */
};

/* Errors: -EINVAL (err has the field: twice, too long, not text). */
int login_form_parse(struct span text, struct login_form *ret, struct err *err);
/* Is it a path of this server and nothing else?  No browser may understand it as
 * another host. */
bool login_next_is_ours(struct span path);
/* The name with the letters of ASCII in lower case: one text for all that can sign in
 * to one account. */
void login_name_fold(const char *name, char out[static LOGIN_USER_MAX + 1]);
/* Do they differ in that case at most? */
bool login_name_is_same(const char *a, const char *b);
/* Equal, in the same time wherever they differ; and not empty. */
bool login_secret_is(const char *own, struct span other);

struct login_page {
    const char *message; /* NULL: none; what went wrong */
    const char *secret;
    struct span next;
    struct span user;    /* who is signed in; size 0: none */
    const char *roles;   /* of that user */
    const char *expires; /* its session; "": it is none */
};

void login_page_print(const struct login_page *page, struct strbuf *out);
extern const char login_page_policy[];

#endif
