/* SPDX-License-Identifier: Apache-2.0 */
/* fsck - everything in a repository looked through, and nothing changed.
 *
 * Damage is what a dataset needs and has not; a note is what is there and not needed,
 * which a killed process leaves and the next writer or gc removes.
 */
#include "base/hashmap.h"
#include "base/span.h"
#include "dataset/repository/facts.h"

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

enum { COLUMN_KIND, COLUMN_WHERE, COLUMN_WHAT };

#define FINDINGS_MAX 1000U

struct fsck {
    struct repository *r;
    struct table *out;
    struct repository_state state;
    struct hashmap damaged; /* digests of chunks */
};

static void fsck_done(struct fsck *fsck)
{
    hashmap_done(&fsck->damaged);
}
DEFINE_AUTO_DONE(struct fsck, fsck_done);

static void found(struct fsck *fsck, bool is_damage, const char *where,
                  const char *what)
{
    if (is_damage)
        fsck->state.damages++;
    else
        fsck->state.notes++;
    if (fsck->out->row_count >= FINDINGS_MAX)
        return;
    table_add_row(fsck->out);
    table_set_text(fsck->out, COLUMN_KIND, span_of(is_damage ? "damage" : "note"));
    table_set_text(fsck->out, COLUMN_WHERE, span_of(where));
    table_set_text(fsck->out, COLUMN_WHAT, span_of(what));
}

/* ---- the catalogue by itself ---- */

static int sql_check(struct fsck *fsck, const char *sql, const char *is_well,
                     const char *what, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *rows = NULL;
    int rc = catalogue_prepare(fsck->r->db, sql, &rows, err);
    while (rc == 0 && (rc = catalogue_step(rows, err)) > 0) {
        const char *text = (const char *)sqlite3_column_text(rows, 0);
        if (!is_well || !text || strcmp(text, is_well) != 0)
            found(fsck, true, "catalogue.db", what ? what : text ? text : "damaged");
        rc = 0;
    }
    return rc;
}

/* ---- packs: each chunk read, decompressed, hashed ---- */

struct pack_finding {
    struct fsck *fsck;
    uint64_t count, damaged;
    struct err first;
};

static int damaged_add(struct fsck *fsck, const struct digest *digest)
{
    const struct span key = { (const char *)digest->bytes, DIGEST_SIZE };
    return hashmap_put(&fsck->damaged, key, NULL) ? 0 : -ENOMEM;
}

static int chunk_check(void *arg, const struct stored_chunk *chunk, uint8_t *content,
                       struct err *err)
{
    struct pack_finding *finding = arg;
    struct err why = { 0 };
    (void)err;
    finding->count++;
    int rc = chunk_store_read(finding->fsck->r, &chunk->position, &chunk->digest,
                              content, &why);
    if (rc == -ENOMEM)
        return rc;
    if (rc < 0 && finding->damaged++ == 0)
        finding->first = why;
    return rc < 0 ? damaged_add(finding->fsck, &chunk->digest) : 0;
}

/* The file itself: a note, since what it lacks is damage of its chunks. */
static void pack_file_check(struct fsck *fsck, uint64_t number, uint64_t bytes,
                            const char *path)
{
    struct err why = { 0 };
    struct stat st;
    char what[128];
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) < 0) {
        found(fsck, false, path, strerror(errno));
        return;
    }
    fsck->state.bytes += (uint64_t)st.st_size;
    (void)snprintf(what, sizeof what, "it has %jd bytes, and should have %" PRIu64,
                   (intmax_t)st.st_size, bytes);
    if ((uint64_t)st.st_size != bytes)
        found(fsck, false, path, what);
    if (pack_header_check(fd, number, &why) < 0)
        found(fsck, false, path, why.text);
}

static int packs_check(struct fsck *fsck, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *rows = NULL;
    char path[STORE_PATH_SIZE], what[640];
    int64_t count = 0;
    int rc = catalogue_number(fsck->r->db, "SELECT count(*) FROM pack", &count, err);
    if (rc == 0)
        rc = catalogue_prepare(fsck->r->db, "SELECT number, bytes FROM pack", &rows,
                               err);
    while (rc == 0 && (rc = catalogue_step(rows, err)) > 0) {
        uint64_t number = (uint64_t)sqlite3_column_int64(rows, 0);
        struct pack_finding finding = { .fsck = fsck };
        chunk_store_pack_path(fsck->r, number, path);
        pack_file_check(fsck, number, (uint64_t)sqlite3_column_int64(rows, 1), path);
        rc = chunk_store_each_chunk(fsck->r, number, chunk_check, &finding, err);
        fsck->state.chunks += finding.count;
        (void)snprintf(what, sizeof what,
                       "%" PRIu64 " of its %" PRIu64 " chunks are damaged: %s",
                       finding.damaged, finding.count, finding.first.text);
        if (finding.damaged)
            found(fsck, true, path, what);
        chunk_store_progress(fsck->r, ++fsck->state.packs, (uint64_t)count);
    }
    return rc;
}

static int pack_strange(void *arg, uint64_t number, struct err *err)
{
    struct fsck *fsck = arg;
    AUTO_STATEMENT sqlite3_stmt *row = NULL;
    char path[STORE_PATH_SIZE];
    int rc = catalogue_prepare(fsck->r->db,
                               "SELECT EXISTS(SELECT 1 FROM pack WHERE number = ?1),"
                               " EXISTS(SELECT 1 FROM leftover WHERE number = ?1)",
                               &row, err);
    if (rc < 0)
        return rc;
    (void)sqlite3_bind_int64(row, 1, (int64_t)number);
    rc = catalogue_step(row, err);
    if (rc <= 0 || sqlite3_column_int(row, 0))
        return rc < 0 ? rc : 0;
    chunk_store_pack_path(fsck->r, number, path);
    found(fsck, false, path,
          sqlite3_column_int(row, 1)
              ? "the catalogue does not name it: left by a process that was killed, or "
                "being added now"
              : "the catalogue does not know of it, so nothing removes it: was an "
                "older catalogue restored?");
    return rc < 0 ? rc : 0;
}

/* ---- datasets: their index, and what it needs ---- */

static int index_check(struct fsck *fsck, int64_t dataset,
                       const struct dataset_index *index, const char *text,
                       struct err *err)
{
    AUTO(hashmap_done) struct hashmap distinct = HASHMAP_INIT;
    AUTO_STATEMENT sqlite3_stmt *row = NULL;
    struct pack_position position;
    char what[128];
    size_t damaged = 0;
    int rc = 0;
    for (size_t i = 0; rc >= 0 && i < index->count; i++) {
        const struct digest *digest = &index->chunks[i].digest;
        const struct span key = { (const char *)digest->bytes, DIGEST_SIZE };
        bool is_new = false;
        if (!hashmap_put(&distinct, key, &is_new))
            return -ENOMEM;
        damaged += is_new && hashmap_get(&fsck->damaged, key);
        rc = is_new ? chunk_store_find(fsck->r, digest, &position, NULL, err) : 1;
        if (rc == 0 || (rc > 0 && is_new && position.size != index->chunks[i].size))
            found(fsck, true, text, "a chunk of it is not in the catalogue");
    }
    if (rc < 0)
        return rc;
    (void)snprintf(what, sizeof what,
                   "%zu of its chunks are damaged: create or import it again", damaged);
    if (damaged)
        found(fsck, true, text, what);
    rc = catalogue_prepare(
        fsck->r->db, "SELECT count(*) FROM dataset_chunk WHERE dataset = ?", &row, err);
    if (rc < 0)
        return rc;
    (void)sqlite3_bind_int64(row, 1, dataset);
    rc = catalogue_step(row, err);
    if (rc > 0 && (size_t)sqlite3_column_int64(row, 0) != distinct.count)
        found(fsck, true, text, "the catalogue counts other chunks than its index has");
    return rc < 0 ? rc : 0;
}

static int manifest_check(struct fsck *fsck, const struct digest *name,
                          const char *text)
{
    AUTO(strbuf_done) struct strbuf manifest = STRBUF_INIT;
    struct err why = { 0 };
    int rc = repository_manifest(fsck->r, name, &manifest, &why);
    if (rc == -EUCLEAN)
        found(fsck, true, text, why.text);
    return rc == -EUCLEAN ? 0 : rc;
}

static int datasets_check(struct fsck *fsck, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *rows = NULL;
    char text[DIGEST_TEXT_SIZE];
    int rc = catalogue_prepare(fsck->r->db, "SELECT id, name, bytes, root FROM dataset",
                               &rows, err);
    while (rc == 0 && (rc = catalogue_step(rows, err)) > 0) {
        AUTO(dataset_index_done) struct dataset_index index = { 0 };
        struct digest name, stated, root;
        struct err why = { 0 };
        rc = catalogue_digest(rows, 1, &name, err);
        if (rc == 0)
            rc = catalogue_digest(rows, 3, &stated, err);
        if (rc < 0)
            return rc;
        fsck->state.datasets++;
        digest_print(&name, text);
        rc = manifest_check(fsck, &name, text);
        if (rc < 0)
            return rc;
        rc = chunk_store_index(fsck->r, &name, &index, &why);
        if (rc == 0)
            rc = dataset_index_root(&index, &root);
        if (rc == -ENOMEM)
            return rc;
        if (rc < 0 || !digest_eq(&root, &stated) ||
            index.image_bytes != (uint64_t)sqlite3_column_int64(rows, 2)) {
            found(fsck, true, text,
                  why.text[0] ? why.text : "its index is not that of its row");
            rc = 0;
            continue;
        }
        rc = index_check(fsck, sqlite3_column_int64(rows, 0), &index, text, err);
    }
    return rc;
}

int repository_fsck(struct repository *r, struct table *out,
                    struct repository_state *ret, struct err *err)
{
    AUTO(catalogue_change_done) struct catalogue_change view = { 0 };
    AUTO_CLOSE int lock = -1;
    AUTO(fsck_done) struct fsck fsck = { .r = r, .out = out };
    table_add_column(out, "kind", TABLE_TEXT, "");
    table_add_column(out, "where", TABLE_TEXT, "");
    table_add_column(out, "what", TABLE_TEXT, "");
    int rc = chunk_store_lock_reader(r, &lock, err);
    if (rc == 0)
        rc = catalogue_exec(r->db, "BEGIN", err); /* one state of it throughout */
    if (rc == 0) {
        view.db = r->db;
        rc = sql_check(&fsck, "PRAGMA integrity_check", "ok", NULL, err);
    }
    if (rc == 0)
        rc = sql_check(&fsck, "PRAGMA foreign_key_check", NULL,
                       "a row refers to another that is not there", err);
    if (rc == 0)
        rc = packs_check(&fsck, err);
    if (rc == 0)
        rc = chunk_store_each_pack(r, pack_strange, &fsck, err);
    if (rc == 0)
        rc = datasets_check(&fsck, err);
    if (rc == 0)
        rc = table_error(out);
    if (rc == 0)
        *ret = fsck.state;
    return rc;
}
