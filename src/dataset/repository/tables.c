/* SPDX-License-Identifier: Apache-2.0 */
/* tables - what is known of datasets, as tables: all, one, two compared. */
#include "base/figure.h"
#include "base/hashmap.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"
#include "dataset/repository/facts.h"
#include "dataset/repository/owners.h"

#include <string.h>

#include <inttypes.h>
#include <stdio.h>

/* ---- all ---- */

static void name_set(struct table *out, size_t column, const struct digest *name)
{
    char text[DIGEST_TEXT_SIZE];
    digest_print(name, text);
    table_set_text(out, column, span_of(text));
}

int repository_list(struct repository *r, struct table *out, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *rows = NULL;
    static const char sql[] =
        "SELECT name, bytes, new_bytes, files, created_ns, creator,"
        " (SELECT group_concat(name, ' ') FROM tag WHERE tag.dataset = dataset.id),"
        " (SELECT count(*) FROM ref WHERE ref.dataset = dataset.id)"
        " FROM dataset ORDER BY created_ns, id";
    table_add_column(out, "dataset", TABLE_TEXT, "");
    table_add_column(out, "bytes", TABLE_U64, "bytes");
    table_add_column(out, "new_bytes", TABLE_U64, "bytes");
    table_add_column(out, "files", TABLE_U64, "");
    table_add_column(out, "created", TABLE_TIME, "");
    table_add_column(out, "creator", TABLE_TEXT, "");
    table_add_column(out, "tags", TABLE_TEXT, "");
    table_add_column(out, "references", TABLE_U64, "");
    int rc = catalogue_prepare(r->db, sql, &rows, err);
    while (rc == 0 && (rc = catalogue_step(rows, err)) > 0) {
        struct digest name;
        rc = catalogue_digest(rows, 0, &name, err);
        if (rc < 0)
            return rc;
        table_add_row(out);
        name_set(out, 0, &name);
        for (int i = 1; i <= 3; i++)
            table_set_u64(out, (size_t)i, (uint64_t)sqlite3_column_int64(rows, i));
        table_set_i64(out, 4, sqlite3_column_int64(rows, 4) / NS_PER_MS);
        table_set_text(out, 5, catalogue_span(rows, 5));
        table_set_text(out, 6, catalogue_span(rows, 6));
        table_set_u64(out, 7, (uint64_t)sqlite3_column_int64(rows, 7));
    }
    return rc < 0 ? rc : table_error(out);
}

/* ---- one ---- */

static void fact_add(struct table *out, const char *fact, struct span value)
{
    table_add_row(out);
    table_set_text(out, 0, span_of(fact));
    table_set_text(out, 1, value);
}

static void digest_add(struct table *out, const char *fact, const struct digest *digest)
{
    char text[DIGEST_TEXT_SIZE];
    digest_print(digest, text);
    fact_add(out, fact, span_of(text));
}

static int facts_add(struct repository *r, int64_t dataset, struct table *out,
                     struct err *err)
{
    static const char *const names[] = {
        "format",        "bytes",  "creator",     "tool",   "arguments",
        "source",        "files",  "directories", "links",  "special",
        "content_bytes", "chunks", "new_bytes",   "access", "owner",
    };
    AUTO_STATEMENT sqlite3_stmt *row = NULL;
    char time[TIMETEXT_SIZE];
    struct digest name, root;
    int rc = catalogue_prepare(
        r->db,
        "SELECT format, bytes, creator, tool, arguments, source, files, directories,"
        " links, special, content_bytes, chunks, new_bytes, access, uid, name, root,"
        " created_ns FROM dataset WHERE id = ?",
        &row, err);
    if (rc < 0)
        return rc;
    (void)sqlite3_bind_int64(row, 1, dataset);
    rc = catalogue_step(row, err);
    if (rc <= 0)
        return rc;
    rc = catalogue_digest(row, 15, &name, err);
    if (rc == 0)
        rc = catalogue_digest(row, 16, &root, err);
    if (rc < 0)
        return rc;
    digest_add(out, "name", &name);
    digest_add(out, "index", &root);
    (void)timetext_print(time, sqlite3_column_int64(row, 17));
    fact_add(out, "created", span_of(time));
    for (size_t i = 0; i < COUNT_OF(names); i++)
        fact_add(out, names[i], catalogue_span(row, (int)i));
    return 0;
}

/* Rows of two columns: what, and its value. */
static int pairs_add(struct repository *r, int64_t dataset, const char *sql,
                     struct table *out, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *rows = NULL;
    int rc = catalogue_prepare(r->db, sql, &rows, err);
    if (rc < 0)
        return rc;
    (void)sqlite3_bind_int64(rows, 1, dataset);
    while ((rc = catalogue_step(rows, err)) > 0)
        fact_add(out, (const char *)sqlite3_column_text(rows, 0),
                 catalogue_span(rows, 1));
    return rc;
}

static int refs_add(struct repository *r, int64_t dataset, struct table *out,
                    struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *rows = NULL;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    char time[TIMETEXT_SIZE];
    int rc = catalogue_prepare(r->db,
                               "SELECT id, kind, detail, owner, expires_ns FROM ref"
                               " WHERE dataset = ? ORDER BY id",
                               &rows, err);
    if (rc < 0)
        return rc;
    (void)sqlite3_bind_int64(rows, 1, dataset);
    while ((rc = catalogue_step(rows, err)) > 0) {
        strbuf_clear(&text);
        for (int i = 0; i < 4; i++) {
            if (i)
                strbuf_addc(&text, ' ');
            if (i == 3)
                strbuf_adds(&text, "of ");
            strbuf_add_span(&text, catalogue_span(rows, i));
        }
        if (sqlite3_column_type(rows, 4) != SQLITE_NULL) {
            (void)timetext_print(time, sqlite3_column_int64(rows, 4));
            strbuf_addf(&text, ", until %s", time);
        }
        fact_add(out, "reference", strbuf_span(&text));
    }
    return rc;
}

static int parents_add(struct repository *r, int64_t dataset, struct table *out,
                       struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *rows = NULL;
    struct digest parent;
    int rc = facts_parents(r, dataset, &rows, err);
    while (rc > 0 && (rc = catalogue_step(rows, err)) > 0) {
        rc = catalogue_digest(rows, 0, &parent, err);
        if (rc < 0)
            return rc;
        digest_add(out, "parent", &parent);
        rc = 1;
    }
    return rc;
}

int repository_show(struct repository *r, const struct digest *name, struct table *out,
                    struct err *err)
{
    int64_t dataset = 0;
    table_add_column(out, "fact", TABLE_TEXT, "");
    table_add_column(out, "value", TABLE_TEXT, "");
    int rc = facts_need(r, name, &dataset, err);
    if (rc == 0)
        rc = facts_add(r, dataset, out, err);
    if (rc == 0)
        rc = owners_show(r, dataset, out, err);
    if (rc == 0)
        rc = parents_add(r, dataset, out, err);
    if (rc == 0)
        rc = pairs_add(r, dataset,
                       "SELECT 'label ' || key, value FROM label WHERE dataset = ?",
                       out, err);
    if (rc == 0)
        rc = pairs_add(r, dataset, "SELECT 'tag', name FROM tag WHERE dataset = ?", out,
                       err);
    if (rc == 0)
        rc = facts_profile_add(r, dataset, out, err);
    if (rc == 0)
        rc = refs_add(r, dataset, out, err);
    return rc < 0 ? rc : table_error(out);
}

/* ---- two ---- */

static int lines_by_path(struct span rest, struct hashmap *ret)
{
    struct span line, path;
    while (image_manifest_next(&rest, &line, &path)) {
        uintptr_t *at = hashmap_put(ret, path, NULL);
        if (!at)
            return -ENOMEM;
        *at = (uintptr_t)line.data;
    }
    return 0;
}

static void difference_add(struct table *out, const char *what, struct span path)
{
    table_add_row(out);
    table_set_text(out, 0, span_of(what));
    table_set_text(out, 1, path);
}

static const char *difference_of(struct span a, struct span b)
{
    struct span x = a, y = b, cell_x, cell_y;
    const char *what = "attributes";
    for (int i = 0; i < 7; i++) {
        (void)span_cut(&x, '\t', &cell_x);
        (void)span_cut(&y, '\t', &cell_y);
        if (!span_eq(cell_x, cell_y) && (i == 0 || i == 4 || i == 6))
            what = i == 0 ? "type" : "content";
    }
    return what;
}

int repository_diff(struct repository *r, const struct digest *a,
                    const struct digest *b, struct table *out, struct err *err)
{
    AUTO(strbuf_done) struct strbuf first = STRBUF_INIT, second = STRBUF_INIT;
    AUTO(hashmap_done) struct hashmap paths = HASHMAP_INIT;
    struct span rest, line, path, known;
    table_add_column(out, "difference", TABLE_TEXT, "");
    table_add_column(out, "path", TABLE_TEXT, "");
    int rc = repository_manifest(r, a, &first, err);
    if (rc == 0)
        rc = repository_manifest(r, b, &second, err);
    if (rc == 0)
        rc = lines_by_path(strbuf_span(&first), &paths);
    if (rc < 0)
        return rc;
    rest = strbuf_span(&second);
    while (image_manifest_next(&rest, &line, &path)) {
        uintptr_t *at = hashmap_get(&paths, path);
        if (!at) {
            difference_add(out, "added", path);
            continue;
        }
        struct span from = { (const char *)*at, strcspn((const char *)*at, "\n") };
        if (!span_eq(from, line))
            difference_add(out, difference_of(from, line), path);
        (void)hashmap_remove(&paths, path);
    }
    rest = strbuf_span(&first); /* in its order, what is left of it */
    while (image_manifest_next(&rest, &known, &path))
        if (hashmap_get(&paths, path))
            difference_add(out, "removed", path);
    rc = table_error(out);
    return rc < 0 ? rc : out->row_count > 0;
}

/* ---- sentences ---- */

void repository_added_text(const struct dataset_added *added, char *out, size_t size)
{
    char image[FIGURE_SIZE], stored[FIGURE_SIZE], fetched[FIGURE_SIZE],
        repaired[96] = "";
    figure_print_bytes(image, sizeof image, (double)added->image_bytes);
    figure_print_bytes(stored, sizeof stored, (double)added->new_bytes);
    if (added->repaired_chunk_count)
        (void)snprintf(repaired, sizeof repaired,
                       "%" PRIu64 " chunks that were damaged are stored again\n",
                       added->repaired_chunk_count);
    figure_print_bytes(fetched, sizeof fetched, (double)added->fetched_bytes);
    if (added->was_pulled)
        (void)snprintf(
            out, size,
            "%s%" PRIu64 " chunks, %" PRIu64 " fetched (%s), %" PRIu64 " new", repaired,
            added->chunk_count, added->fetched_chunks, fetched, added->new_chunk_count);
    else if (added->is_known)
        (void)snprintf(out, size, "%sit was there already", repaired);
    else
        (void)snprintf(out, size,
                       "%s%" PRIu64 " files, %s, %" PRIu64 " chunks: %" PRIu64
                       " new, %s stored",
                       repaired, added->totals.files, image, added->chunk_count,
                       added->new_chunk_count, stored);
}

void repository_freed_text(const struct repository_freed *freed, bool is_trial,
                           char *out, size_t size)
{
    char bytes[FIGURE_SIZE];
    figure_print_bytes(bytes, sizeof bytes, (double)freed->bytes);
    if (is_trial)
        (void)snprintf(out, size, "%" PRIu64 " datasets would be removed",
                       freed->datasets);
    else
        (void)snprintf(out, size,
                       "%" PRIu64 " datasets and %" PRIu64 " chunks removed, %" PRIu64
                       " packs removed, %" PRIu64 " rewritten, %s freed",
                       freed->datasets, freed->chunks, freed->packs_removed,
                       freed->packs_rewritten, bytes);
}

void repository_state_text(const struct repository_state *state, char *out, size_t size)
{
    char bytes[FIGURE_SIZE];
    figure_print_bytes(bytes, sizeof bytes, (double)state->bytes);
    (void)snprintf(out, size,
                   "%" PRIu64 " datasets, %" PRIu64 " chunks, %" PRIu64
                   " packs, %s: %" PRIu64 " damaged, %" PRIu64 " notes",
                   state->datasets, state->chunks, state->packs, bytes, state->damages,
                   state->notes);
}
