/* SPDX-License-Identifier: Apache-2.0 */
/* file_table - the files that processes of a run on this node had open. */
#include "jobsession/provenance/file_table.h"

#include "base/number.h"
#include "base/span.h"

/* A file that was sent is sent again after so long. */
static const int64_t floor_ns[FILE_READER_COUNT] = {
    [FILE_FOR_SESSION] = 60 * NS_PER_S,
    [FILE_FOR_SITE] = 600 * NS_PER_S,
};

int file_table_init(struct file_table *table, const struct path_names *names)
{
    *table = (struct file_table){ .names = names };
    table->files = calloc(FILE_TABLE_MAX, sizeof *table->files);
    return table->files ? 0 : -ENOMEM;
}

void file_table_done(struct file_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        free(table->files[i].name);
        free(table->files[i].path);
    }
    free(table->files);
    *table = (struct file_table){ 0 };
}

static uint64_t file_hash(enum job_file_kind kind, struct span path)
{
    uint64_t hash = UINT64_C(14695981039346656037) + (uint64_t)kind;
    for (size_t i = 0; i < path.size; i++)
        hash = (hash ^ (unsigned char)path.data[i]) * UINT64_C(1099511628211);
    return hash;
}

static struct file_known *find_known(const struct file_table *table,
                                     const struct file_found *found, uint64_t hash)
{
    for (size_t i = 0; i < table->count; i++) {
        struct file_known *file = &table->files[i];
        if (file->hash == hash && file->kind == found->kind &&
            span_is(found->path, file->path))
            return file;
    }
    return NULL;
}

static struct file_known *make_known(struct file_table *table,
                                     const struct file_found *found, uint64_t hash)
{
    AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
    struct file_known *file = &table->files[table->count];
    path_name_print(table->names, found->path, &name);
    if (strbuf_error(&name) < 0)
        return NULL;
    *file = (struct file_known){ .hash = hash, .kind = found->kind };
    file->name = span_dup(strbuf_span(&name));
    file->path = span_dup(found->path);
    if (file->name && file->path) {
        table->count++;
        return file;
    }
    free(file->name);
    free(file->path);
    return NULL;
}

struct file_known *file_table_add(struct file_table *table,
                                  const struct file_found *found)
{
    uint64_t hash = file_hash(found->kind, found->path);
    struct file_known *file = find_known(table, found, hash);
    if (file && file->size == found->size && file->mtime_s == found->mtime_s &&
        file->inode == found->inode)
        return NULL;
    if (!file && table->count < FILE_TABLE_MAX)
        file = make_known(table, found, hash);
    if (!file) {
        table->cut++;
        return NULL;
    }
    file->size = found->size;
    file->mtime_s = found->mtime_s;
    file->inode = found->inode;
    file->build_id[0] = '\0';
    for (size_t i = 0; i < FILE_READER_COUNT; i++)
        file->to[i].is_due = true;
    return file;
}

/* false: it has no place any more. */
static bool add_record(const struct job_file *file, size_t bytes_max,
                       struct strbuf *out)
{
    size_t before = out->size;
    if (before > 0)
        strbuf_addc(out, '\t');
    job_file_print(file, out);
    if (out->size <= bytes_max)
        return true;
    out->size = before;
    return false;
}

/* A hash states nothing of the file, nor does the rest of its record. */
static bool add_known(const struct file_table *table, const struct file_known *known,
                      size_t bytes_max, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf version = STRBUF_INIT;
    struct job_file file = { .kind = known->kind, .name = span_of(known->name) };
    if (known->name[0] == '#') {
        const struct path_version of = { span_of(known->path), known->build_id,
                                         known->size, known->mtime_s };
        path_version_print(table->names, &of, &version);
        file.size = -1;
        file.version = strbuf_span(&version);
    } else {
        file.build_id = span_of(known->build_id);
        file.size = known->size;
        file.mtime_s = known->mtime_s;
    }
    return add_record(&file, bytes_max, out);
}

static bool is_ready(const struct file_known *known, const struct file_drain *drain)
{
    int64_t sent_ns = known->to[drain->reader].sent_ns;
    return known->to[drain->reader].is_due &&
           (drain->is_last || sent_ns == 0 ||
            drain->now_ns - sent_ns >= floor_ns[drain->reader]);
}

static void drain_cut(struct file_table *table, const struct file_drain *drain,
                      struct strbuf *out)
{
    const struct job_file more = { .kind = JOB_FILE_MORE,
                                   .name = span_of(drain->host),
                                   .size = (int64_t)table->cut };
    int64_t cut_ns = table->to[drain->reader].cut_ns;
    bool is_ready = drain->is_last || cut_ns == 0 ||
                    drain->now_ns - cut_ns >= floor_ns[drain->reader];
    if (is_ready && table->cut > table->to[drain->reader].cut_sent &&
        add_record(&more, drain->bytes_max, out))
        table->to[drain->reader].cut_drained = table->cut;
}

void file_table_drain(struct file_table *table, const struct file_drain *drain,
                      struct strbuf *out)
{
    size_t count = 0, first = table->to[drain->reader].next;
    strbuf_clear(out);
    for (size_t i = 0; i < table->count && count < FILE_DRAIN_MAX; i++) {
        size_t at = (first + i) % table->count;
        struct file_known *known = &table->files[at];
        if (!is_ready(known, drain))
            continue;
        if (!add_known(table, known, drain->bytes_max, out))
            return;
        known->to[drain->reader].is_due = false;
        known->to[drain->reader].is_drained = true;
        table->to[drain->reader].next = at + 1;
        count++;
    }
    drain_cut(table, drain, out);
}

void file_table_sent(struct file_table *table, const struct file_drain *drain)
{
    for (size_t i = 0; i < table->count; i++) {
        struct file_known *known = &table->files[i];
        if (!known->to[drain->reader].is_drained)
            continue;
        known->to[drain->reader].is_drained = false;
        known->to[drain->reader].sent_ns = drain->now_ns;
    }
    if (table->to[drain->reader].cut_drained == 0)
        return;
    table->to[drain->reader].cut_sent = table->to[drain->reader].cut_drained;
    table->to[drain->reader].cut_drained = 0;
    table->to[drain->reader].cut_ns = drain->now_ns;
}

void file_table_again(struct file_table *table, enum file_reader reader)
{
    for (size_t i = 0; i < table->count; i++) {
        struct file_known *known = &table->files[i];
        known->to[reader].is_due |= known->to[reader].is_drained;
        known->to[reader].is_drained = false;
    }
    table->to[reader].cut_drained = 0;
}

bool file_table_is_due(const struct file_table *table, enum file_reader reader)
{
    for (size_t i = 0; i < table->count; i++)
        if (table->files[i].to[reader].is_due)
            return true;
    return table->cut > table->to[reader].cut_sent;
}
