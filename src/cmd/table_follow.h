/* SPDX-License-Identifier: Apache-2.0 */
/* table_follow - a table that is fetched and drawn again and again, until Ctrl-C.
 *
 * The first fetch's error ends it, before the terminal is taken over.  A later one is
 * shown in the table's place, and fetched again: a daemon that is restarted ends
 * nobody's watching.
 */
#ifndef CMD_TABLE_FOLLOW_H
#define CMD_TABLE_FOLLOW_H

#include "client/client.h"

#define TABLE_FOLLOW_NS (5 * NS_PER_S)

struct table_follow {
    const struct client_args *args; /* output and raw */
    int64_t interval_ns;            /* 0: TABLE_FOLLOW_NS */
    /* Into ret, which is initialised and empty. */
    int (*fetch_fn)(void *arg, struct table *ret, struct err *err);
    void *arg;
};

/* Errors: -EINVAL (output), those of fetch_fn, -EIO, -ENOMEM. */
int table_follow(const struct table_follow *follow, struct err *err);

#endif
