/* SPDX-License-Identifier: Apache-2.0 */
/* batch_parts - a batch that is too large for a server, cut between its rows. */
#include "wire/batch_parts.h"

#include "base/span.h"

#include "wire/jobstats_json.h"

#include <inttypes.h>
#include <stdio.h>

#define ROWS_BYTES_MAX ((size_t)512 << 20)

struct batch_parts {
    struct jobbatch batch;
    struct jobstats_decoder *decoder; /* which entry became which row */
};

void batch_parts_free(struct batch_parts *parts)
{
    if (!parts)
        return;
    jobstats_decoder_free(parts->decoder);
    jobbatch_done(&parts->batch);
    free(parts);
}

static int parts_decode(struct batch_parts *parts, struct span json, struct err *err)
{
    struct jobstats_decoder *decoder = parts->decoder;
    int rc = jobstats_decoder_feed(decoder, json.data, json.size, err);
    if (rc == 0)
        rc = jobstats_decoder_finish(decoder, err);
    if (rc < 0)
        return rc;
    if (!parts->batch.has_id)
        return err_set(err, EBADMSG, "a batch without agent and sequence");
    if (jobstats_decoder_unknown_count(decoder))
        return err_set(err, EPROTONOSUPPORT,
                       "the batch has members that this version does not know, and "
                       "would lose");
    return 0;
}

int batch_parts_new(struct span json, struct batch_parts **ret, struct err *err)
{
    AUTO(batch_parts_free) struct batch_parts *parts = calloc(1, sizeof *parts);
    if (!parts)
        return -ENOMEM;
    jobbatch_init(&parts->batch, ROWS_BYTES_MAX);
    int rc = jobstats_decoder_new(&parts->batch, &parts->decoder);
    if (rc == 0)
        rc = parts_decode(parts, json, err);
    if (rc < 0)
        return rc;
    *ret = TAKE(parts);
    return 0;
}

uint64_t batch_parts_bad_count(const struct batch_parts *parts)
{
    return jobstats_decoder_bad_count(parts->decoder);
}

const char *batch_parts_bad_reason(const struct batch_parts *parts)
{
    return batch_parts_bad_count(parts)
               ? jobstats_decoder_bad(parts->decoder, 0)->reason
               : "";
}

struct batch_part batch_parts_whole(const struct batch_parts *parts)
{
    return (struct batch_part){
        .name = parts->batch.agent,
        .first = 0,
        .end = parts->batch.row_count,
        .is_whole = true,
    };
}

/* ---- halves ---- */

static bool is_zero_record_of(const struct jobrow *zero, const struct jobrow *row)
{
    return zero->snapshot_ns == T_NONE && span_eq(zero->target, row->target) &&
           span_eq(zero->entry_id, row->entry_id);
}

static size_t find_middle(const struct batch_parts *parts,
                          const struct batch_part *part)
{
    const struct jobrow *rows = parts->batch.rows;
    size_t middle = part->first + (part->end - part->first) / 2;
    if (!is_zero_record_of(&rows[middle - 1], &rows[middle]))
        return middle;
    if (middle + 1 < part->end)
        return middle + 1;
    return middle > part->first + 1 ? middle - 1 : middle;
}

/* Which entry of the message of the part became the row.  A part that was encoded here
 * has an entry a row. */
static uint64_t entry_of(const struct batch_parts *parts, const struct batch_part *part,
                         size_t row)
{
    return part->is_whole ? jobstats_decoder_entry_of(parts->decoder, row)
                          : row - part->first;
}

/* By the entries of the message, not by the rows: which entries are none may differ
 * with the version, and would give one name to other rows. */
static int name_half(const struct batch_parts *parts, const struct batch_part *part,
                     struct batch_part *half)
{
    char name[96];
    uint64_t first_entry = entry_of(parts, part, half->first);
    uint64_t end_entry = entry_of(parts, part, half->end - 1) + 1;
    uint64_t bad = end_entry - first_entry - (half->end - half->first);
    int size = snprintf(name, sizeof name, "rows %" PRIu64 " to %" PRIu64, first_entry,
                        end_entry);
    if (bad)
        (void)snprintf(name + size, sizeof name - (size_t)size, " without %" PRIu64,
                       bad);
    return uuid_v5(&part->name, span_of(name), SPAN(""), &half->name);
}

int batch_parts_halve(const struct batch_parts *parts, const struct batch_part *part,
                      struct batch_part ret[static 2])
{
    if (part->end - part->first < 2)
        return -ENODATA;
    size_t middle = find_middle(parts, part);
    struct batch_part halves[2] = {
        { .first = part->first, .end = middle },
        { .first = middle, .end = part->end },
    };
    int rc = name_half(parts, part, &halves[0]);
    if (rc == 0)
        rc = name_half(parts, part, &halves[1]);
    if (rc < 0)
        return rc;
    memcpy(ret, halves, sizeof halves);
    return 0;
}

int batch_parts_encode(const struct batch_parts *parts, const struct batch_part *part,
                       struct strbuf *json)
{
    AUTO(arena_done) struct arena scratch;
    arena_init(&scratch, 0);
    struct jobstats_encoder encoder;
    int rc = 0;
    jobstats_encode_start(&encoder, json, &part->name, parts->batch.sequence,
                          parts->batch.server);
    for (size_t i = part->first; rc == 0 && i < part->end; i++)
        rc = jobstats_encode_row(&encoder, &parts->batch.rows[i], &scratch);
    return rc < 0 ? rc : jobstats_encode_finish(&encoder);
}
