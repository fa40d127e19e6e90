/* SPDX-License-Identifier: Apache-2.0 */
/* chunk_target - a server that a dataset of a repository is pushed to.
 *
 *     PUSH: the index ─▶ PUSHED: what is missing ─▶ PUT that ─▶ COMMIT ─▶ COMMITTED
 *
 * What a server that ends, or a connection that is cut, has acknowledged is not sent
 * again: it is connected to once more, for as long as a minute without any progress.
 */
#ifndef DATASET_FORWARDER_CHUNK_CHUNK_TARGET_H
#define DATASET_FORWARDER_CHUNK_CHUNK_TARGET_H

#include "base/table/table.h"
#include "dataset/repository/repository.h"

struct chunk_target_opts {
    const char *to;    /* HOST:PORT, unix:PATH; NULL: what BARO_DATASET_SERVER has */
    const char *munge; /* as credential_opts_parse() has it; NULL: automatic */
    struct push_options facts;
    repository_progress_fn progress; /* in bytes */
    void *progress_arg;
};

struct chunk_target_sent {
    struct digest name;
    uint64_t image_bytes, chunk_count;
    uint64_t sent_chunks, sent_bytes; /* compressed, as they were acknowledged */
    uint64_t connections;
    uint32_t owner; /* whom the server has it from */
    bool was_there; /* the owner could read it before */
};

/* Errors: those of connect and of what the server refuses, with a line; -ENOENT. */
int chunk_target_push(struct repository *r, const char *spec,
                      const struct chunk_target_opts *opts,
                      struct chunk_target_sent *ret, struct err *err);
/* The same as a table of one row; and for a person, in a line. */
int chunk_target_table(const struct chunk_target_sent *sent, struct table *out);
void chunk_target_text(const struct chunk_target_sent *sent, char *out, size_t size);

#endif
