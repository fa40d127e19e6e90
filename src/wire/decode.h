/* SPDX-License-Identifier: Apache-2.0 */
/* decode - what the files of the decoder of batches share: the state between two
 * events, and the keys.  Inside the room only.
 *
 *     jobstats_decode.c   containers and keys ──▶ decode_values.c   plain values
 *                                             └─▶ decode_rows.c     rows, and reasons
 */
#ifndef WIRE_DECODE_H
#define WIRE_DECODE_H

#include "wire/jobstats_json.h"

enum {
    ENTRY_ID_TEXT_MAX = ENTRY_ID_BYTES_MAX * 4, /* every byte as \xHH */
    OP_NAME_MAX = 64,
    UNIT_MAX = 31,
    HIST_MAX = 4096,
    SERVER_MAX = 255,
    MORE_MAX = 16384,
};

enum decode_position {
    AT_TOP,
    AT_BATCH,
    AT_TARGETS,
    AT_TARGET,
    AT_ENTRIES,
    AT_ENTRY,
    AT_OPS,
    AT_OP,
    AT_FLAT,
    AT_FLAT_ENTRY,
};

enum key {
    KEY_UNKNOWN,
    KEY_FORMAT,
    KEY_AGENT,
    KEY_SEQUENCE,
    KEY_SERVER,
    KEY_TARGETS,
    KEY_TARGET,
    KEY_KIND,
    KEY_TIMESTAMP,
    KEY_ENTRIES,
    KEY_ENTRY_ID,
    KEY_EXACT,
    KEY_SINCE,
    KEY_PREVIOUS,
    KEY_RESET,
    KEY_SNAPSHOT_TIME,
    KEY_START_TIME,
    KEY_OPS,
    KEY_SAMPLES,
    KEY_UNIT,
    KEY_MIN,
    KEY_MAX,
    KEY_SUM,
    KEY_SUMSQ,
    KEY_HIST,
    KEY_FLAT_OP, /* of the flat form: the operation is in flat_op */
    KEY_COUNT,
};

/* Their sizes are known to the compiler: keys are looked up for every number. */
static const struct span key_names[KEY_COUNT] = {
    [KEY_FORMAT] = { "format", sizeof("format") - 1 },
    [KEY_AGENT] = { "agent", sizeof("agent") - 1 },
    [KEY_SEQUENCE] = { "sequence", sizeof("sequence") - 1 },
    [KEY_SERVER] = { "server", sizeof("server") - 1 },
    [KEY_TARGETS] = { "targets", sizeof("targets") - 1 },
    [KEY_TARGET] = { "target", sizeof("target") - 1 },
    [KEY_KIND] = { "kind", sizeof("kind") - 1 },
    [KEY_TIMESTAMP] = { "timestamp", sizeof("timestamp") - 1 },
    [KEY_ENTRIES] = { "entries", sizeof("entries") - 1 },
    [KEY_ENTRY_ID] = { "entry_id", sizeof("entry_id") - 1 },
    [KEY_EXACT] = { "exact", sizeof("exact") - 1 },
    [KEY_SINCE] = { "since", sizeof("since") - 1 },
    [KEY_PREVIOUS] = { "previous", sizeof("previous") - 1 },
    [KEY_RESET] = { "reset", sizeof("reset") - 1 },
    [KEY_SNAPSHOT_TIME] = { "snapshot_time", sizeof("snapshot_time") - 1 },
    [KEY_START_TIME] = { "start_time", sizeof("start_time") - 1 },
    [KEY_OPS] = { "ops", sizeof("ops") - 1 },
    [KEY_SAMPLES] = { "samples", sizeof("samples") - 1 },
    [KEY_UNIT] = { "unit", sizeof("unit") - 1 },
    [KEY_MIN] = { "min", sizeof("min") - 1 },
    [KEY_MAX] = { "max", sizeof("max") - 1 },
    [KEY_SUM] = { "sum", sizeof("sum") - 1 },
    [KEY_SUMSQ] = { "sumsq", sizeof("sumsq") - 1 },
    [KEY_HIST] = { "hist", sizeof("hist") - 1 },
};

/* The keys of each kind of object are consecutive. */
static const struct {
    enum key first, last;
} keys_at[] = {
    [AT_BATCH] = { KEY_FORMAT, KEY_TARGETS },
    [AT_TARGET] = { KEY_TARGET, KEY_ENTRIES },
    [AT_ENTRY] = { KEY_ENTRY_ID, KEY_OPS },
    [AT_OP] = { KEY_SAMPLES, KEY_HIST },
};

struct text {
    size_t size;
    char data[TARGET_BYTES_MAX];
};

struct jobstats_decoder {
    struct json_reader reader;
    struct jobbatch *batch;
    struct err *err; /* of the feed or finish that runs */
    enum decode_position position;
    enum key key;
    bool is_skipping;
    unsigned skip_depth;

    bool has_format, has_agent, has_sequence, has_targets;
    struct uuid agent;
    uint64_t sequence;
    struct span server; /* in the batch's arena */

    /* the target that is open; in the flat form the entry's own */
    struct text target;
    struct span target_stored; /* the last name copied into the arena */
    int kind;                  /* -1: not given */
    int64_t t_ms;
    char target_reason[sizeof((struct jobstats_bad *)NULL)->reason];
    size_t target_first_row;
    uint64_t target_first_entry;

    /* the entry that is open */
    struct jobrow *row;
    bool has_id;
    size_t op_count;
    char entry_reason[sizeof((struct jobstats_bad *)NULL)->reason];
    struct strbuf more;

    /* the operation that is open */
    int flat_op;
    struct op_stat op;
    char op_name[OP_NAME_MAX];
    char unit[UNIT_MAX];
    struct strbuf hist;

    uint64_t entry_count;
    uint64_t bad_count;
    uint64_t unknown_count;
    struct jobstats_bad bad[JOBSTATS_BAD_MAX];
    uint32_t entry_of[JOBBATCH_ROWS_MAX];
};

/* ---- decode_rows.c: entries and targets, and what costs them ---- */

/* The first reason of the entry that is open, or of the target, counts. */
void decode_bad_entry(struct jobstats_decoder *d, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void decode_bad_target(struct jobstats_decoder *d, const char *reason);
/* Returns -EBADMSG. */
int decode_bad_batch(struct jobstats_decoder *d, const char *key, const char *reason);
/* Returns -EMSGSIZE. */
int decode_out_of_memory(struct jobstats_decoder *d);
bool decode_is_name(struct span name);
void decode_begin_target(struct jobstats_decoder *d);
/* Complete the target's rows, or drop them all for its reason.  Errors: -EMSGSIZE. */
int decode_end_target(struct jobstats_decoder *d);
/* Errors: -EMSGSIZE (too many entries, too much memory). */
int decode_begin_entry(struct jobstats_decoder *d);
/* Errors: -EMSGSIZE. */
int decode_end_entry(struct jobstats_decoder *d);
void decode_end_op(struct jobstats_decoder *d);

/* ---- decode_values.c: the value of d->key ---- */

/* Errors: -EBADMSG, -EPROTONOSUPPORT, -EMSGSIZE; what costs an entry or a target only
 * is noted. */
int decode_batch_value(struct jobstats_decoder *d, enum json_event event,
                       struct span text);
int decode_target_value(struct jobstats_decoder *d, enum json_event event,
                        struct span text);
int decode_entry_value(struct jobstats_decoder *d, enum json_event event,
                       struct span text);
void decode_op_value(struct jobstats_decoder *d, enum json_event event,
                     struct span text);
int decode_flat_value(struct jobstats_decoder *d, enum json_event event,
                      struct span text);

#endif
