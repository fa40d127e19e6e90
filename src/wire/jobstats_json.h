/* SPDX-License-Identifier: Apache-2.0 */
/* jobstats_json - batches of rows as JSON: the nested form that agents send, and the
 * flat form of the original proposal.  doc/formats/jobstats-json.md is the
 * specification.
 *
 *     {"format":"baro-jobstats-1","agent":UUID,"sequence":7,"server":"oss01",
 *      "targets":[{"target":"scratch-OST0001","kind":"ost",
 *        "timestamp":"2022-11-21T06:02:00.000Z",
 *        "entries":[{"entry_id":"11317854:17627127:r01c01","exact":true,
 *          "since":"2022-11-21T06:00:00.000Z","previous":null,"reset":false,
 *          "snapshot_time":1669010520,"start_time":1669009000.987654321,
 *          "ops":{"write_bytes":{"samples":7,"unit":"bytes","min":1,"max":2,"sum":9,
 *                                "sumsq":30,"hist":"32K: 1, 1M: 5"}}}]}]}
 */
#ifndef WIRE_JOBSTATS_JSON_H
#define WIRE_JOBSTATS_JSON_H

#include "base/err.h"
#include "base/json_reader.h"
#include "model/model.h"

#define JOBSTATS_FORMAT "baro-jobstats-1"

/* ---- encoding ---- */

struct jobstats_encoder {
    struct strbuf *out;
    bool in_target;
    int64_t target_t_ms;
    size_t entry_count;
    size_t target_size;
    char target[TARGET_BYTES_MAX];
};

/* Append to out; a failure of its memory is returned by _finish. */
void jobstats_encode_start(struct jobstats_encoder *e, struct strbuf *out,
                           const struct uuid *agent, uint64_t sequence,
                           struct span server);
/* Entries of one target at one time stand together; another target or time begins a new
 * element of "targets". */
void jobstats_encode_entry(struct jobstats_encoder *e, const struct entry *entry,
                           const struct observation *seen);
/* A decoded row as an entry that decodes to the same row; scratch is reset.
 * Errors: -ENOMEM, -EBADMSG and -EMSGSIZE (row->more is not of jobrow_add_op's form).
 */
int jobstats_encode_row(struct jobstats_encoder *e, const struct jobrow *row,
                        struct arena *scratch);
int jobstats_encode_finish(struct jobstats_encoder *e); /* -ENOMEM */

/* ---- decoding ---- */

enum { JOBSTATS_ENTRIES_MAX = JOBBATCH_ROWS_MAX, JOBSTATS_BAD_MAX = 10 };

struct jobstats_bad {
    uint64_t entry; /* index over the whole batch, from 0 */
    char reason[120];
};

struct jobstats_decoder; /* opaque; a state machine behind a json_reader */

/* Rows are added to batch, which the caller owns; its agent, sequence and server are
 * set by _finish.  In a row, fs stays empty. */
int jobstats_decoder_new(struct jobbatch *batch, struct jobstats_decoder **ret);
void jobstats_decoder_free(struct jobstats_decoder *d);
DEFINE_AUTO(struct jobstats_decoder, jobstats_decoder_free);

/* After an error only _bad* and _free are legal, and the batch means nothing.
 * Errors: -EBADMSG (not JSON, or not a batch at all), -EMSGSIZE (too many entries, too
 * much memory), -EPROTONOSUPPORT (a format of another version), -ENOMEM. */
int jobstats_decoder_feed(struct jobstats_decoder *d, const void *data, size_t size,
                          struct err *err);
int jobstats_decoder_finish(struct jobstats_decoder *d, struct err *err);

/* Entries that were not understood cost themselves only. */
uint64_t jobstats_decoder_bad_count(const struct jobstats_decoder *d);
const struct jobstats_bad *jobstats_decoder_bad(const struct jobstats_decoder *d,
                                                size_t index); /* < JOBSTATS_BAD_MAX */

/* Which entry of the message became the batch's row. */
uint64_t jobstats_decoder_entry_of(const struct jobstats_decoder *d, size_t row);
/* Keys that this version does not know, and passed over. */
uint64_t jobstats_decoder_unknown_count(const struct jobstats_decoder *d);

#endif
