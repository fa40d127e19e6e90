/* SPDX-License-Identifier: Apache-2.0 */
/* job_file - a file that processes of a job had open, or ran.
 *
 *     library 2029592 1727000000 1311 b0ca40 /usr/lib/x86_64-linux-gnu/libc.so.6
 *     read 4096 1727000000 99 - #5f0c...   a path outside of what its owner shows: a
 *     more 17 0 0 - n0001                  hash;   17 files of that host are in no list
 *
 * As one word each: kind, size, time of change (seconds), inode, build-id, name.  The
 * name is in the text form of entry_id.h, and the last: it may have blanks.
 *
 * Threads  any.
 */
#ifndef MODEL_JOB_FILE_H
#define MODEL_JOB_FILE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

enum job_file_kind {
    JOB_FILE_EXECUTABLE,
    JOB_FILE_LIBRARY,
    JOB_FILE_READ,
    JOB_FILE_WRITTEN,
    JOB_FILE_MORE, /* size: how many are in no list; name: the host */
    JOB_FILE_KIND_COUNT,
};

#define JOB_FILE_NAME_BYTES_MAX ((size_t)1024)
#define JOB_FILE_TEXT_BYTES_MAX ((size_t)1280)
#define JOB_FILE_BUILD_ID_BYTES_MAX ((size_t)64) /* as digits */

struct job_file {
    enum job_file_kind kind;
    struct span name;     /* text form; of a path outside of the owner's: #HASH */
    struct span build_id; /* hexadecimal; empty: it has none, or it was not read */
    int64_t size;         /* bytes; -1: not known */
    int64_t mtime_s;
    uint64_t inode;
};

const char *job_file_kind_name(enum job_file_kind kind);
/* Errors: -EINVAL. */
int job_file_kind_parse(struct span name, enum job_file_kind *ret);

/* Why it cannot be stored, or NULL.  Static text. */
const char *job_file_check(const struct job_file *file);
void job_file_print(const struct job_file *file, struct strbuf *out);
/* Texts of *ret lie in text.  Errors: -EINVAL. */
int job_file_parse(struct span text, struct job_file *ret);

/* ---- those of one node, on their way to the records ---- */

#define JOB_FILE_LIST_MAX ((size_t)128)
#define JOB_FILE_LIST_LINE_BYTES_MAX ((size_t)16384)

struct job_file_list {
    struct span cluster; /* empty: of the token that sends it */
    struct span job;     /* the batch system's number */
    struct span host;
    int64_t uid;  /* whose processes they were, by the kernel */
    int64_t t_ns; /* when */
    const struct job_file *files;
    size_t count;
};

/* As a line of POST /v1/provenance. */
void job_file_list_print(const struct job_file_list *files, struct strbuf *out);
/* Texts of *ret lie in arena.  Errors: -EBADMSG (err has the reason), -ENOMEM. */
int job_file_list_read(struct span line, struct arena *arena, struct job_file_list *ret,
                       struct err *err);

#endif
