/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_dataset_catalogue - the catalogue of a repository that another user made: every
 * question that reads it ends, with rows or with an error that has a line.
 *
 *     input  'F', then the bytes of catalogue.db
 *            else values for columns: table and column u8, kind u8, size u8, value
 */
#include "base/file.h"
#include "base/span.h"
#include "base/strbuf.h"
#include "dataset/repository/catalogue.h"
#include "dataset/repository/repository.h"
#include "fuzz/fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[64], path[96];

static const char *const columns[][2] = {
    { "dataset", "name" },
    { "dataset", "format" },
    { "dataset", "bytes" },
    { "dataset", "created_ns" },
    { "dataset", "creator" },
    { "dataset", "tool" },
    { "dataset", "arguments" },
    { "dataset", "source" },
    { "dataset", "files" },
    { "dataset", "content_bytes" },
    { "dataset", "chunks" },
    { "dataset", "uid" },
    { "dataset", "access" },
    { "dataset", "root" },
    { "dataset", "chunk_index" },
    { "dataset", "manifest" },
    { "dataset", "manifest_digest" },
    { "pack", "bytes" },
    { "chunk", "digest" },
    { "chunk", "at" },
    { "chunk", "stored" },
    { "chunk", "size" },
    { "label", "key" },
    { "label", "value" },
    { "tag", "name" },
    { "ref", "kind" },
    { "ref", "detail" },
    { "ref", "expires_ns" },
};
#define COLUMN_COUNT (sizeof columns / sizeof columns[0])

static void scratch_remove(void)
{
    static const char *const names[] = { "catalogue.db",     "catalogue.db-wal",
                                         "catalogue.db-shm", "catalogue.db-journal",
                                         "writer.lock",      "reader.lock" };
    char name[128];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        (void)snprintf(name, sizeof name, "%s/%s", dir, names[i]);
        (void)unlink(name);
    }
    (void)snprintf(name, sizeof name, "%s/packs", dir);
    (void)rmdir(name);
    (void)snprintf(name, sizeof name, "%s/staging", dir);
    (void)rmdir(name);
}

static void scratch_end(void)
{
    scratch_remove();
    (void)rmdir(dir);
}

static void scratch_make(void)
{
    if (dir[0])
        return;
    (void)snprintf(dir, sizeof dir, "/dev/shm/baro-fuzz-XXXXXX");
    fuzz_check(mkdtemp(dir) != NULL);
    (void)snprintf(path, sizeof path, "%s/catalogue.db", dir);
    (void)atexit(scratch_end);
}

static void file_make(struct span bytes)
{
    AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    fuzz_check(fd >= 0 && file_write_all(fd, bytes.data, bytes.size) == 0);
}

static void values_set(sqlite3 *db, struct span in)
{
    while (in.size >= 3) {
        uint8_t column = (uint8_t)in.data[0] % COLUMN_COUNT;
        uint8_t kind = (uint8_t)in.data[1] % 4;
        size_t size = (uint8_t)in.data[2];
        char sql[128];
        AUTO_STATEMENT sqlite3_stmt *update = NULL;
        in = span_skip(in, 3);
        struct span value = { in.data, size < in.size ? size : in.size };
        in = span_skip(in, value.size);
        (void)snprintf(sql, sizeof sql, "UPDATE OR IGNORE %s SET %s = ?",
                       columns[column][0], columns[column][1]);
        fuzz_check(sqlite3_prepare_v2(db, sql, -1, &update, NULL) == SQLITE_OK);
        int64_t number = 0;
        memcpy(&number, value.data, value.size < 8 ? value.size : 8);
        if (kind == 0)
            catalogue_bind_text(update, 1, value);
        else if (kind == 1)
            catalogue_bind_blob(update, 1, value);
        else if (kind == 2)
            (void)sqlite3_bind_int64(update, 1, number);
        else
            (void)sqlite3_bind_double(update, 1, (double)number / 3);
        (void)sqlite3_step(update);
    }
}

/* One of a dataset, made once. */
static struct span whole_catalogue(void)
{
    static const char rows[] =
        "PRAGMA foreign_keys = OFF;"
        "INSERT INTO dataset VALUES (1, zeroblob(32), 'erofs', 10, 1, 1, 'a', 'b', 'c',"
        " '/d', 1, 1, 0, 0, 10, 1, 10, 0, 0, 'public', zeroblob(32), x'00', x'00',"
        " zeroblob(32));"
        "INSERT INTO pack VALUES (1, 100);"
        "INSERT INTO chunk VALUES (1, zeroblob(32), 1, 32, 10, 10);"
        "INSERT INTO dataset_chunk VALUES (1, 1);"
        "INSERT INTO label VALUES (1, 'k', 'v');"
        "INSERT INTO tag VALUES ('t', 1, 1);"
        "INSERT INTO ref VALUES (1, 1, 'job', '7', '0', 1, NULL);"
        "PRAGMA journal_mode = DELETE;";
    static struct strbuf bytes = STRBUF_INIT;
    sqlite3 *db = NULL;
    struct err err = { 0 };
    if (!bytes.size) {
        fuzz_check(catalogue_open(path, true, &db, &err) == 0);
        fuzz_check(catalogue_exec(db, rows, &err) == 0);
        catalogue_close(&db);
        fuzz_check(file_read(path, 1 << 20, &bytes, &err) == 0);
        scratch_remove();
    }
    return strbuf_span(&bytes);
}

static void rows_make(struct span in)
{
    sqlite3 *db = NULL;
    struct err err = { 0 };
    file_make(whole_catalogue());
    fuzz_check(sqlite3_open(path, &db) == SQLITE_OK);
    fuzz_check(catalogue_exec(db, "PRAGMA journal_mode = MEMORY; BEGIN", &err) == 0);
    values_set(db, in);
    fuzz_check(catalogue_exec(db, "COMMIT", &err) == 0);
    catalogue_close(&db);
}

static void ends(int rc, struct err *err)
{
    fuzz_check(rc == 0 || rc == -ENOMEM || err->text[0] != '\0');
    *err = (struct err){ 0 };
}

static void questions(struct repository *r)
{
    AUTO(table_done) struct table list, facts, jobs, damaged;
    AUTO(strbuf_done) struct strbuf manifest = STRBUF_INIT;
    AUTO(dataset_index_done) struct dataset_index index = { 0 };
    static uint8_t stored[CHUNK_SIZE_MAX];
    struct repository_state state = { 0 };
    struct dataset_access access = { 0 };
    struct digest name = { { 0 } };
    struct err err = { 0 };
    uint32_t stored_size = 0, size = 0;
    table_init(&list);
    table_init(&facts);
    table_init(&jobs);
    table_init(&damaged);
    ends(repository_list(r, &list, &err), &err);
    if (repository_resolve(r, "t", &name, &err) < 0)
        memset(&name, 0, sizeof name);
    err = (struct err){ 0 };
    ends(repository_show(r, &name, &facts, &err), &err);
    ends(repository_manifest(r, &name, &manifest, &err), &err);
    ends(repository_jobs(r, &name, &jobs, &err), &err);
    ends(repository_access(r, &name, &access, &err), &err);
    ends(repository_permit(r, &name, 1, "1.2", &err), &err);
    ends(repository_index(r, &name, &index, &err), &err);
    ends(repository_chunk(r, &name, stored, &stored_size, &size, &err), &err);
    fuzz_check(stored_size <= sizeof stored);
    ends(repository_fsck(r, &damaged, &state, &err), &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(repository_free) struct repository *r = NULL;
    struct span in = { (const char *)data, size };
    struct err err = { 0 };
    if (!size || size > 1 << 20)
        return 0;
    scratch_make();
    scratch_remove();
    if (data[0] == 'F')
        file_make(span_skip(in, 1));
    else
        rows_make(in);
    int rc = repository_open(dir, false, &r, &err);
    if (rc < 0)
        fuzz_check(rc == -ENOMEM || err.text[0] != '\0');
    else
        questions(r);
    return 0;
}
