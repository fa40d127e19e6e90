/* SPDX-License-Identifier: Apache-2.0 */
/* backend - the writer's connection to the SQLite file, and what it remembers. */
#ifndef RECORDS_SQLITE_BACKEND_H
#define RECORDS_SQLITE_BACKEND_H

#include "records/engine/engine.h"
#include "records/sqlite/days.h"

#include <sys/stat.h>

#define INSERTS_MAX 4 /* prepared INSERTs kept: today and yesterday, two kinds */

struct row_insert {
    enum target_kind kind;
    int32_t day; /* 0: free */
    sqlite3_stmt *stmt;
};

struct records_backend {
    sqlite3 *db;
    char *path;
    bool is_exclusive;
    int lock_fd;  /* of the file beside it; -1: it is not wanted */
    dev_t device; /* of the file that is open */
    ino_t inode;
    char description[160];
    struct uuid writer_id;
    struct database_identity identity; /* as we left it */
    int64_t pending_epoch;             /* of the transaction that is open */
    struct timespec file_time;         /* of the file without its log, when looked at */
    int64_t file_epoch;                /* what it had then; 0: not known */
    uint64_t generation;
    struct strbuf news;   /* what was found, when generation grew last */
    bool days_loaded;     /* the lists below are what the file says */
    int64_t data_version; /* changes when another process has written */
    struct day_list days[TARGET_KIND_COUNT];
    struct row_insert inserts[INSERTS_MAX];
    size_t insert_next;
    sqlite3_stmt *series_find;
    sqlite3_stmt *series_add;
    struct bulk bulk;        /* rows of a copy, between bulk_begin and bulk_end */
    sqlite3_stmt *bulk_stmt; /* NULL: none is under way */
};

#endif
