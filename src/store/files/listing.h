/* SPDX-License-Identifier: Apache-2.0 */
/* listing - which manifests and segments of logs are in a store's directory.
 *
 * Threads  none inside.
 */
#ifndef STORE_FILES_LISTING_H
#define STORE_FILES_LISTING_H

#include "base/cleanup.h"
#include "base/err.h"
#include "blocks/blocks.h"

struct segments {
    uint64_t *numbers; /* in order */
    size_t count, capacity;
};

struct store_listing {
    uint64_t *manifests; /* their checkpoints, in order */
    size_t manifest_count, manifest_capacity;
    struct segments logs[MANIFEST_SHARDS_MAX];
    uint64_t last_checkpoint; /* the highest number that a file has; 0: none */
    uint64_t last_segment;
};

void listing_done(struct store_listing *listing);
DEFINE_AUTO_DONE(struct store_listing, listing_done);

/* Names that no file of a store has are passed over.  *ret is the caller's.
 * Errors: errno of opendir, -ENOMEM. */
int listing_read(const char *dir, struct store_listing *ret, struct err *err);

#endif
