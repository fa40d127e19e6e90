/* SPDX-License-Identifier: Apache-2.0 */
/* job_file - a file that processes of a job had open, or ran.
 *
 *     library 2029592 1727000000 - b0ca40 /usr/lib/x86_64-linux-gnu/libc.so.6
 *     read -1 0 77ae... - #5f0c...   a path outside of what its owner shows: hashes
 *     more 17 0 - - n0001            17 times a file of that host had no place
 *     host -1 0 - - n0001            that host looks; 0: it has looked until its end
 *
 * As one word each: kind, size, time of change (seconds), version, build-id, name.  Of
 * a name that is a hash size, time and build-id would give away the file to who can
 * search the file system for them: they are a hash, too, its version.  The name is in
 * the text form of entry_id.h, and the last: it may have blanks.
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
    JOB_FILE_MORE, /* size: how many are in no list; name: where that was */
    JOB_FILE_HOST, /* name: a host that looks; size 0: it has looked until its end */
    JOB_FILE_KIND_COUNT,
};

#define JOB_FILE_NAME_BYTES_MAX ((size_t)1024)
#define JOB_FILE_TEXT_BYTES_MAX ((size_t)1280)
#define JOB_FILE_BUILD_ID_BYTES_MAX ((size_t)64) /* as digits; of versions, too */
#define JOB_FILE_RUN_BYTES 32                    /* likewise */

struct job_file {
    enum job_file_kind kind;
    struct span name;     /* text form; of a path outside of the owner's: #HASH */
    struct span build_id; /* hexadecimal; empty: it has none, or it was not read */
    int64_t size;         /* bytes; -1: not known */
    int64_t mtime_s;      /* 0: not known */
    struct span version;  /* hexadecimal, of a hashed name; empty: not known */
};

const char *job_file_kind_name(enum job_file_kind kind);
/* Errors: -EINVAL. */
int job_file_kind_parse(struct span name, enum job_file_kind *ret);

/* Is it a file, and not a word about a list? */
bool job_file_is_one(const struct job_file *file);
bool job_file_is_run(struct span text);
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
    struct span run; /* whose they are: 32 digits, drawn when it began */
    int64_t uid;     /* whose processes they were, by the kernel */
    int64_t t_ns;    /* when */
    const struct job_file *files;
    size_t count;
};

/* As a line of POST /v1/provenance. */
void job_file_list_print(const struct job_file_list *files, struct strbuf *out);
/* Texts of *ret lie in arena.  Errors: -EBADMSG (err has the reason), -ENOMEM. */
int job_file_list_read(struct span line, struct arena *arena, struct job_file_list *ret,
                       struct err *err);

#endif
