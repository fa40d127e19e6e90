/* SPDX-License-Identifier: Apache-2.0 */
/* file_table - the files that processes of a run on this node had open.
 *
 * Of a fixed number: what has no place is counted.  A file that changed, and one that
 * is new, is due to be sent: to the session, and to the site.  One that changes again
 * and again, as a log that grows, is sent again after a while, and at the end.
 *
 * Threads  one at a time.
 */
#ifndef JOBSESSION_PROVENANCE_FILE_TABLE_H
#define JOBSESSION_PROVENANCE_FILE_TABLE_H

#include "jobsession/provenance/elf_note.h"
#include "jobsession/provenance/path_name.h"

#define FILE_TABLE_MAX 1024
/* Of a list: there is a place for what its sender adds. */
#define FILE_DRAIN_MAX (JOB_FILE_LIST_MAX - 4)

enum file_reader { FILE_FOR_SESSION, FILE_FOR_SITE, FILE_READER_COUNT };

/* What was found of an open file. */
struct file_found {
    enum job_file_kind kind;
    struct span path;
    int64_t size; /* -1: not known */
    int64_t mtime_s;
    uint64_t inode;
};

struct file_known {
    uint64_t hash; /* of kind and path */
    enum job_file_kind kind;
    char *name, *path;
    char build_id[ELF_NAME_BYTES];
    int64_t size, mtime_s;
    uint64_t inode;
    struct {
        bool is_due, is_drained; /* drained: on its way, not yet sent */
        int64_t sent_ns;         /* 0: not yet */
    } to[FILE_READER_COUNT];
};

struct file_table {
    const struct path_names *names;
    struct file_known *files;
    size_t count;
    uint64_t cut; /* observations of files that had no place, or no memory */
    struct {
        uint64_t cut_drained, cut_sent;
        int64_t cut_ns; /* when that was sent; 0: not yet */
        size_t next;    /* where to go on */
    } to[FILE_READER_COUNT];
};

int file_table_init(struct file_table *table, const struct path_names *names);
void file_table_done(struct file_table *table);

/* NULL: it is known already, and as it was, or has no place.  Otherwise its build-id is
 * the caller's to read. */
struct file_known *file_table_add(struct file_table *table,
                                  const struct file_found *found);

struct file_drain {
    enum file_reader reader;
    const char *host; /* names what was cut */
    size_t bytes_max;
    int64_t now_ns; /* steady, over 0 */
    bool is_last;   /* nothing waits for its time */
};

/* Records that are due, with tabs between; they are on their way until one of the next
 * two.  Empty: there are none. */
void file_table_drain(struct file_table *table, const struct file_drain *drain,
                      struct strbuf *out);
void file_table_sent(struct file_table *table, const struct file_drain *drain);
/* What was drained did not arrive: it is due again. */
void file_table_again(struct file_table *table, enum file_reader reader);
/* Is anything, now or later? */
bool file_table_is_due(const struct file_table *table, enum file_reader reader);

#endif
