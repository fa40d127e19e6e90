/* SPDX-License-Identifier: Apache-2.0 */
/* revoked - the ids of tokens that hold no more, out of a file that may change.
 *
 * Threads  any; the list is under a lock that is not held while the file is read.
 *          revoked_refresh() is for one thread at a time.
 */
#ifndef NET_REVOKED_H
#define NET_REVOKED_H

#include "base/err.h"
#include "base/hashmap.h"

#include <pthread.h>
#include <time.h>

struct revoked {
    pthread_mutex_t lock;
    const char *path;
    struct hashmap ids;
    struct timespec mtime; /* of the file that was read */
};

/* path NULL or "": no token is revoked.  It outlives the list. */
void revoked_init(struct revoked *revoked, const char *path);
void revoked_done(struct revoked *revoked);
/* Read the file where it has changed.  On failure the list stays as it was.
 * Errors: what stat(), file_read() and token_revoked_parse() report. */
int revoked_refresh(struct revoked *revoked, struct err *err);
bool revoked_has(struct revoked *revoked, const char *id);

#endif
