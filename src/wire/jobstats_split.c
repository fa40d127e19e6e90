/* SPDX-License-Identifier: Apache-2.0 */
/* jobstats_split - a batch that is too large for a server, cut into two between its
 * rows.
 */
#include "wire/jobstats_split.h"

#include "wire/jobstats_json.h"

#include <inttypes.h>
#include <stdio.h>

#define ROWS_BYTES_MAX ((size_t)512 << 20)

void jobstats_halves_done(struct jobstats_halves *halves)
{
    strbuf_done(&halves->half[0].json);
    strbuf_done(&halves->half[1].json);
    strbuf_done(&halves->bad_reason);
    *halves = (struct jobstats_halves){ .bad = 0 };
}

static int decode(struct span json, struct jobstats_decoder *decoder,
                  struct jobbatch *batch, struct jobstats_halves *halves,
                  struct err *err)
{
    int rc = jobstats_decoder_feed(decoder, json.data, json.size, err);
    if (rc == 0)
        rc = jobstats_decoder_finish(decoder, err);
    if (rc < 0)
        return rc;
    if (!batch->has_id)
        return err_set(err, EBADMSG, "a batch without agent and sequence");
    if (jobstats_decoder_unknown_count(decoder))
        return err_set(err, EPROTONOSUPPORT,
                       "the batch has members that this version does not know, and "
                       "would lose");
    halves->bad = jobstats_decoder_bad_count(decoder);
    if (halves->bad)
        strbuf_adds(&halves->bad_reason, jobstats_decoder_bad(decoder, 0)->reason);
    return strbuf_error(&halves->bad_reason);
}

static bool is_zero_record_of(const struct jobrow *zero, const struct jobrow *row)
{
    return zero->snapshot_ns == T_NONE && span_eq(zero->target, row->target) &&
           span_eq(zero->entry_id, row->entry_id);
}

static size_t find_middle(const struct jobbatch *batch)
{
    size_t middle = batch->row_count / 2;
    if (!is_zero_record_of(&batch->rows[middle - 1], &batch->rows[middle]))
        return middle;
    if (middle + 1 < batch->row_count)
        return middle + 1;
    return middle > 1 ? middle - 1 : middle;
}

/* By the entries of the message, not by the rows: which entries are none may differ
 * with the version, and would give one name to other rows. */
static int name_half(const struct jobstats_decoder *decoder,
                     const struct jobbatch *batch, size_t first, size_t end,
                     struct uuid *ret)
{
    char name[96];
    uint64_t first_entry = jobstats_decoder_entry_of(decoder, first);
    uint64_t end_entry = jobstats_decoder_entry_of(decoder, end - 1) + 1;
    uint64_t bad = end_entry - first_entry - (end - first);
    int size = snprintf(name, sizeof name, "rows %" PRIu64 " to %" PRIu64, first_entry,
                        end_entry);
    if (bad)
        (void)snprintf(name + size, sizeof name - (size_t)size, " without %" PRIu64,
                       bad);
    return uuid_v5(&batch->agent, span_of(name), SPAN(""), ret);
}

static int encode(const struct jobstats_decoder *decoder, const struct jobbatch *batch,
                  size_t first, size_t end, struct jobstats_half *half)
{
    AUTO(arena_done) struct arena scratch;
    arena_init(&scratch, 0);
    int rc = name_half(decoder, batch, first, end, &half->name);
    if (rc < 0)
        return rc;
    struct jobstats_encoder encoder;
    jobstats_encode_start(&encoder, &half->json, &half->name, batch->sequence,
                          batch->server);
    for (size_t i = first; rc == 0 && i < end; i++)
        rc = jobstats_encode_row(&encoder, &batch->rows[i], &scratch);
    half->rows = (uint32_t)(end - first);
    return rc < 0 ? rc : jobstats_encode_finish(&encoder);
}

int jobstats_split(struct span json, struct jobstats_halves *ret, struct err *err)
{
    AUTO(jobbatch_done) struct jobbatch batch;
    AUTO(jobstats_halves_done) struct jobstats_halves halves = { .bad = 0 };
    jobbatch_init(&batch, ROWS_BYTES_MAX);
    AUTO(jobstats_decoder_free) struct jobstats_decoder *decoder = NULL;
    int rc = jobstats_decoder_new(&batch, &decoder);
    if (rc == 0)
        rc = decode(json, decoder, &batch, &halves, err);
    if (rc < 0)
        return rc;
    if (batch.row_count < 2)
        return err_set(err, ENODATA, "a batch of one row");
    size_t middle = find_middle(&batch);
    rc = encode(decoder, &batch, 0, middle, &halves.half[0]);
    if (rc == 0)
        rc = encode(decoder, &batch, middle, batch.row_count, &halves.half[1]);
    if (rc < 0)
        return err_set(err, -rc, "encode half of a batch: %s", strerror(-rc));
    *ret = halves;
    halves = (struct jobstats_halves){ .bad = 0 };
    return 0;
}
