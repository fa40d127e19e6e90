/* SPDX-License-Identifier: Apache-2.0 */
/* address - HOST[:PORT] of a target as numbers, found before anything is sent there.
 *
 *     "bmc-a1", 623      ─▶ host 10.1.0.1, port 623
 *     "[fd00::1]:1623"   ─▶ host fd00::1, port 1623
 *
 * That a name is not resolved is a fault of names, not of what has the name: its error
 * is another than that of a target that does not respond.
 *
 * Bounds   the resolver's own time limit (resolv.conf(5): timeout, attempts).
 * Threads  any.
 */
#ifndef BMC_ADDRESS_H
#define BMC_ADDRESS_H

#include "base/err.h"

#include <stdbool.h>

struct bmc_address {
    char host[256]; /* as written, without brackets */
    char number[64];
    char port[8];
    bool is_v6;
};

/* Errors: -EHOSTUNREACH (no such name, or no response of the name servers), -ENOMEM. */
int bmc_address_resolve(const char *text, const char *default_port,
                        struct bmc_address *ret, struct err *err);

#endif
