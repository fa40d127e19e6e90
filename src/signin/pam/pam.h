/* SPDX-License-Identifier: Apache-2.0 */
/* pam - checks one name and password by PAM.
 *
 *     question ──▶ service of PAM ──▶ verdict, and who it is to PAM
 *
 * Modules of PAM are the site's, and may block: this is of a process that does nothing
 * else, and ends by itself (baro-pam).  No session is opened.
 *
 * Threads  none: the texts of the conversation are of the process.
 */
#ifndef SIGNIN_PAM_PAM_H
#define SIGNIN_PAM_PAM_H

#include "signin/signin.h"

/* No core file with a password in it, no trace, an end in any case. */
void pam_protect(void);
/* service: a name in directory, or in PAM's own where that is NULL.  What is copied of
 * the password is gone afterwards. */
void pam_check(const char *service, const char *directory,
               const struct login_question *question, struct login_result *ret);

#endif
