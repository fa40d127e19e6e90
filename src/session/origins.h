/* SPDX-License-Identifier: Apache-2.0 */
/* origins - the last publication that was seen of each rank that published: a table
 * that grows with them, and not with the session.
 */
#ifndef SESSION_ORIGINS_H
#define SESSION_ORIGINS_H

#include <stddef.h>
#include <stdint.h>

struct event_origin {
    uint32_t rank;
    uint64_t boot, publication; /* publication 0: none was seen */
};

struct origins {
    struct event_origin *slots; /* a power of two of them; publication 0: free */
    size_t count, capacity;
};

/* publication is 0 where none was seen. */
struct event_origin origins_find(const struct origins *origins, uint32_t rank);
/* publication > 0.  Errors: -ENOMEM. */
int origins_set(struct origins *origins, const struct event_origin *origin);
void origins_done(struct origins *origins);

#endif
