/* SPDX-License-Identifier: Apache-2.0 */
/* login_account - the account of a right password, as passwd and group have it.
 *
 * Name services may wait for a network: for baro-pam's process, not for barod's.
 */
#ifndef SIGNIN_LOGIN_ACCOUNT_H
#define SIGNIN_LOGIN_ACCOUNT_H

#include "signin/login_message.h"

/* result->user is PAM's name of the account: it becomes the one that passwd has, which
 * may differ in case or by a domain; is_known whether passwd has it at all.  Of an
 * account that may sign in, groups are those of the question that it is in. */
void login_account_find(const struct login_question *question,
                        struct login_result *result);

#endif
