/* SPDX-License-Identifier: Apache-2.0 */
/* store - the directory of a repository: locks, staging, packs. */
#ifndef DATASET_REPOSITORY_STORE_H
#define DATASET_REPOSITORY_STORE_H

#include "base/file.h"
#include "dataset/repository/catalogue.h"
#include "dataset/repository/index.h"
#include "dataset/repository/pack.h"
#include "dataset/repository/repository.h"

#include <limits.h>

#define STORE_PATH_SIZE PATH_MAX

struct repository {
    char dir[STORE_PATH_SIZE - 128]; /* absolute */
    sqlite3 *db;
    int64_t writer_wait_ns;   /* for writer.lock, then -EAGAIN; 0: until it is free */
    sqlite3_stmt *find_chunk; /* made when first used */
    struct pack_reader *reader;
    int pack_fd; /* of pack_number, or -1 */
    uint64_t pack_number;
    repository_progress_fn progress;
    void *progress_arg;
};

/* One process writes; many read, but not while packs are removed.  The lock ends when
 * *ret_fd is closed. */
int chunk_store_lock_writer(struct repository *r, int *ret_fd, struct err *err);
int chunk_store_lock_reader(struct repository *r, int *ret_fd, struct err *err);
/* -EAGAIN, without a line: one reads now. */
int chunk_store_lock_readers_out(struct repository *r, int *ret_fd, struct err *err);

/* A directory of this process's own; *ret_fd holds it. */
struct staging {
    char dir[STORE_PATH_SIZE - 64];
    int fd;
};
int staging_new(struct repository *r, struct staging *ret, struct err *err);
void staging_done(struct staging *staging);
DEFINE_AUTO_DONE(struct staging, staging_done);

void chunk_store_pack_path(const struct repository *r, uint64_t number,
                           char path[static STORE_PATH_SIZE]);
/* For the holder of the writer's lock: files of killed processes are removed; the
 * number of the next pack.  A pack is removed where a row of the table leftover names
 * it, and only there: the row is written before the file is published, and goes in the
 * transaction that names the pack; gc writes it in the transaction that forgets one.
 */
int chunk_store_sweep(struct repository *r, struct err *err);
int chunk_store_leftover_add(struct repository *r, uint64_t number, struct err *err);
int chunk_store_leftovers_remove(struct repository *r, struct err *err);
int chunk_store_next_pack(struct repository *r, uint64_t *ret, struct err *err);
typedef int (*chunk_store_pack_fn)(void *arg, uint64_t number, struct err *err);
/* Every file of packs/. */
int chunk_store_each_pack(struct repository *r, chunk_store_pack_fn each, void *arg,
                          struct err *err);

struct stored_chunk {
    int64_t id; /* its row */
    struct digest digest;
    struct pack_position position;
};
/* content: CHUNK_SIZE_MAX bytes, to read the chunk into. */
typedef int (*chunk_store_chunk_fn)(void *arg, const struct stored_chunk *chunk,
                                    uint8_t *content, struct err *err);
/* What the catalogue has in a pack, in the order of the file. */
int chunk_store_each_chunk(struct repository *r, uint64_t pack,
                           chunk_store_chunk_fn each, void *arg, struct err *err);

/* Packs being filled: each becomes part of the store by chunk_store_filler_publish().
 */
struct chunk_store_filler {
    struct repository *r;
    const struct staging *staging;
    struct pack_writer *writer;
    uint64_t first_number, next_number;
    struct chunk_store_filled {
        uint64_t number, bytes;
    } * filled;
    size_t filled_count;
};
int chunk_store_filler_begin(struct repository *r, const struct staging *staging,
                             struct chunk_store_filler *ret, struct err *err);
void chunk_store_filler_done(struct chunk_store_filler *filler);
DEFINE_AUTO_DONE(struct chunk_store_filler, chunk_store_filler_done);
int chunk_store_filler_add(struct chunk_store_filler *filler,
                           const struct digest *digest, const uint8_t *data,
                           uint32_t size, struct pack_position *ret, struct err *err);
/* All are synced and in packs/: what remains is the transaction that names them. */
int chunk_store_filler_publish(struct chunk_store_filler *filler, struct err *err);
/* Their rows, in a transaction. */
int chunk_store_filler_record(struct chunk_store_filler *filler, struct err *err);

/* 1: known, *ret is where and *ret_id its row; 0: not known. */
int chunk_store_find(struct repository *r, const struct digest *digest,
                     struct pack_position *ret, int64_t *ret_id, struct err *err);
/* Verified, into data of CHUNK_SIZE_MAX bytes.  Errors: -EUCLEAN. */
int chunk_store_read(struct repository *r, const struct pack_position *position,
                     const struct digest *digest, uint8_t *data, struct err *err);
/* The same as it is stored, position->stored bytes; its checksum is compared. */
int chunk_store_read_stored(struct repository *r, const struct pack_position *position,
                            const struct digest *digest, uint8_t *stored,
                            struct err *err);
int chunk_store_index(struct repository *r, const struct digest *name,
                      struct dataset_index *ret, struct err *err);
void chunk_store_progress(const struct repository *r, uint64_t done, uint64_t count);

#endif
