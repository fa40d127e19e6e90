/* SPDX-License-Identifier: Apache-2.0 */
/* job_dataset_ledger - datasets of jobs as rows of a ledger. */
#include "records/tables/job_dataset_ledger.h"

#include "base/cleanup.h"
#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <stdio.h>

enum column {
    COLUMN_CLUSTER,
    COLUMN_JOB,
    COLUMN_UID,
    COLUMN_ITEM,
    COLUMN_START, /* first and last mounted: every ledger has these two */
    COLUMN_END,
    COLUMN_HOST,
    COLUMN_DIGEST,
    COLUMN_NAME,
    COLUMN_PATH,
    COLUMN_OPTIONS,
    COLUMN_COMMAND,
    COLUMN_PRIVATE,
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
    [COLUMN_HOST] = { "host", SCALAR_TEXT },
    [COLUMN_DIGEST] = { "digest", SCALAR_TEXT },
    [COLUMN_NAME] = { "name", SCALAR_TEXT },
    [COLUMN_PATH] = { "path", SCALAR_TEXT },
    [COLUMN_OPTIONS] = { "options", SCALAR_TEXT },
    [COLUMN_COMMAND] = { "command", SCALAR_TEXT },
    [COLUMN_PRIVATE] = { "is_private", SCALAR_I64 },
    [COLUMN_STORED] = { "told_ms", SCALAR_I64 },
};

static int64_t number_of(const struct scalar *row, enum column column, int64_t none)
{
    return row[column].is_present ? row[column].i64 : none;
}

/* Over the time of both; what was private once stays so for this job: its name was
 * not for all.  What comes again, or late within that time, changes nothing. */
static const struct scalar *dataset_unite(const struct scalar *stored,
                                          const struct scalar *submitted,
                                          struct arena *arena)
{
    int64_t first_ns = number_of(stored, COLUMN_START, 0);
    int64_t last_ns = number_of(stored, COLUMN_END, 0);
    int64_t from_ns = number_of(submitted, COLUMN_START, 0);
    int64_t to_ns = number_of(submitted, COLUMN_END, 0);
    bool was_private = number_of(stored, COLUMN_PRIVATE, 1) != 0;
    bool is_private = number_of(submitted, COLUMN_PRIVATE, 1) != 0;
    if (from_ns >= first_ns && to_ns <= last_ns && (was_private || !is_private))
        return stored;
    struct scalar *row = arena_alloc(arena, COLUMN_COUNT * sizeof *row);
    if (!row)
        return NULL;
    memcpy(row, to_ns > last_ns ? submitted : stored, COLUMN_COUNT * sizeof *row);
    row[COLUMN_START] = scalar_i64(from_ns < first_ns ? from_ns : first_ns);
    row[COLUMN_PRIVATE] = scalar_i64(was_private || is_private);
    row[COLUMN_STORED] = submitted[COLUMN_STORED];
    return row;
}

const struct ledger ledger_job_datasets = {
    .table = "job_datasets",
    .columns = columns,
    .column_count = COLUMN_COUNT,
    .key_count = 4,
    .unite = dataset_unite,
    .indices = "CREATE INDEX job_datasets_end ON job_datasets (" LEDGER_END ");",
};

/* ---- dataset -> row ---- */

static const char *uid_text(int64_t uid, struct arena *arena)
{
    char text[24];
    int size = snprintf(text, sizeof text, "%lld", (long long)uid);
    return arena_dup(arena, (struct span){ text, (size_t)size });
}

/* The path is the last: it may have blanks. */
static const char *item_text(const struct job_dataset *dataset, struct arena *arena)
{
    AUTO(strbuf_done) struct strbuf item = STRBUF_INIT;
    const struct span parts[] = { dataset->host, dataset->digest, dataset->command,
                                  dataset->name, dataset->path };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (i > 0)
            strbuf_addc(&item, ' ');
        strbuf_add_span(&item, parts[i]);
    }
    return strbuf_error(&item) < 0 ? NULL : arena_dup(arena, strbuf_span(&item));
}

const struct scalar *job_dataset_ledger_row(const struct job_dataset *dataset,
                                            int64_t now_ms, struct arena *arena)
{
    struct scalar *row = arena_alloc(arena, COLUMN_COUNT * sizeof *row);
    const char *uid = uid_text(dataset->uid, arena), *item = item_text(dataset, arena);
    if (!row || !uid || !item)
        return NULL;
    memset(row, 0, COLUMN_COUNT * sizeof *row);
    row[COLUMN_CLUSTER] = scalar_text(dataset->cluster);
    row[COLUMN_JOB] = scalar_text(dataset->job);
    row[COLUMN_UID] = scalar_text(span_of(uid));
    row[COLUMN_ITEM] = scalar_text(span_of(item));
    row[COLUMN_START] = row[COLUMN_END] = scalar_i64(dataset->t_ns);
    row[COLUMN_HOST] = scalar_text(dataset->host);
    row[COLUMN_DIGEST] = scalar_text(dataset->digest);
    row[COLUMN_NAME] = scalar_text(dataset->name);
    row[COLUMN_PATH] = scalar_text(dataset->path);
    if (dataset->options.size > 0)
        row[COLUMN_OPTIONS] = scalar_text(dataset->options);
    if (dataset->command.size > 0)
        row[COLUMN_COMMAND] = scalar_text(dataset->command);
    row[COLUMN_PRIVATE] = scalar_i64(dataset->is_private);
    row[COLUMN_STORED] = scalar_i64(now_ms);
    return row;
}

/* ---- row -> dataset ---- */

static struct span stored_text(const struct scalar *row, enum column column)
{
    return row[column].is_present ? row[column].text : SPAN("");
}

struct span job_dataset_ledger_item(const struct scalar *row)
{
    return stored_text(row, COLUMN_ITEM);
}

int job_dataset_ledger_dataset(const struct scalar *row,
                               struct job_dataset_mounted *ret)
{
    struct job_dataset_mounted mounted = {
        .dataset = { .cluster = stored_text(row, COLUMN_CLUSTER),
                     .job = stored_text(row, COLUMN_JOB),
                     .host = stored_text(row, COLUMN_HOST),
                     .t_ns = number_of(row, COLUMN_START, 0),
                     .digest = stored_text(row, COLUMN_DIGEST),
                     .name = stored_text(row, COLUMN_NAME),
                     .path = stored_text(row, COLUMN_PATH),
                     .options = stored_text(row, COLUMN_OPTIONS),
                     .command = stored_text(row, COLUMN_COMMAND),
                     .is_private = number_of(row, COLUMN_PRIVATE, 1) != 0 },
        .last_ns = number_of(row, COLUMN_END, 0),
    };
    if (number_parse_i64(stored_text(row, COLUMN_UID), &mounted.dataset.uid) < 0 ||
        job_dataset_check(&mounted.dataset))
        return -EINVAL;
    *ret = mounted;
    return 0;
}
