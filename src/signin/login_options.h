/* SPDX-License-Identifier: Apache-2.0 */
/* login_options - the section [login]: whether and how persons sign in by a password.
 */
#ifndef SIGNIN_LOGIN_OPTIONS_H
#define SIGNIN_LOGIN_OPTIONS_H

#include "base/config.h"

struct login_opts {
    const char *service;   /* of PAM; "" or NULL: no person signs in here */
    const char *directory; /* of PAM's files; "": PAM's own */
    const char *helper;    /* PATH or "unix:PATH" */
    int64_t lifetime_ns;   /* of a session */
    int64_t timeout_ns;    /* of one check */
    int64_t delay_ns;      /* of a refusal, from the request's arrival */
    uint64_t rate_address; /* refusals in a minute */
    uint64_t rate_name;
};

extern const struct config_section login_config_section;

#endif
