/* SPDX-License-Identifier: Apache-2.0 */
/* batches - the rows of one read, as compressed batches. */
#include "agent/batches.h"

#include "agent/packed.h"
#include "wire/wire.h"

struct agent_batches {
    struct uuid uuid;
    struct span server;
    uint64_t *number; /* the agent's counter */
    struct strbuf json;
    struct jobstats_encoder encoder;
    bool is_open;
    struct agent_batch *items;
    size_t count;
};

int agent_batches_new(const struct uuid *uuid, struct span server, uint64_t *number,
                      struct agent_batches **ret)
{
    struct agent_batches *b = calloc(1, sizeof *b);
    if (!b)
        return -ENOMEM;
    b->uuid = *uuid;
    b->server = server;
    b->number = number;
    *ret = b;
    return 0;
}

void agent_batches_free(struct agent_batches *batches)
{
    if (!batches)
        return;
    for (size_t i = 0; i < batches->count; i++)
        strbuf_done(&batches->items[i].data);
    free(batches->items);
    strbuf_done(&batches->json);
    free(batches);
}

static int close_batch(struct agent_batches *b)
{
    b->is_open = false;
    int rc = jobstats_encode_finish(&b->encoder);
    if (rc < 0)
        return rc;
    struct agent_batch *grown = realloc(b->items, (b->count + 1) * sizeof *grown);
    if (!grown)
        return -ENOMEM;
    b->items = grown;
    struct agent_batch *batch = &grown[b->count];
    *batch = (struct agent_batch){
        .entries = (uint32_t)b->encoder.entry_count,
        .number = *b->number,
    };
    rc = packed_write(strbuf_span(&b->json), &batch->data);
    if (rc < 0) {
        strbuf_done(&batch->data);
        return rc;
    }
    packed_fit(&batch->data); /* many of these may wait for a slow read */
    b->count++;
    return 0;
}

int agent_batches_row(void *batches, const struct entry *entry,
                      const struct observation *seen)
{
    struct agent_batches *b = batches;
    /* A zero record goes with the row that follows it. */
    size_t entries_max = AGENT_BATCH_ENTRIES_MAX - (seen->is_zero ? 1 : 0);
    if (b->is_open && (b->encoder.entry_count >= entries_max ||
                       b->json.size >= AGENT_BATCH_BYTES_MAX)) {
        int rc = close_batch(b);
        if (rc < 0)
            return rc;
    }
    if (!b->is_open) {
        strbuf_clear(&b->json);
        jobstats_encode_start(&b->encoder, &b->json, &b->uuid, ++*b->number, b->server);
        b->is_open = true;
    }
    jobstats_encode_entry(&b->encoder, entry, seen);
    return strbuf_error(&b->json);
}

int agent_batches_finish(struct agent_batches *batches)
{
    return batches->is_open ? close_batch(batches) : 0;
}

size_t agent_batches_count(const struct agent_batches *batches)
{
    return batches->count;
}

const struct agent_batch *agent_batches_at(const struct agent_batches *batches,
                                           size_t index)
{
    return &batches->items[index];
}
