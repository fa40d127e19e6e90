/* SPDX-License-Identifier: Apache-2.0 */
/* file_table - the files that processes of a run on this node had open. */
#include "jobsession/provenance/file_table.h"

#include "base/span.h"

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
        file->is_due[i] = true;
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

void file_table_drain(struct file_table *table, enum file_reader reader,
                      const char *host, size_t bytes_max, struct strbuf *out)
{
    strbuf_clear(out);
    size_t count = 0;
    for (size_t i = 0; i < table->count && count < JOB_FILE_LIST_MAX - 1; i++) {
        struct file_known *known = &table->files[i];
        const struct job_file file = {
            known->kind, span_of(known->name), span_of(known->build_id),
            known->size, known->mtime_s,       known->inode
        };
        if (!known->is_due[reader])
            continue;
        if (!add_record(&file, bytes_max, out))
            return;
        known->is_due[reader] = false;
        count++;
    }
    const struct job_file more = { .kind = JOB_FILE_MORE,
                                   .name = span_of(host),
                                   .size = (int64_t)table->cut };
    if (table->cut > table->cut_sent[reader] && add_record(&more, bytes_max, out))
        table->cut_sent[reader] = table->cut;
}

void file_table_again(struct file_table *table, enum file_reader reader)
{
    for (size_t i = 0; i < table->count; i++)
        table->files[i].is_due[reader] = true;
    table->cut_sent[reader] = 0;
}
