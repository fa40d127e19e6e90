/* SPDX-License-Identifier: Apache-2.0 */
/* https - requests of a target by HTTPS, with its section's credentials and authority.
 *
 * Redirects are not followed.
 *
 * Threads  any; a client is one thread's.
 */
#ifndef BMC_HTTPS_H
#define BMC_HTTPS_H

#include "bmc/target.h"
#include "net/net.h"

/* Errors: those of net_client_new(). */
int bmc_client_open(const struct bmc_target *target, size_t body_bytes_max,
                    struct net_client **ret, struct err *err);
/* 0 for 200 alone.  Errors: -EACCES (the credentials), -EPROTO (a redirect), -ENOENT
 * (404), -EIO. */
int bmc_status_check(const struct net_response *response, struct err *err);

#endif
