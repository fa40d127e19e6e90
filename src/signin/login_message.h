/* SPDX-License-Identifier: Apache-2.0 */
/* login_message - what barod sends to the helper that checks passwords, and gets back.
 *
 *     barod ──▶ "1" NUL address NUL user NUL password NUL group NUL ... end of file
 *           ◀── VERDICT " " KNOWN " " GROUPS " " USER "\n" end of file
 *
 * VERDICT is ok, denied, expired or unavailable; KNOWN 1 where the host has such a
 * user; GROUPS in hex, bit n of the n-th group sent: those the user is in; USER, where
 * ok or expired, the account's name in passwd, or as PAM has it where passwd has none.
 * What comes back is not believed further than that: modules of the site made
 * it.
 *
 * Threads  none inside.
 */
#ifndef SIGNIN_LOGIN_MESSAGE_H
#define SIGNIN_LOGIN_MESSAGE_H

#include "base/err.h"
#include "base/span_type.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    LOGIN_USER_MAX = 255,
    LOGIN_PASSWORD_MAX = 1024,
    LOGIN_ADDRESS_MAX = 64,
    LOGIN_GROUPS_MAX = 32,
    LOGIN_REQUEST_BYTES_MAX = 16384,
    LOGIN_RESPONSE_BYTES_MAX = 512,
};

enum login_verdict {
    LOGIN_OK,
    LOGIN_DENIED,
    LOGIN_EXPIRED,     /* the password was right; it or the account has ended */
    LOGIN_UNAVAILABLE, /* it could not be checked */
    _LOGIN_VERDICT_COUNT,
};

struct login_question {
    struct span address, user, password;
    struct span groups[LOGIN_GROUPS_MAX];
    size_t group_count;
};

struct login_result {
    enum login_verdict verdict;
    bool is_known;
    uint32_t groups;
    char user[LOGIN_USER_MAX + 1];
};

/* Append it.  Errors: -EINVAL (a NUL, too long), -ENOMEM. */
int login_question_print(const struct login_question *question, struct strbuf *out);
/* Spans are in text.  Errors: -EBADMSG. */
int login_question_parse(struct span text, struct login_question *ret);
void login_result_print(const struct login_result *result, struct strbuf *out);
/* Errors: -EBADMSG. */
int login_result_parse(struct span text, struct login_result *ret);

#endif
