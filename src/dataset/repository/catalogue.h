/* SPDX-License-Identifier: Apache-2.0 */
/* catalogue - the SQLite file of a repository: what datasets, chunks, references are.
 *
 * A change is one transaction that is on the disk when it returns (WAL, synchronous
 * FULL).  Statements are sqlite3's own; these functions turn its codes into ours.
 */
#ifndef DATASET_REPOSITORY_CATALOGUE_H
#define DATASET_REPOSITORY_CATALOGUE_H

#include "base/err.h"
#include "base/span_type.h"
#include "dataset/image/image.h"

#include <sqlite3.h>
#include <stdbool.h>

void catalogue_close(sqlite3 **db);
void catalogue_finish(sqlite3_stmt **statement);
#define AUTO_STATEMENT __attribute__((cleanup(catalogue_finish), unused))

/* Made where it is not there, if creates.  Errors: -EUCLEAN (damaged, or empty),
 * -EPROTO (of another version), -EIO, -EACCES, -ENOSPC, each with a line. */
int catalogue_open(const char *path, bool creates, sqlite3 **ret, struct err *err);
/* Made with the first view, or profile, of a dataset: a catalogue without any is as it
 * was. */
extern const char catalogue_view_table[], catalogue_profile_table[];
/* Made with the first dataset that a second user has sent, too. */
extern const char catalogue_co_owner_table[];
/* Made with the first dataset that is a new version of another. */
extern const char catalogue_parent_table[];
/* 1: it is there. */
int catalogue_has_table(sqlite3 *db, const char *name, struct err *err);
int catalogue_error(sqlite3 *db, struct err *err);
/* How long a change waits for another process that writes, before it has -EAGAIN: a
 * minute, or a moment. */
void catalogue_set_wait(sqlite3 *db, bool is_brief);

int catalogue_exec(sqlite3 *db, const char *sql, struct err *err);
int catalogue_prepare(sqlite3 *db, const char *sql, sqlite3_stmt **ret,
                      struct err *err);
/* 1: a row; 0: no more. */
int catalogue_step(sqlite3_stmt *statement, struct err *err);
/* To the end, then ready for the next values. */
int catalogue_run(sqlite3_stmt *statement, struct err *err);
int catalogue_number(sqlite3 *db, const char *sql, int64_t *ret, struct err *err);

/* A transaction that is rolled back at the end of its scope, unless committed. */
struct catalogue_change {
    sqlite3 *db;
};
int catalogue_begin(sqlite3 *db, struct catalogue_change *ret, struct err *err);
int catalogue_commit(struct catalogue_change *change, struct err *err);
void catalogue_change_done(struct catalogue_change *change);
DEFINE_AUTO_DONE(struct catalogue_change, catalogue_change_done);

void catalogue_bind_text(sqlite3_stmt *statement, int at, struct span text);
void catalogue_bind_blob(sqlite3_stmt *statement, int at, struct span bytes);
void catalogue_bind_digest(sqlite3_stmt *statement, int at,
                           const struct digest *digest);
struct span catalogue_span(sqlite3_stmt *statement, int column);
/* Errors: -EUCLEAN (it is none). */
int catalogue_digest(sqlite3_stmt *statement, int column, struct digest *ret,
                     struct err *err);

#endif
