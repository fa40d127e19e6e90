/* SPDX-License-Identifier: Apache-2.0 */
/* timescale - what TimescaleDB is asked for: hypertables, compression, old chunks.
 *
 * Only a writer sets anything, and only where it differs from what is wanted: setting
 * it takes locks that wait behind open queries.  Retention is barod's own in every
 * edition, because it knows when its clock is in doubt; a policy of the database does
 * not.
 */
#ifndef RECORDS_POSTGRES_TIMESCALE_H
#define RECORDS_POSTGRES_TIMESCALE_H

#include "records/engine/engine.h"
#include "records/postgres/conn.h"

enum pg_edition {
    PG_PLAIN,     /* native partitions, one a day */
    PG_APACHE,    /* hypertables */
    PG_COMMUNITY, /* hypertables, compression */
};

struct pg_schema {
    enum pg_edition edition;
    char extension[32];    /* TimescaleDB's version; empty: it is not there */
    bool is_hypertable;    /* the tables were made as such */
    char compression[160]; /* why there is none, where there should be; else empty */
};

/* What the server offers. */
int pg_detect(struct pg_conn *c, struct pg_schema *ret, struct err *err);

/* Bring compression and its policy to what opts say, and take away a policy of
 * retention.  What cannot be had is noted in schema->compression; only a broken
 * connection is an error. */
int pg_policies_keep(struct pg_conn *c, const struct records_opts *opts,
                     struct pg_schema *schema, struct err *err);

int pg_chunks_drop(struct pg_conn *c, enum target_kind kind, int64_t oldest_ms,
                   struct err *err);

/* The extension's background jobs of our tables. */
struct pg_jobs {
    uint64_t failed;   /* whose last run failed */
    uint64_t failures; /* of all runs, by the extension's count */
    char why[160];     /* the newest error, where it can be read */
};
int pg_jobs_look(struct pg_conn *c, struct pg_jobs *ret, struct err *err);
#define PG_CHUNK_NAME_SIZE 272 /* two quoted names of 63 bytes */
struct pg_chunk {
    char name[PG_CHUNK_NAME_SIZE]; /* `schema.name`, quoted; empty: none */
    char end[40];                  /* of its rows, as the server prints it */
};
/* The first chunk behind after (empty: of all) that is old enough and is not
 * compressed, by time, then by name; the empty one where there is none. */
int pg_chunk_to_compress(struct pg_conn *c, int64_t older_ms,
                         const struct pg_chunk *after, struct pg_chunk *ret,
                         struct err *err);

/* Statements, each ended by ";\n".  Pure, so that a test holds them against a golden
 * file. */
void pg_hypertable_sql(struct strbuf *out, enum target_kind kind);
void pg_compression_sql(struct strbuf *out, enum target_kind kind);
/* after_s 0: no policy, and none of before. */
void pg_compression_policy_sql(struct strbuf *out, enum target_kind kind,
                               int64_t after_s);
void pg_retention_policy_sql(struct strbuf *out, enum target_kind kind);

#endif
