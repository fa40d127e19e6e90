/* SPDX-License-Identifier: Apache-2.0 */
/* records - everything with rows, in SQLite or PostgreSQL; the room's door.
 *
 *                       ┌─ sqlite/    a file, WAL, a table a day behind a view
 *     records.h ── vtable
 *                       └─ postgres/  partitions a day, or TimescaleDB's hypertables
 *
 * Engines return ordered rows for a time range and a set of series, and nothing else:
 * all arithmetic is in query/, so that both give the same result.
 *
 * Threads  one writer (struct records: put, retention, migration); any number of
 * readers, each with a struct records_reader of its own, opened by any thread.
 * Errors   -EAGAIN (the database is away or busy: try again; nothing was changed, or
 * the connection broke during COMMIT and a batch with an id finds its answer), -ENOSPC,
 * -EBADMSG (a schema of a newer version, or for a reader one that is too old),
 * -ENODATA (a reader found no tables of ours), -EUCLEAN (the database is damaged:
 * nothing is put into it any more), -EIO; all with a line in err.
 */
#ifndef RECORDS_RECORDS_H
#define RECORDS_RECORDS_H

#include "base/config.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "model/model.h"
#include "records/database_copy.h"
#include "records/inventory/inventory.h"
#include "records/job/job_datasets.h"
#include "records/job/job_files.h"
#include "records/job/job_metrics.h"
#include "records/job/job_steps.h"
#include "records/jobs.h"
#include "records/migration.h"
#include "records/names/id_names.h"
#include "records/request/request.h"
#include "records/resource/resources.h"
#include "records/rollup.h"
#include "records/session/session_reports.h"
#include "records/summaries.h"
#include "records/target_readings.h"
#include "records/verify.h"

struct records;
struct records_reader;

/* [records]: engine, path, connection, retention, retention_rollups, retention_jobs,
 * retention_provenance, compress_after, timeout, series_cache, schema. */
extern const struct config_section records_config_section;

/* Engine and place of a database that a person names: a file of SQLite, or PostgreSQL's
 * connection string (it has a "=", or begins as a URI); or sqlite:FILE,
 * postgres:STRING, where it could be mistaken for the other.  text must outlive opts.
 */
void records_opts_place(struct records_opts *opts, const char *text);
/* A place that is a URI of another program's database is no file's name.
 * Errors: -EINVAL, with the places that are known. */
int records_opts_check(const struct records_opts *opts, struct err *err);

/* Open or create, migrate to this program's schema; for a reader look at it only.  site
 * must outlive *ret, and may be NULL for a reader: what puts says -EACCES then.
 * Errors: also -EINVAL (an unknown engine; a namespace of another file system's). */
int records_open(const struct records_opts *opts, const struct site *site,
                 struct records **ret, struct err *err);
/* The same in two steps, for a program that serves others while the database is away.
 * Until records_connect() has succeeded, putting and opening readers say -EAGAIN.
 * Errors of records_new: -EINVAL (an unknown engine), -ENOMEM. */
int records_new(const struct records_opts *opts, const struct site *site,
                struct records **ret, struct err *err);
/* On the writer's thread, as often as it takes, once only with success; what opts of
 * records_new point to must still be there.  Errors: as records_open, -EBUSY. */
int records_connect(struct records *records, struct err *err);
/* Is rc of records_connect() something that passes: a database that is away or damaged,
 * a disk that is full? */
bool records_may_come(int rc);
/* Any thread. */
bool records_is_connected(const struct records *records);
void records_close(struct records *records);
DEFINE_AUTO(struct records, records_close);
/* How the database is, by the last transaction or probe of the writer.  Any thread.
 * Errors: -EAGAIN (away, read only, not the one it was), -EIO, -ENOSPC, -EACCES,
 * -EUCLEAN (it is damaged), each with a line in err. */
int records_check_health(const struct records *records, struct err *err);
/* On the writer's thread, as often as one likes: where nothing was written for this
 * long, see whether something could be.  Errors: as records_put. */
#define RECORDS_PROBE_S 5
int records_probe(struct records *records, struct err *err);
/* Read all of the database for damage, on a connection of its own; from another thread,
 * as the readers.  watch as records_reader_watch; NULL: none.  What is found is health
 * from then on.  Errors: -EUCLEAN, -ECANCELED (watch said no), as reading. */
int records_check_whole(struct records *records, records_watch_fn *watch, void *arg,
                        struct err *err);
/* How often the database was found to be another than was left: restored from a copy,
 * failed over, replaced; news (may be NULL): what was found the last time.  Everything
 * that was known of it is forgotten then, and who remembers sids must do the same.  Any
 * thread. */
uint64_t records_changes(const struct records *records, struct strbuf *news);
/* One line for the log: engine, version, edition, schema. */
const char *records_describe(const struct records *records);

/* ---- taking in ---- */

enum { RECORDS_REFUSALS_MAX = 10 };

struct records_refusal {
    size_t row;         /* index in the batch */
    const char *reason; /* static text */
};

struct records_response {
    uint64_t accepted;  /* rows that are new */
    uint64_t duplicate; /* rows whose key was there: the first write wins */
    uint64_t refused;   /* rows out of the accepted time range, or no rows at all */
    bool replayed;      /* the batch id was known: this is the first response, again */
    struct records_refusal refusals[RECORDS_REFUSALS_MAX];
    size_t refusal_count;
};

/* Called for every row that was new, after COMMIT, in the batch's order, with its
 * series: what query/live is fed by. */
typedef void records_stored_fn(void *arg, const struct series *series,
                               const struct jobrow *row);

/* All rows, new series, the batch id and the response in one durable transaction.
 * now_ms decides which times are accepted: now - retention .. now + 1 h.  A row without
 * fs is refused: ingest sets it, by the configuration, where the row enters.  stored_fn
 * may be NULL and must not call records; of a batch that was known it hears nothing.
 * Owns     nothing: batch is the caller's.
 * Threads  the writer's.
 * Errors   -EMSGSIZE (over JOBBATCH_ROWS_MAX), and as above; -EAGAIN also where every
 *          row is out of the accepted range and the database shows that it is our clock
 *          that is wrong (doc/decisions/0221); nothing is stored.
 */
int records_put(struct records *records, const struct jobbatch *batch, int64_t now_ms,
                struct records_response *ret, records_stored_fn *stored_fn, void *arg,
                struct err *err);

/* How many calls of records_put failed in their COMMIT: its response may be all that
 * was lost.  The batch comes again and is known then, so that its rows are never
 * reported. */
uint64_t records_doubts(const struct records *records);

/* How many batches were kept off because our clock is in doubt.  Any thread. */
uint64_t records_clock_doubts(const struct records *records);

/* -ERANGE: every row is older than the retention, or no job or summary was
 * submitted within it.  Nothing is dropped then: it is more likely that the clock is
 * wrong. Drop days that lie wholly before the retention, and make partitions ahead.
 * Batch ids are kept for RECORDS_BATCH_DAYS at most: what comes again after that is
 * recognised row by row. */
#define RECORDS_BATCH_DAYS 30
int records_maintain(struct records *records, int64_t now_ms, struct err *err);

/* What the database does in the background for our tables (TimescaleDB, community
 * edition), as the last upkeep found it.  Any thread; why (what went wrong last; empty:
 * nothing) only on the writer's. */
void records_get_background(const struct records *records,
                            struct records_background *ret);

/* The namespace of (fs, format): configured, or stored, or drawn now and stored. */
int records_namespace(struct records *records, struct span fs, struct span format,
                      struct uuid *ret, struct err *err);

/* ---- reading ---- */

int records_reader_open(struct records *records, struct records_reader **ret,
                        struct err *err);
void records_reader_close(struct records_reader *reader);
DEFINE_AUTO(struct records_reader, records_reader_close);

/* fn is asked now and then, ten times a second at least while the database works,
 * whether to go on: 0, or -errno.  A reading that was stopped returns that error, and
 * the reader must be closed.  fn is called on the thread that reads; NULL: no more. */
void records_reader_watch(struct records_reader *reader, records_watch_fn *fn,
                          void *arg);

/* A negative return of a callback ends the reading and is returned.  A callback must
 * not use the reader that called it. */
int records_find_series(struct records_reader *reader,
                        const struct series_filter *filter, records_series_fn *fn,
                        void *arg, struct err *err);

/* Ordered by (sid, t_ms).  row's spans fs, target, entry_id are empty: see its series.
 *
 *          from_ms                    to_ms
 *     ──●─────┼────●────────●───────────┼───────●──────────●──▶
 *     before      rows of the range   since◀──▶after     (not: its since is later)
 *
 * with_after: a series' first row after to_ms whose increment may have begun before
 * reach_ms (its since_ms or previous_ms is less; or its start_ns, where nothing is
 * known before; or a row of the flat form, which says neither since nor reset, within
 * an hour). A row that follows a lost one does not say how far it reaches and is not
 * found. with_before: for each series with a row in the range, or one after, its last
 * row at or before from_ms; searched down to two days before from_ms, or before the
 * previous_ms of the series' first row where that is earlier.  Series without any row
 * in the range or after have no row before either: nothing of theirs happened there. */
int records_read_rows(struct records_reader *reader, const struct row_range *range,
                      records_row_fn *fn, void *arg, struct err *err);

int records_extent(struct records_reader *reader, struct records_extent *ret,
                   struct err *err);

#endif
