/* SPDX-License-Identifier: Apache-2.0 */
/* agent - what runs on a node, and what the command line does with its servers' texts;
 * the room's door.
 *
 *     rounds        when to read what        (loop thread)
 *       └ child         lctl or baro-lustre-read ──▶ parser ──▶ observe ──▶ batches
 *     commit        batches into the spool, then the state: one commit for each read
 *     sender        from the spool to barod  (a thread of its own)
 *     totals        the server's totals as metrics, without a spool (likewise)
 *
 * A read counts when its state has been renamed into place.  Batches that were appended
 * by a read that never came to that are cut off at the next start, and are not sent
 * before: see doc/decisions/0042.
 */
#ifndef AGENT_AGENT_H
#define AGENT_AGENT_H

#include "agent/capture.h"
#include "agent/child.h"
#include "agent/config.h"
#include "agent/get_param.h"
#include "agent/param.h"
#include "agent/ssh_host.h"
#include "agent/totals.h"
#include "base/uuid.h"
#include "observe/observe.h"
#include "spool/spool.h"

#include <stdatomic.h>
#include <uv.h>

struct agent_sender;
struct agent_round;
struct agent_totals;

struct agent_counts {
    uint64_t rounds;
    uint64_t rounds_missed; /* the clock had gone past them */
    uint64_t lists_failed;
    uint64_t reads;
    uint64_t reads_failed;
    uint64_t reads_given_up; /* past the deadline */
    uint64_t reads_skipped;  /* the last one took over a tenth of the interval */
    uint64_t reads_waiting; /* the last one has not returned, or all places are taken */
    uint64_t reads_not_kept; /* spool or state could not be written */
    uint64_t hanging;        /* processes past their deadline that are not gone; now */
    uint64_t bad_lines;
    uint64_t batches;
    uint64_t read_ns;
};

struct agent {
    struct agent_opts opts;
    struct observe *observe;
    struct spool *spool;
    struct uuid uuid;
    uint64_t batch_number; /* of the last batch; never given twice under one uuid */
    /* Up to here records belong to reads that count: the sender goes no further. */
    _Atomic uint64_t committed;
    struct agent_counts counts;
    struct agent_sender *sender;
    struct agent_round *round;
    struct agent_totals *totals; /* NULL: none are sent */
    uv_loop_t loop;
    int64_t token_expires_s; /* 0: there is no token */
};

/* ---- token_reminder: the end of the agent's own token, and the next one ---- */

/* Log now and each day that it ends within 30 days, and when another one was put in its
 * place; on the loop, which it does not keep from ending. */
void agent_token_start(struct agent *agent);

/* ---- batches: rows of one read, as compressed batches ---- */

#define AGENT_BATCH_ENTRIES_MAX 5000
#define AGENT_BATCH_BYTES_MAX (UINT32_C(24) << 20) /* the server takes 32 MiB */

struct agent_batch {
    struct strbuf data; /* zstd */
    uint32_t entries;
    uint64_t number;
};

struct agent_batches; /* opaque: gathers rows, closes a batch when it is full */

int agent_batches_new(const struct uuid *uuid, struct span server, uint64_t *number,
                      struct agent_batches **ret);
void agent_batches_free(struct agent_batches *batches);
DEFINE_AUTO(struct agent_batches, agent_batches_free);
/* An observe_row_fn. */
int agent_batches_row(void *batches, const struct entry *entry,
                      const struct observation *seen);
int agent_batches_finish(struct agent_batches *batches);
size_t agent_batches_count(const struct agent_batches *batches);
const struct agent_batch *agent_batches_at(const struct agent_batches *batches,
                                           size_t index);

/* ---- commit: spool and state ---- */

/* Open both, load what was observed, cut off what never came to count. */
int agent_keep_open(struct agent *agent, struct err *err);
/* Errors: then the target is as it was before the read. */
int agent_keep_read(struct agent *agent, struct observe_target *target,
                    struct agent_batches *batches, struct err *err);
/* The target as it was after the last read that counts. */
void agent_keep_revert(struct agent *agent, struct observe_target *target);
int agent_keep_list(struct agent *agent, struct err *err);

/* ---- rounds ---- */

enum agent_rounds { AGENT_ROUNDS_FOREVER, AGENT_ROUNDS_ONE };
/* Errors: -ENOMEM. */
int agent_round_start(struct agent *agent, enum agent_rounds how,
                      void (*finished_fn)(struct agent *agent));
void agent_round_stop(struct agent *agent);
/* ---- sender ---- */

struct agent_send_counts {
    uint64_t batches, entries, bytes; /* acknowledged */
    uint64_t attempts_failed;
    uint64_t refused_batches;   /* put aside */
    uint64_t set_aside_entries; /* in those */
    uint64_t refused_entries;   /* said by the server */
    uint64_t split_batches;
};

/* A file with one token, or no path: then the token is empty. */
int agent_load_token(const char *path, struct strbuf *token, struct err *err);
int agent_send_start(struct agent *agent, struct err *err);
/* There may be more to send. */
void agent_send_wake(struct agent *agent);
/* Wait until all that counts was sent, or an attempt failed. */
int agent_send_drain(struct agent *agent);
void agent_send_stop(struct agent *agent);
void agent_send_count(struct agent *agent, struct agent_send_counts *ret);

/* ---- counters, check, privilege ---- */

void agent_stats_print(struct agent *agent, struct strbuf *out);
/* --check: what each source can read.  Returns an exit status. */
int agent_check(const struct agent_opts *opts, FILE *out);
/* The same as the service's user (NULL: the unit's), where root asks; says as whom. */
int agent_check_as(const char *user, const struct agent_opts *opts, FILE *out);
/* The part of it that asks the server; prints to out, returns an exit status. */
int agent_check_server(const struct agent_opts *opts, FILE *out);
/* Keep inherited capabilities for children only. */
void agent_drop_privilege(void);

#endif
