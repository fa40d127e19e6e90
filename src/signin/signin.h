/* SPDX-License-Identifier: Apache-2.0 */
/* signin - persons sign in by name and password; the room's door.
 *
 *     GET  /v1/login   a page with a form
 *     POST /v1/login   ─▶ queue ─▶ worker ─▶ helper: PAM, a process each
 *                                    └─▶ 303 and a cookie, or a refusal, late
 *     POST /v1/logout  ends the session
 */
#ifndef SIGNIN_SIGNIN_H
#define SIGNIN_SIGNIN_H

#include "signin/login.h"
#include "signin/login_account.h"
#include "signin/login_message.h"
#include "signin/login_options.h"

#endif
