/* SPDX-License-Identifier: Apache-2.0 */
/* facts - what the catalogue has of a dataset: who, when, from what, and its index. */
#include "dataset/repository/facts.h"

#include "base/clock.h"
#include "base/span.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <zstd.h>

#define MANIFEST_LEVEL 3
#define LABELS_OF_DATASET_MAX (4 * DATASET_LABELS_MAX) /* of all that added some */

/* ---- spec ---- */

int facts_tag_check(const char *tag, struct err *err)
{
    struct digest digest;
    size_t size = strlen(tag);
    bool is_valid = size > 0 && size <= DATASET_TAG_MAX && tag[0] != '-';
    for (size_t i = 0; is_valid && i < size; i++)
        is_valid = isalnum((unsigned char)tag[i]) || strchr("._-+:/@", tag[i]);
    if (!is_valid)
        return err_set(err, EINVAL,
                       "tag '%s': letters, digits and ._-+:/@ only, at most %d of them",
                       tag, DATASET_TAG_MAX);
    if (digest_parse(span_of(tag), &digest) == 0)
        return err_set(err, EINVAL, "tag '%s': this is the name of a dataset", tag);
    return 0;
}

static int label_check(const char *label, struct err *err)
{
    const char *equals = strchr(label, '=');
    if (!equals || equals == label || strlen(label) > DATASET_TEXT_MAX)
        return err_set(err, EINVAL,
                       "label '%s': write KEY=VALUE, at most %d characters", label,
                       DATASET_TEXT_MAX);
    return 0;
}

int facts_check(const struct dataset_admission *in, struct err *err)
{
    if (in->label_count > DATASET_LABELS_MAX)
        return err_set(err, EINVAL, "more than %d labels", DATASET_LABELS_MAX);
    int rc = in->tag ? facts_tag_check(in->tag, err) : 0;
    for (size_t i = 0; rc == 0 && i < in->label_count; i++)
        rc = label_check(in->labels[i], err);
    return rc;
}

/* ---- rows ---- */

int facts_find(struct repository *r, const struct digest *name, int64_t *ret,
               struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int rc = catalogue_prepare(r->db, "SELECT id FROM dataset WHERE name = ?",
                               &statement, err);
    if (rc < 0)
        return rc;
    catalogue_bind_digest(statement, 1, name);
    rc = catalogue_step(statement, err);
    if (rc > 0)
        *ret = sqlite3_column_int64(statement, 0);
    return rc;
}

int facts_need(struct repository *r, const struct digest *name, int64_t *ret,
               struct err *err)
{
    char text[DIGEST_TEXT_SIZE];
    int rc = facts_find(r, name, ret, err);
    digest_print(name, text);
    if (rc == 0)
        return err_set(err, ENOENT, "there is no dataset %s", text);
    return rc < 0 ? rc : 0;
}

static int manifest_pack(struct span manifest, struct strbuf *out)
{
    size_t bound = ZSTD_compressBound(manifest.size);
    int rc = strbuf_reserve(out, bound);
    if (rc < 0)
        return rc;
    size_t size =
        ZSTD_compress(out->data, bound, manifest.data, manifest.size, MANIFEST_LEVEL);
    if (ZSTD_isError(size))
        return -ENOMEM;
    out->size = size;
    return 0;
}

static int row_insert(struct repository *r, const struct dataset_facts *facts,
                      const struct strbuf *index, const struct strbuf *manifest,
                      struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    struct digest root, manifest_digest;
    int rc = dataset_index_root(&facts->index, &root);
    if (rc == 0)
        rc = digest_of(facts->manifest.data, facts->manifest.size, &manifest_digest);
    if (rc == 0)
        rc = catalogue_prepare(
            r->db,
            "INSERT INTO dataset(name, format, bytes, created_ns, admitted_ns, "
            "creator, tool,"
            " arguments, source, files, directories, links, special, content_bytes,"
            " chunks, new_bytes, root, chunk_index, manifest, manifest_digest,"
            " uid, gid, access)"
            " VALUES(?1, 'erofs', ?2, ?3, ?3, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
            "?, ?, ?, ?, ?)",
            &statement, err);
    if (rc < 0)
        return rc;
    const struct image_totals *totals = &facts->totals;
    catalogue_bind_digest(statement, 1, &facts->index.image);
    (void)sqlite3_bind_int64(statement, 2, (int64_t)facts->index.image_bytes);
    (void)sqlite3_bind_int64(statement, 3, clock_now_ns());
    catalogue_bind_text(statement, 4, span_of(facts->creator));
    catalogue_bind_text(statement, 5, span_of(facts->tool));
    catalogue_bind_text(statement, 6, span_of(facts->arguments));
    catalogue_bind_text(statement, 7, span_of(facts->source));
    (void)sqlite3_bind_int64(statement, 8, (int64_t)totals->files);
    (void)sqlite3_bind_int64(statement, 9, (int64_t)totals->directories);
    (void)sqlite3_bind_int64(statement, 10, (int64_t)totals->links);
    (void)sqlite3_bind_int64(statement, 11, (int64_t)totals->special);
    (void)sqlite3_bind_int64(statement, 12, (int64_t)totals->content_bytes);
    (void)sqlite3_bind_int64(statement, 13, (int64_t)facts->index.count);
    (void)sqlite3_bind_int64(statement, 14, (int64_t)facts->new_bytes);
    catalogue_bind_digest(statement, 15, &root);
    catalogue_bind_blob(statement, 16, strbuf_span(index));
    catalogue_bind_blob(statement, 17, strbuf_span(manifest));
    catalogue_bind_digest(statement, 18, &manifest_digest);
    (void)sqlite3_bind_int64(statement, 19, facts->access.uid);
    (void)sqlite3_bind_int64(statement, 20, facts->access.gid);
    catalogue_bind_text(statement, 21,
                        span_of(dataset_audience_text(facts->access.audience)));
    return catalogue_run(statement, err);
}

int facts_record(struct repository *r, const struct dataset_facts *facts, int64_t *ret,
                 struct err *err)
{
    AUTO(strbuf_done) struct strbuf index = STRBUF_INIT, manifest = STRBUF_INIT;
    int rc = dataset_index_encode(&facts->index, &index);
    if (rc == 0)
        rc = manifest_pack(facts->manifest, &manifest);
    if (rc == 0)
        rc = row_insert(r, facts, &index, &manifest, err);
    if (rc == 0)
        *ret = sqlite3_last_insert_rowid(r->db);
    return rc;
}

static int blobs_update(struct repository *r, const struct dataset_facts *facts,
                        int64_t dataset, struct err *err)
{
    AUTO(strbuf_done) struct strbuf index = STRBUF_INIT, manifest = STRBUF_INIT;
    AUTO_STATEMENT sqlite3_stmt *row = NULL;
    struct digest root, digest;
    int rc = dataset_index_root(&facts->index, &root);
    if (rc == 0)
        rc = dataset_index_encode(&facts->index, &index);
    if (rc == 0)
        rc = manifest_pack(facts->manifest, &manifest);
    if (rc == 0)
        rc = digest_of(facts->manifest.data, facts->manifest.size, &digest);
    if (rc == 0)
        rc = catalogue_prepare(r->db,
                               "UPDATE dataset SET root = ?, chunk_index = ?,"
                               " manifest = ?, manifest_digest = ? WHERE id = ?",
                               &row, err);
    if (rc < 0)
        return rc;
    catalogue_bind_digest(row, 1, &root);
    catalogue_bind_blob(row, 2, strbuf_span(&index));
    catalogue_bind_blob(row, 3, strbuf_span(&manifest));
    catalogue_bind_digest(row, 4, &digest);
    (void)sqlite3_bind_int64(row, 5, dataset);
    return catalogue_run(row, err);
}

int repository_manifest(struct repository *r, const struct digest *name,
                        struct strbuf *out, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    struct digest stated, made;
    int64_t dataset = 0;
    int rc = facts_need(r, name, &dataset, err);
    if (rc == 0)
        rc = catalogue_prepare(r->db,
                               "SELECT manifest, manifest_digest FROM dataset"
                               " WHERE id = ?",
                               &statement, err);
    if (rc < 0)
        return rc;
    (void)sqlite3_bind_int64(statement, 1, dataset);
    rc = catalogue_step(statement, err);
    if (rc <= 0)
        return rc < 0 ? rc : -ENOENT;
    struct span packed = catalogue_span(statement, 0);
    unsigned long long size = ZSTD_getFrameContentSize(packed.data, packed.size);
    if (size > IMAGE_MANIFEST_BYTES_MAX)
        return err_set(err, EUCLEAN, "catalogue: a list of files is damaged");
    rc = catalogue_digest(statement, 1, &stated, err);
    if (rc == 0)
        rc = strbuf_reserve(out, (size_t)size + 1);
    if (rc < 0 || !out->data)
        return rc < 0 ? rc : -ENOMEM;
    size_t got =
        ZSTD_decompress(out->data + out->size, (size_t)size, packed.data, packed.size);
    rc = got == size ? digest_of(out->data + out->size, got, &made) : 0;
    if (rc == 0 && (got != size || !digest_eq(&made, &stated)))
        rc = err_set(err, EUCLEAN, "catalogue: a list of files is damaged");
    if (rc < 0)
        return rc;
    out->size += got;
    out->data[out->size] = '\0';
    return 0;
}

int facts_repair(struct repository *r, const struct dataset_facts *facts,
                 int64_t dataset, struct err *err)
{
    AUTO(dataset_index_done) struct dataset_index index = { 0 };
    AUTO(strbuf_done) struct strbuf manifest = STRBUF_INIT;
    int rc = chunk_store_index(r, &facts->index.image, &index, NULL);
    if (rc == 0)
        rc = repository_manifest(r, &facts->index.image, &manifest, NULL);
    return rc == -EUCLEAN ? blobs_update(r, facts, dataset, err) : rc;
}

int facts_tag_set(struct repository *r, int64_t dataset, const char *tag,
                  struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int rc = catalogue_prepare(
        r->db, "INSERT OR REPLACE INTO tag(name, dataset, set_ns) VALUES(?, ?, ?)",
        &statement, err);
    if (rc < 0)
        return rc;
    catalogue_bind_text(statement, 1, span_of(tag));
    (void)sqlite3_bind_int64(statement, 2, dataset);
    (void)sqlite3_bind_int64(statement, 3, clock_now_ns());
    return catalogue_run(statement, err);
}

static int admitted_set(struct repository *r, int64_t dataset, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int rc = catalogue_prepare(r->db, "UPDATE dataset SET admitted_ns = ? WHERE id = ?",
                               &statement, err);
    if (rc < 0)
        return rc;
    (void)sqlite3_bind_int64(statement, 1, clock_now_ns());
    (void)sqlite3_bind_int64(statement, 2, dataset);
    return catalogue_run(statement, err);
}

static int labels_check(struct repository *r, int64_t dataset, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *row = NULL;
    int rc = catalogue_prepare(r->db, "SELECT count(*) FROM label WHERE dataset = ?",
                               &row, err);
    if (rc < 0)
        return rc;
    (void)sqlite3_bind_int64(row, 1, dataset);
    rc = catalogue_step(row, err);
    if (rc > 0 && sqlite3_column_int64(row, 0) > LABELS_OF_DATASET_MAX)
        return err_set(err, E2BIG, "a dataset has at most %d labels",
                       LABELS_OF_DATASET_MAX);
    return rc < 0 ? rc : 0;
}

int facts_mark(struct repository *r, int64_t dataset,
               const struct dataset_admission *in, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int rc = admitted_set(r, dataset, err);
    if (rc == 0 && in->tag)
        rc = facts_tag_set(r, dataset, in->tag, err);
    if (rc == 0)
        rc = catalogue_prepare(
            r->db, "INSERT OR REPLACE INTO label(dataset, key, value) VALUES(?, ?, ?)",
            &statement, err);
    for (size_t i = 0; rc == 0 && i < in->label_count; i++) {
        struct span value = span_of(in->labels[i]), key;
        (void)span_cut(&value, '=', &key);
        (void)sqlite3_bind_int64(statement, 1, dataset);
        catalogue_bind_text(statement, 2, key);
        catalogue_bind_text(statement, 3, value);
        rc = catalogue_run(statement, err);
    }
    return rc < 0 || !in->label_count ? rc : labels_check(r, dataset, err);
}
