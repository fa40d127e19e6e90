/* SPDX-License-Identifier: Apache-2.0 */
/* replay - the logs of a directory, read into memory again.
 *
 * Threads  a replay belongs to one; the parts of a store that it changes are guarded as
 *          ever, so that several may go on beside each other.
 */
#ifndef STORE_REPLAY_H
#define STORE_REPLAY_H

#include "store/metric_store.h"

struct replay;

/* Errors: -ENOMEM. */
int replay_new(struct metric_store *store, struct replay **ret);
void replay_free(struct replay *replay);
DEFINE_AUTO(struct replay, replay_free);

/* The log knows this series by number, and up to applied it is in it already.
 * Errors: -EBADMSG (the number), -ENOMEM. */
int replay_bind(struct replay *replay, uint32_t number, struct level_series *series,
                uint64_t applied);

/* One segment.  What a crash left at its end is cut off; damage is logged, and the file
 * saved under another name.  Errors: errno of file operations, -ENOMEM. */
int replay_segment(struct replay *replay, const char *path, struct err *err);

struct replay_result {
    uint64_t last_sequence;
    uint64_t samples;
    uint64_t lost_samples; /* of series that no record names */
    uint32_t last_number;
    bool is_damaged;
};
const struct replay_result *replay_result(const struct replay *replay);

#endif
