/* SPDX-License-Identifier: Apache-2.0 */
/* batches - the rows of one read, as compressed batches.
 *
 *     (entry, observation) ... ──▶ JSON ──full, or finished──▶ zstd, entries, number
 *
 * Threads  one at a time.
 */
#ifndef AGENT_BATCHES_H
#define AGENT_BATCHES_H

#include "base/strbuf.h"
#include "base/uuid.h"
#include "model/model.h"

#define AGENT_BATCH_ENTRIES_MAX 5000
#define AGENT_BATCH_BYTES_MAX (UINT32_C(24) << 20) /* the server accepts 32 MiB */

struct agent_batch {
    struct strbuf data; /* zstd */
    uint32_t entries;
    uint64_t number;
};

struct agent_batches; /* opaque: gathers rows, closes a batch when it is full */

/* *number, of the last batch before, grows with each one that is begun; it and server
 * must outlive the batches.  Errors: -ENOMEM. */
int agent_batches_new(const struct uuid *uuid, struct span server, uint64_t *number,
                      struct agent_batches **ret);
void agent_batches_free(struct agent_batches *batches);
DEFINE_AUTO(struct agent_batches, agent_batches_free);
/* An observe_row_fn.  Errors: -ENOMEM. */
int agent_batches_row(void *batches, const struct entry *entry,
                      const struct observation *seen);
/* Close the last batch; an empty one is none.  Errors: -ENOMEM. */
int agent_batches_finish(struct agent_batches *batches);
size_t agent_batches_count(const struct agent_batches *batches);
const struct agent_batch *agent_batches_at(const struct agent_batches *batches,
                                           size_t index);

#endif
