/* SPDX-License-Identifier: Apache-2.0 */
/* gc - datasets that nothing refers to are removed, then chunks, then packs.
 *
 *     1  one transaction: rows of datasets, and of chunks that none has any more
 *     2  packs less than half in use: what is in use goes to a new pack; one
 *        transaction moves the rows; then the file goes
 *     3  packs without a chunk: their rows, then their files
 *
 * Killed between any two steps, a file too many is left, never one too few.
 */
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "dataset/repository/facts.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

enum { COLUMN_DATASET, COLUMN_BYTES, COLUMN_ACTION, COLUMN_WHY };

struct gc {
    struct repository *r;
    const struct repository_gc *opts;
    struct table *out;
    struct repository_freed freed;
    int64_t now_ns;
    bool has_damage; /* in the pack that is cleaned now: its own, not the disk's that
                        is written */
};

/* ---- which datasets ---- */

static const char decide_sql[] =
    "SELECT id, name, bytes, admitted_ns,"
    " (SELECT min(name) FROM tag WHERE tag.dataset = dataset.id),"
    " (SELECT kind || ' ' || detail FROM ref WHERE ref.dataset = dataset.id"
    "  AND (expires_ns IS NULL OR expires_ns > ?1) ORDER BY id LIMIT 1)"
    " FROM dataset ORDER BY created_ns, id";

/* Why it stays; NULL: it does not. */
static const char *why_retained(const struct gc *gc, sqlite3_stmt *row, char *text,
                                size_t size)
{
    char duration[32];
    int64_t age_ns = gc->now_ns - sqlite3_column_int64(row, 3);
    struct span tag = catalogue_span(row, 4), ref = catalogue_span(row, 5);
    if (tag.size)
        (void)snprintf(text, size, "tag " SPAN_FMT, SPAN_ARG(tag));
    else if (ref.size)
        (void)snprintf(text, size, "reference: " SPAN_FMT, SPAN_ARG(span_trim(ref)));
    else if (age_ns < gc->opts->grace_ns) {
        number_print_duration(duration, sizeof duration, gc->opts->grace_ns);
        (void)snprintf(text, size, "younger than %s", duration);
    } else
        return NULL;
    return text;
}

static int dataset_remove(struct gc *gc, int64_t dataset, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *refs = NULL;
    AUTO_STATEMENT sqlite3_stmt *row = NULL;
    int rc = catalogue_prepare(gc->r->db, "DELETE FROM ref WHERE dataset = ?", &refs,
                               err); /* those that have expired */
    if (rc == 0)
        rc =
            catalogue_prepare(gc->r->db, "DELETE FROM dataset WHERE id = ?", &row, err);
    if (rc < 0)
        return rc;
    (void)sqlite3_bind_int64(refs, 1, dataset);
    (void)sqlite3_bind_int64(row, 1, dataset);
    rc = catalogue_run(refs, err);
    return rc < 0 ? rc : catalogue_run(row, err);
}

static int dataset_decide(struct gc *gc, sqlite3_stmt *row, struct err *err)
{
    char text[512], name[DIGEST_TEXT_SIZE];
    struct digest digest;
    const char *why = why_retained(gc, row, text, sizeof text);
    int rc = catalogue_digest(row, 1, &digest, err);
    if (rc < 0)
        return rc;
    digest_print(&digest, name);
    table_add_row(gc->out);
    table_set_text(gc->out, COLUMN_DATASET, span_of(name));
    table_set_u64(gc->out, COLUMN_BYTES, (uint64_t)sqlite3_column_int64(row, 2));
    table_set_text(gc->out, COLUMN_ACTION, span_of(why ? "retain" : "remove"));
    table_set_text(gc->out, COLUMN_WHY, span_of(why ? why : "nothing refers to it"));
    if (why)
        return 0;
    gc->freed.datasets++;
    return gc->opts->is_trial ? 0
                              : dataset_remove(gc, sqlite3_column_int64(row, 0), err);
}

static int datasets_decide(struct gc *gc, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *rows = NULL;
    int rc = catalogue_prepare(gc->r->db, decide_sql, &rows, err);
    if (rc < 0)
        return rc;
    gc->now_ns = clock_now_ns(); /* in the transaction: not before a wait for it */
    (void)sqlite3_bind_int64(rows, 1, gc->now_ns);
    while ((rc = catalogue_step(rows, err)) > 0) {
        rc = dataset_decide(gc, rows, err);
        if (rc < 0)
            return rc;
    }
    return rc;
}

static int datasets_remove(struct gc *gc, struct err *err)
{
    AUTO(catalogue_change_done) struct catalogue_change change = { 0 };
    int rc = catalogue_begin(gc->r->db, &change, err);
    if (rc == 0)
        rc = datasets_decide(gc, err);
    if (rc == 0) /* of datasets that stay for another reason */
        rc = facts_expired_mounts_remove(gc->r, err);
    if (rc == 0)
        rc = catalogue_exec(gc->r->db,
                            "DELETE FROM chunk WHERE id NOT IN"
                            " (SELECT chunk FROM dataset_chunk)",
                            err);
    gc->freed.chunks = (uint64_t)sqlite3_changes64(gc->r->db);
    return rc < 0 ? rc : catalogue_commit(&change, err);
}

/* ---- packs ---- */

struct used_pack {
    uint64_t number, bytes, used_bytes;
};

static int packs_list(struct gc *gc, struct used_pack **ret, size_t *ret_count,
                      struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *rows = NULL;
    AUTO_FREE struct used_pack *packs = NULL;
    size_t count = 0;
    int rc = catalogue_prepare(
        gc->r->db,
        "SELECT number, bytes,"
        " (SELECT coalesce(sum(stored + 48), 0) FROM chunk WHERE chunk.pack = number)"
        " AS used FROM pack ORDER BY used > 0, number", /* space first */
        &rows, err);
    while (rc == 0 && (rc = catalogue_step(rows, err)) > 0) {
        struct used_pack *more = reallocarray(packs, count + 1, sizeof packs[0]);
        if (!more)
            return -ENOMEM;
        packs = more;
        packs[count++] = (struct used_pack){
            .number = (uint64_t)sqlite3_column_int64(rows, 0),
            .bytes = (uint64_t)sqlite3_column_int64(rows, 1),
            .used_bytes = (uint64_t)sqlite3_column_int64(rows, 2),
        };
        rc = 0;
    }
    if (rc < 0)
        return rc;
    *ret = TAKE(packs);
    *ret_count = count;
    return 0;
}

struct moved {
    int64_t id;
    struct pack_position position;
};

struct moving {
    struct gc *gc;
    struct chunk_store_filler *filler;
    struct moved *moved;
    size_t count;
};

static void moving_done(struct moving *moving)
{
    free(moving->moved);
}
DEFINE_AUTO_DONE(struct moving, moving_done);

static int chunk_move(void *arg, const struct stored_chunk *chunk, uint8_t *content,
                      struct err *err)
{
    struct moving *m = arg;
    struct moved *more = reallocarray(m->moved, m->count + 1, sizeof *more);
    if (!more)
        return -ENOMEM;
    m->moved = more;
    more[m->count].id = chunk->id;
    int rc = chunk_store_read(m->gc->r, &chunk->position, &chunk->digest, content, err);
    m->gc->has_damage |= rc == -EUCLEAN || rc == -EIO;
    if (rc == 0)
        rc =
            chunk_store_filler_add(m->filler, &chunk->digest, content,
                                   chunk->position.size, &more[m->count].position, err);
    m->count++;
    return rc;
}

static int moved_record(struct gc *gc, const struct moved *moved, size_t count,
                        struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *change = NULL;
    int rc = catalogue_prepare(gc->r->db,
                               "UPDATE chunk SET pack = ?, at = ?, stored = ?"
                               " WHERE id = ?",
                               &change, err);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        (void)sqlite3_bind_int64(change, 1, (int64_t)moved[i].position.pack);
        (void)sqlite3_bind_int64(change, 2, (int64_t)moved[i].position.offset);
        (void)sqlite3_bind_int64(change, 3, moved[i].position.stored);
        (void)sqlite3_bind_int64(change, 4, moved[i].id);
        rc = catalogue_run(change, err);
    }
    return rc;
}

static int pack_forget(struct gc *gc, uint64_t number, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *row = NULL;
    int rc =
        catalogue_prepare(gc->r->db, "DELETE FROM pack WHERE number = ?", &row, err);
    if (rc < 0)
        return rc;
    (void)sqlite3_bind_int64(row, 1, (int64_t)number);
    rc = catalogue_run(row, err);
    return rc < 0 ? rc : chunk_store_leftover_add(gc->r, number, err);
}

/* The file of a pack whose row is gone. */
static int pack_unlink(struct gc *gc, const struct used_pack *pack, struct err *err)
{
    char path[STORE_PATH_SIZE];
    chunk_store_pack_path(gc->r, pack->number, path);
    if (unlink(path) < 0 && errno != ENOENT)
        return err_set(err, errno, "remove '%s': %s", path, strerror(errno));
    gc->freed.bytes += pack->bytes - pack->used_bytes;
    return 0;
}

static int pack_rewrite(struct gc *gc, const struct used_pack *pack,
                        const struct staging *staging, struct err *err)
{
    AUTO(catalogue_change_done) struct catalogue_change change = { 0 };
    AUTO(chunk_store_filler_done) struct chunk_store_filler filler = { 0 };
    AUTO(moving_done) struct moving moving = { .gc = gc, .filler = &filler };
    int rc = chunk_store_filler_begin(gc->r, staging, &filler, err);
    if (rc == 0)
        rc = chunk_store_each_chunk(gc->r, pack->number, chunk_move, &moving, err);
    if (rc == 0)
        rc = chunk_store_filler_publish(&filler, err);
    if (rc == 0)
        rc = catalogue_begin(gc->r->db, &change, err);
    if (rc == 0)
        rc = chunk_store_filler_record(&filler, err);
    if (rc == 0)
        rc = moved_record(gc, moving.moved, moving.count, err);
    if (rc == 0)
        rc = pack_forget(gc, pack->number, err);
    if (rc == 0)
        rc = catalogue_commit(&change, err);
    if (rc < 0)
        return rc;
    gc->freed.packs_rewritten++;
    return pack_unlink(gc, pack, err);
}

static int pack_remove(struct gc *gc, const struct used_pack *pack, struct err *err)
{
    AUTO(catalogue_change_done) struct catalogue_change change = { 0 };
    int rc = catalogue_begin(gc->r->db, &change, err);
    if (rc == 0)
        rc = pack_forget(gc, pack->number, err);
    if (rc == 0)
        rc = catalogue_commit(&change, err);
    if (rc < 0)
        return rc;
    gc->freed.packs_removed++;
    return pack_unlink(gc, pack, err);
}

static int pack_clean(struct gc *gc, const struct used_pack *pack,
                      const struct staging *staging, struct err *err)
{
    if (pack->used_bytes == 0)
        return pack_remove(gc, pack, err);
    return pack->used_bytes * 2 < pack->bytes ? pack_rewrite(gc, pack, staging, err)
                                              : 0;
}

/* A pack with damage in what is needed of it stays as it is: a dataset that has the
 * chunk may be imported again.  The others are cleaned all the same. */
static int packs_clean(struct gc *gc, const struct staging *staging, struct err *err)
{
    AUTO_FREE struct used_pack *packs = NULL;
    struct err first = { 0 };
    size_t count = 0;
    int rc = packs_list(gc, &packs, &count, err);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        struct err why = { 0 };
        gc->has_damage = false;
        rc = pack_clean(gc, &packs[i], staging, &why);
        if (gc->has_damage) {
            if (gc->freed.packs_damaged++ == 0)
                first = why;
            rc = 0;
        } else if (rc < 0) {
            return err_set(err, -rc, "%s", why.text[0] ? why.text : strerror(-rc));
        }
        chunk_store_progress(gc->r, i + 1, count);
    }
    if (rc == 0)
        rc = chunk_store_leftovers_remove(gc->r, err);
    if (rc < 0 || !gc->freed.packs_damaged)
        return rc;
    return err_set(err, EUCLEAN,
                   "%" PRIu64 " packs are damaged and stay as they are (baro dataset "
                   "fsck names the datasets): %s",
                   gc->freed.packs_damaged, first.text);
}

/* ---- locks ---- */

#define PAUSE_NS 50000000

struct gc_locks {
    int writer, readers;
};

static void gc_locks_done(struct gc_locks *locks)
{
    auto_close(&locks->readers);
    auto_close(&locks->writer);
}
DEFINE_AUTO_DONE(struct gc_locks, gc_locks_done);

/* Both, or neither: while a process reads, others go on to write.  One that reads and
 * does not end would hold up all of them otherwise. */
static int gc_lock(struct gc *gc, struct gc_locks *locks, struct err *err)
{
    int64_t end_ns = clock_monotonic_ns() + gc->opts->wait_ns;
    for (;;) {
        int rc = chunk_store_lock_writer(gc->r, &locks->writer, err);
        if (rc == 0)
            rc = chunk_store_lock_readers_out(gc->r, &locks->readers, err);
        if (rc != -EAGAIN)
            return rc;
        auto_close(&locks->writer);
        if (clock_monotonic_ns() >= end_ns)
            return err_set(err, EBUSY,
                           "nothing was removed: a process reads the repository "
                           "(export, verify, fsck); see fuser %s/reader.lock",
                           gc->r->dir);
        const struct timespec pause = { 0, PAUSE_NS };
        (void)nanosleep(&pause, NULL);
    }
}

/* ---- what is being pushed ---- */

static int on_push(void *arg, const struct push_state *state)
{
    struct gc *gc = arg;
    AUTO(strbuf_done) struct strbuf why = STRBUF_INIT;
    char age[32];
    number_print_duration(age, sizeof age, state->age_ns > 0 ? state->age_ns : 0);
    strbuf_addf(&why, "pushed by user %s, %s ago", state->user, age);
    if (state->is_busy)
        strbuf_adds(&why, ", in progress");
    table_add_row(gc->out);
    table_set_text(gc->out, COLUMN_DATASET, span_of(state->name));
    table_set_u64(gc->out, COLUMN_BYTES, state->bytes);
    table_set_text(gc->out, COLUMN_ACTION,
                   state->is_old ? SPAN("remove") : SPAN("retain"));
    table_set_text(gc->out, COLUMN_WHY, strbuf_span(&why));
    return strbuf_error(&why);
}

static int gc_run(struct gc *gc, struct err *err)
{
    AUTO(staging_done) struct staging staging = { .fd = -1 };
    AUTO(gc_locks_done) struct gc_locks locks = { -1, -1 };
    int rc = staging_new(gc->r, &staging, err);
    if (rc == 0)
        rc = gc_lock(gc, &locks, err);
    if (rc == 0)
        rc = datasets_remove(gc, err);
    if (rc < 0) {
        gc->freed = (struct repository_freed){ 0 }; /* it was rolled back */
        gc->out->row_count = 0;
        return rc;
    }
    return packs_clean(gc, &staging, err);
}

int repository_gc(struct repository *r, const struct repository_gc *opts,
                  struct table *out, struct repository_freed *ret, struct err *err)
{
    struct gc gc = { .r = r, .opts = opts, .out = out };
    table_add_column(out, "dataset", TABLE_TEXT, "");
    table_add_column(out, "bytes", TABLE_U64, "bytes");
    table_add_column(out, "action", TABLE_TEXT, "");
    table_add_column(out, "why", TABLE_TEXT, "");
    int rc = opts->is_trial ? datasets_decide(&gc, err) : gc_run(&gc, err);
    if (rc == 0)
        rc = push_each(r, opts->is_trial, on_push, &gc, err);
    if (rc == 0)
        rc = table_error(out);
    *ret = gc.freed;
    return rc;
}

int repository_grace_parse(const char *text, int64_t *ret, struct err *err)
{
    text = text ? text : REPOSITORY_GRACE;
    return number_parse_duration(span_of(text), ret) < 0
               ? err_set(err, EINVAL, "--grace \"%s\": write a duration, as 12h or 7d",
                         text)
               : 0;
}
