/* SPDX-License-Identifier: Apache-2.0 */
/* filler - packs being filled in staging, then made part of the store. */
#include "dataset/repository/store.h"

#include <inttypes.h>
#include <string.h>

int chunk_store_filler_begin(struct repository *r, const struct staging *staging,
                             struct chunk_store_filler *ret, struct err *err)
{
    struct chunk_store_filler filler = { .r = r, .staging = staging };
    int rc = chunk_store_next_pack(r, &filler.next_number, err);
    filler.first_number = filler.next_number;
    if (rc == 0)
        *ret = filler;
    return rc;
}

static void staged_path(const struct chunk_store_filler *filler, uint64_t number,
                        char path[static STORE_PATH_SIZE])
{
    (void)snprintf(path, STORE_PATH_SIZE, "%s/%016" PRIx64 ".pack",
                   filler->staging->dir, number);
}

void chunk_store_filler_done(struct chunk_store_filler *filler)
{
    char path[STORE_PATH_SIZE];
    pack_writer_free(filler->writer);
    free(filler->filled);
    /* What was not published: the next attempt has the same numbers. */
    for (uint64_t number = filler->first_number; number < filler->next_number;
         number++) {
        staged_path(filler, number, path);
        (void)unlink(path);
    }
    filler->first_number = filler->next_number;
    filler->writer = NULL;
    filler->filled = NULL;
}

static int pack_begin(struct chunk_store_filler *filler, struct err *err)
{
    char path[STORE_PATH_SIZE];
    staged_path(filler, filler->next_number, path);
    int rc = pack_writer_new(path, filler->next_number, &filler->writer, err);
    if (rc == 0)
        filler->next_number++;
    return rc;
}

static int pack_end(struct chunk_store_filler *filler, struct err *err)
{
    struct chunk_store_filled *more = reallocarray(
        filler->filled, filler->filled_count + 1, sizeof filler->filled[0]);
    if (!more)
        return -ENOMEM;
    filler->filled = more;
    int rc = pack_writer_sync(filler->writer, err);
    if (rc < 0)
        return rc;
    filler->filled[filler->filled_count++] = (struct chunk_store_filled){
        .number = pack_writer_number(filler->writer),
        .bytes = pack_writer_bytes(filler->writer),
    };
    pack_writer_free(TAKE(filler->writer));
    return 0;
}

int chunk_store_filler_add(struct chunk_store_filler *filler,
                           const struct digest *digest, const uint8_t *data,
                           uint32_t size, struct pack_position *ret, struct err *err)
{
    int rc = 0;
    if (filler->writer && pack_writer_bytes(filler->writer) >= PACK_BYTES_MAX)
        rc = pack_end(filler, err);
    if (rc == 0 && !filler->writer)
        rc = pack_begin(filler, err);
    return rc < 0 ? rc : pack_writer_add(filler->writer, digest, data, size, ret, err);
}

static int leftovers_record(struct chunk_store_filler *filler, struct err *err)
{
    AUTO(catalogue_change_done) struct catalogue_change change = { 0 };
    int rc = catalogue_begin(filler->r->db, &change, err);
    for (size_t i = 0; rc == 0 && i < filler->filled_count; i++)
        rc = chunk_store_leftover_add(filler->r, filler->filled[i].number, err);
    return rc < 0 ? rc : catalogue_commit(&change, err);
}

int chunk_store_filler_publish(struct chunk_store_filler *filler, struct err *err)
{
    char from[STORE_PATH_SIZE], to[STORE_PATH_SIZE];
    int rc = filler->writer ? pack_end(filler, err) : 0;
    if (rc < 0 || !filler->filled_count)
        return rc;
    rc = leftovers_record(filler, err);
    for (size_t i = 0; rc == 0 && i < filler->filled_count; i++) {
        staged_path(filler, filler->filled[i].number, from);
        chunk_store_pack_path(filler->r, filler->filled[i].number, to);
        if (rename(from, to) < 0)
            rc = err_set(err, errno, "rename '%s': %s", from, strerror(errno));
    }
    (void)snprintf(to, sizeof to, "%s/packs", filler->r->dir);
    return rc < 0 ? rc : file_sync_dir(to, err);
}

int chunk_store_filler_record(struct chunk_store_filler *filler, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    AUTO_STATEMENT sqlite3_stmt *leftover = NULL;
    int rc = catalogue_prepare(
        filler->r->db, "INSERT INTO pack(number, bytes) VALUES(?, ?)", &statement, err);
    if (rc == 0)
        rc = catalogue_prepare(filler->r->db, "DELETE FROM leftover WHERE number = ?",
                               &leftover, err);
    for (size_t i = 0; rc == 0 && i < filler->filled_count; i++) {
        (void)sqlite3_bind_int64(statement, 1, (int64_t)filler->filled[i].number);
        (void)sqlite3_bind_int64(statement, 2, (int64_t)filler->filled[i].bytes);
        rc = catalogue_run(statement, err);
        (void)sqlite3_bind_int64(leftover, 1, (int64_t)filler->filled[i].number);
        if (rc == 0)
            rc = catalogue_run(leftover, err);
    }
    return rc;
}
