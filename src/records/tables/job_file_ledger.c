/* SPDX-License-Identifier: Apache-2.0 */
/* job_file_ledger - files of jobs as rows of a ledger. */
#include "records/tables/job_file_ledger.h"

#include "base/span.h"

#include <errno.h>
#include <stdio.h>
#include <xxhash.h>

enum column {
    COLUMN_CLUSTER,
    COLUMN_JOB,
    COLUMN_UID,
    COLUMN_ITEM,
    COLUMN_START, /* first and last seen: every ledger has these two */
    COLUMN_END,
    COLUMN_KIND,
    COLUMN_NAME,
    COLUMN_BUILD_ID,
    COLUMN_SIZE,
    COLUMN_MTIME,
    COLUMN_VERSION,
    COLUMN_HOST,
    COLUMN_RUN,
    COLUMN_STORED,
    COLUMN_COUNT,
};

static const struct scalar_column columns[COLUMN_COUNT] = {
    [COLUMN_CLUSTER] = { "cluster", SCALAR_TEXT },
    [COLUMN_JOB] = { "job", SCALAR_TEXT },
    [COLUMN_UID] = { "uid", SCALAR_TEXT },
    [COLUMN_ITEM] = { "item", SCALAR_TEXT },
    [COLUMN_START] = { "start_ns", SCALAR_I64 },
    [COLUMN_END] = { "end_ns", SCALAR_I64 },
    [COLUMN_KIND] = { "kind", SCALAR_TEXT },
    [COLUMN_NAME] = { "name", SCALAR_TEXT },
    [COLUMN_BUILD_ID] = { "build_id", SCALAR_TEXT },
    [COLUMN_SIZE] = { "size", SCALAR_I64 },
    [COLUMN_MTIME] = { "mtime_s", SCALAR_I64 },
    [COLUMN_VERSION] = { "version", SCALAR_TEXT },
    [COLUMN_HOST] = { "host", SCALAR_TEXT },
    [COLUMN_RUN] = { "run", SCALAR_TEXT },
    [COLUMN_STORED] = { "told_ms", SCALAR_I64 },
};

static int64_t file_time_of(const struct scalar *row, enum column column)
{
    return row[column].is_present ? row[column].i64 : 0;
}

/* The one that was seen later, over the time of both.  What comes again, or late within
 * that time, changes nothing. */
static const struct scalar *file_unite(const struct scalar *stored,
                                       const struct scalar *submitted,
                                       struct arena *arena)
{
    int64_t first_ns = file_time_of(stored, COLUMN_START);
    int64_t last_ns = file_time_of(stored, COLUMN_END);
    int64_t from_ns = file_time_of(submitted, COLUMN_START);
    int64_t to_ns = file_time_of(submitted, COLUMN_END);
    if (from_ns >= first_ns && to_ns <= last_ns)
        return stored;
    struct scalar *row = arena_alloc(arena, COLUMN_COUNT * sizeof *row);
    if (!row)
        return NULL;
    memcpy(row, to_ns > last_ns ? submitted : stored, COLUMN_COUNT * sizeof *row);
    row[COLUMN_START] = scalar_i64(from_ns < first_ns ? from_ns : first_ns);
    row[COLUMN_STORED] = submitted[COLUMN_STORED];
    return row;
}

const struct ledger ledger_job_files = {
    .table = "job_files",
    .columns = columns,
    .column_count = COLUMN_COUNT,
    .key_count = 4,
    .unite = file_unite,
    .is_private = true,
    .indices = "CREATE INDEX job_files_end ON job_files (" LEDGER_END ");",
};

/* ---- file -> row ---- */

static const char *uid_text(int64_t uid, struct arena *arena)
{
    char text[24];
    int size = snprintf(text, sizeof text, "%lld", (long long)uid);
    return arena_dup(arena, (struct span){ text, (size_t)size });
}

/* What makes it another row, as 32 digits: names may be long, and this is in an index.
 */
static const char *item_text(const struct job_file_list *files,
                             const struct job_file *file, struct arena *arena)
{
    AUTO(strbuf_done) struct strbuf item = STRBUF_INIT;
    char digits[33];
    bool is_executed =
        file->kind == JOB_FILE_EXECUTABLE || file->kind == JOB_FILE_LIBRARY;
    strbuf_addf(&item, SPAN_FMT " %s ", SPAN_ARG(files->run),
                job_file_kind_name(file->kind));
    if (is_executed)
        strbuf_add_span(&item,
                        file->build_id.size > 0 ? file->build_id : file->version);
    strbuf_addc(&item, ' ');
    strbuf_add_span(&item, file->name);
    if (strbuf_error(&item) < 0)
        return NULL;
    XXH128_hash_t hash = XXH3_128bits(item.data, item.size);
    (void)snprintf(digits, sizeof digits, "%016llx%016llx",
                   (unsigned long long)hash.high64, (unsigned long long)hash.low64);
    return arena_dup(arena, span_of(digits));
}

const struct scalar *job_file_ledger_row(const struct job_file_list *files,
                                         const struct job_file *file, int64_t now_ms,
                                         struct arena *arena)
{
    struct scalar *row = arena_alloc(arena, COLUMN_COUNT * sizeof *row);
    const char *uid = uid_text(files->uid, arena);
    const char *item = item_text(files, file, arena);
    if (!row || !uid || !item)
        return NULL;
    memset(row, 0, COLUMN_COUNT * sizeof *row);
    row[COLUMN_CLUSTER] = scalar_text(files->cluster);
    row[COLUMN_JOB] = scalar_text(files->job);
    row[COLUMN_UID] = scalar_text(span_of(uid));
    row[COLUMN_ITEM] = scalar_text(span_of(item));
    row[COLUMN_START] = row[COLUMN_END] = scalar_i64(files->t_ns);
    row[COLUMN_KIND] = scalar_text(span_of(job_file_kind_name(file->kind)));
    row[COLUMN_NAME] = scalar_text(file->name);
    if (file->build_id.size > 0)
        row[COLUMN_BUILD_ID] = scalar_text(file->build_id);
    row[COLUMN_SIZE] = scalar_i64(file->size);
    row[COLUMN_MTIME] = scalar_i64(file->mtime_s);
    if (file->version.size > 0)
        row[COLUMN_VERSION] = scalar_text(file->version);
    row[COLUMN_HOST] = scalar_text(files->host);
    row[COLUMN_RUN] = scalar_text(files->run);
    row[COLUMN_STORED] = scalar_i64(now_ms);
    return row;
}

/* ---- row -> file ---- */

static struct span stored_text(const struct scalar *row, enum column column)
{
    return row[column].is_present ? row[column].text : SPAN("");
}

struct span job_file_ledger_item(const struct scalar *row)
{
    return stored_text(row, COLUMN_ITEM);
}

int job_file_ledger_file(const struct scalar *row, struct job_file_seen *ret)
{
    struct job_file_seen seen = {
        .file = { .name = stored_text(row, COLUMN_NAME),
                  .build_id = stored_text(row, COLUMN_BUILD_ID),
                  .size = row[COLUMN_SIZE].is_present ? row[COLUMN_SIZE].i64 : -1,
                  .mtime_s = file_time_of(row, COLUMN_MTIME),
                  .version = stored_text(row, COLUMN_VERSION) },
        .host = stored_text(row, COLUMN_HOST),
        .run = stored_text(row, COLUMN_RUN),
        .first_ns = file_time_of(row, COLUMN_START),
        .last_ns = file_time_of(row, COLUMN_END),
    };
    if (job_file_kind_parse(stored_text(row, COLUMN_KIND), &seen.file.kind) < 0 ||
        job_file_check(&seen.file))
        return -EINVAL;
    *ret = seen;
    return 0;
}
