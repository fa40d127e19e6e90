/* SPDX-License-Identifier: Apache-2.0 */
/* job_table - a CSV file of jobs that grows, and may be gone on with. */
#include "client/job/csv_file.h"

#include "base/file.h"
#include "base/span.h"

#include <fcntl.h>

#define TABLE_BYTES_MAX ((size_t)4 << 30)

/* What a process that was killed left of its last row goes.  Returns the size. */
static int tail_cut(struct job_csv_file *table, off_t *ret, struct err *err)
{
    char piece[4096];
    off_t end = lseek(table->fd, 0, SEEK_END);
    off_t keep = end;
    while (keep > 0) {
        size_t size = keep < (off_t)sizeof piece ? (size_t)keep : sizeof piece;
        ssize_t got = pread(table->fd, piece, size, keep - (off_t)size);
        if (got != (ssize_t)size)
            return err_set(err, EIO, "%s: cannot be read", table->path);
        const char *last = memrchr(piece, '\n', size);
        if (last) {
            keep -= (off_t)size - (last - piece + 1);
            break;
        }
        keep -= (off_t)size;
    }
    if (keep < end && ftruncate(table->fd, keep) < 0)
        return err_set(err, errno, "%s: %s", table->path, strerror(errno));
    *ret = keep;
    return 0;
}

static int header_take(struct job_csv_file *table, const struct span *fields,
                       size_t count, size_t *ret_log, struct err *err)
{
    AUTO(strbuf_done) struct strbuf header = STRBUF_INIT;
    *ret_log = count;
    for (size_t i = 0; i < count; i++) {
        strbuf_addf(&header, "%s" SPAN_FMT, i > 0 ? "," : "", SPAN_ARG(fields[i]));
        if (span_is(fields[i], "_log"))
            *ret_log = i;
    }
    if (*ret_log == count)
        return err_set(err, EBADMSG, "%s: has no column _log", table->path);
    strbuf_addc(&header, '\n');
    table->header = span_dup(strbuf_span(&header));
    return table->header ? 0 : err_set(err, ENOMEM, "out of memory");
}

static int rows_take(struct job_csv_file *table, struct err *err)
{
    AUTO(csv_close) struct csv *csv = NULL;
    const struct span *fields = NULL;
    size_t count = 0;
    size_t log = 0;
    int rc = csv_open(table->path, &csv, err);
    if (rc == 0)
        rc = csv_next(csv, &fields, &count, err);
    if (rc > 0)
        rc = header_take(table, fields, count, &log, err);
    while (rc == 0 && (rc = csv_next(csv, &fields, &count, err)) > 0)
        rc = log < count && !hashmap_put(&table->logs, fields[log], NULL) ? -ENOMEM : 0;
    return rc;
}

int job_csv_file_open(struct job_csv_file *table, const char *path, struct err *err)
{
    off_t size = 0;
    *table = (struct job_csv_file){ .fd = -1, .path = span_dup(span_of(path)) };
    if (!table->path)
        return err_set(err, ENOMEM, "out of memory");
    table->fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (table->fd < 0)
        return err_set(err, errno, "%s: %s", path, strerror(errno));
    int rc = file_lock(table->fd);
    if (rc < 0)
        return err_set(err, -rc, "%s: %s", path, strerror(-rc));
    rc = tail_cut(table, &size, err);
    if (rc == 0 && size > (off_t)TABLE_BYTES_MAX)
        rc = err_set(err, EFBIG, "%s: more than 4 GiB", path);
    return rc == 0 && size > 0 ? rows_take(table, err) : rc;
}

void job_csv_file_done(struct job_csv_file *table)
{
    if (table->fd >= 0 && table->path)
        (void)close(table->fd);
    free(table->path);
    free(table->header);
    hashmap_done(&table->logs);
    *table = (struct job_csv_file){ .fd = -1 };
}

bool job_csv_file_has(const struct job_csv_file *table, const char *log)
{
    return hashmap_get(&table->logs, span_of(log)) != NULL;
}

int job_csv_file_add(struct job_csv_file *table, const char *header, struct span row,
                     struct err *err)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    if (table->header && strcmp(table->header, header) != 0)
        return err_set(err, EINVAL, "%s: has other columns: choose another file",
                       table->path);
    if (!table->header) {
        table->header = span_dup(span_of(header));
        strbuf_adds(&out, header);
    }
    strbuf_add_span(&out, row);
    if (!table->header || strbuf_error(&out) < 0)
        return err_set(err, ENOMEM, "out of memory");
    int rc = file_write_all(table->fd, out.data, out.size);
    return rc == 0 ? 0 : err_set(err, -rc, "%s: %s", table->path, strerror(-rc));
}
