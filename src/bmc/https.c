/* SPDX-License-Identifier: Apache-2.0 */
/* https - requests of a target by HTTPS. */
#include "bmc/https.h"

#include "base/number.h"

#define CONNECT_NS (5 * NS_PER_S) /* one that is away holds a thread no longer */

int bmc_status_check(const struct net_response *response, struct err *err)
{
    if (response->status == 200)
        return 0;
    if (response->status == 401 || response->status == 403)
        return err_set(err, EACCES,
                       "it refuses the credentials (status %u): see credentials",
                       response->status);
    if (response->status >= 300 && response->status < 400)
        return err_set(err, EPROTO,
                       "it responds with a redirect (%u), which is not "
                       "followed",
                       response->status);
    return err_set(err, response->status == 404 ? ENOENT : EIO,
                   "it responds with status %u", response->status);
}

int bmc_client_open(const struct bmc_target *target, size_t body_bytes_max,
                    struct net_client **ret, struct err *err)
{
    const struct bmc_section *section = target->section;
    AUTO(strbuf_done) struct strbuf url = STRBUF_INIT;
    strbuf_addf(&url, "https://%s", target->address);
    const struct net_client_opts opts = { .url = strbuf_text(&url),
                                          .user = section->user,
                                          .password = section->password,
                                          .ca_file = section->ca_file,
                                          .is_unverified = !section->is_verified,
                                          .connect_timeout_ns =
                                              section->timeout_ns < CONNECT_NS
                                                  ? section->timeout_ns
                                                  : CONNECT_NS,
                                          .timeout_ns = section->timeout_ns,
                                          .reply_bytes_max = body_bytes_max };
    return strbuf_error(&url) < 0 ? -ENOMEM : net_client_new(&opts, ret, err);
}
