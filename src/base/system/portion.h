/* SPDX-License-Identifier: Apache-2.0 */
/* portion - parts of a limit: what is fixed stays, the others shrink until all fit.
 *
 *     wanted    ████████ ██████████████ ███████
 *     fitted    ████████ ████████░░░░░░ ████░░░     comfortable: all shrink alike
 *               ████████ ██░░░░░░░░░░░░ █░░░░░░     least: where that is not enough
 *               fixed
 */
#ifndef BASE_SYSTEM_PORTION_H
#define BASE_SYSTEM_PORTION_H

#include <stddef.h>
#include <stdint.h>

struct portion {
    uint64_t bytes;
    /* How far it may shrink, and how far where nothing else helps; both bytes where it
     * is fixed. */
    uint64_t comfortable_bytes, least_bytes;
};

uint64_t portion_sum(const struct portion *portions, size_t count);

/* Shrink to the comfortable limit; where the parts do not become as small as that
 * comfortably, their sum may be up to limit; where even that is not enough they shrink
 * to their least.  Errors: -ENOSPC (over limit even so; then all are at their least).
 */
int portion_fit(struct portion *portions, size_t count, uint64_t comfortable_limit,
                uint64_t limit);

#endif
