/* SPDX-License-Identifier: Apache-2.0 */
/* jobstats_decode - the nested and the flat JSON form -> rows, as the bytes arrive.
 *
 *     {batch, "targets":[ {target, "entries":[ {entry, "ops":{ name:{op} }} ]} ]}
 *     [ {flat entry} ]
 *
 * One state for each kind of container; what is none of them is skipped whole.  JSON
 * does not order members, so a target's name and time may follow its entries: rows are
 * completed when their target ends.
 */
#include "base/span.h"
#include "wire/decode.h"

/* ---- containers ---- */

static int skip(struct jobstats_decoder *d, unsigned depth)
{
    d->is_skipping = true;
    d->skip_depth = depth;
    return 0;
}

/* A container where a plain value, or the other kind of container, should be. */
static int wrong_container(struct jobstats_decoder *d, unsigned depth)
{
    bool is_known = d->key != KEY_UNKNOWN || d->position == AT_TARGETS;
    switch (is_known ? d->position : AT_TOP) {
    case AT_BATCH:
        return decode_bad_batch(d, key_names[d->key].data, "is not what it should be");
    case AT_TARGETS:
        return decode_bad_batch(d, "targets", "holds something that is not an object");
    case AT_TARGET:
        if (d->key == KEY_ENTRIES)
            return decode_bad_batch(d, "entries", "is not an array");
        decode_bad_target(d, "a member of the target has the wrong type");
        break;
    case AT_OPS:
        decode_bad_entry(d, "\"ops\" holds something that is not an object");
        break;
    case AT_OP:
        decode_bad_entry(d, SPAN_FMT ": %s has the wrong type", SPAN_ARG(d->op.name),
                         key_names[d->key].data);
        break;
    case AT_ENTRY:
    case AT_FLAT_ENTRY:
        decode_bad_entry(d, "\"%s\" has the wrong type",
                         d->key == KEY_FLAT_OP ? op_name((enum op)d->flat_op)
                                               : key_names[d->key].data);
        break;
    default:
        break;
    }
    return skip(d, depth);
}

/* An element of a list of entries that is no object costs one entry. */
static int not_an_entry(struct jobstats_decoder *d)
{
    int rc = decode_begin_entry(d);
    if (rc < 0)
        return rc;
    decode_bad_entry(d, "not an object");
    return decode_end_entry(d);
}

static int open_op(struct jobstats_decoder *d)
{
    struct span name = d->op.name;
    d->op = (struct op_stat){ .name = name };
    strbuf_clear(&d->hist);
    d->position = AT_OP;
    return 0;
}

static int open_object(struct jobstats_decoder *d, unsigned depth)
{
    switch (d->position) {
    case AT_TOP:
        d->position = AT_BATCH;
        return 0;
    case AT_TARGETS:
        decode_begin_target(d);
        d->position = AT_TARGET;
        return 0;
    case AT_ENTRIES:
        d->position = AT_ENTRY;
        return decode_begin_entry(d);
    case AT_ENTRY:
        if (d->key != KEY_OPS)
            return wrong_container(d, depth);
        d->position = AT_OPS;
        return 0;
    case AT_OPS:
        return open_op(d);
    case AT_FLAT:
        decode_begin_target(d);
        d->position = AT_FLAT_ENTRY;
        return decode_begin_entry(d);
    default:
        return wrong_container(d, depth);
    }
}

static int open_array(struct jobstats_decoder *d, unsigned depth)
{
    switch (d->position) {
    case AT_TOP:
        d->position = AT_FLAT;
        return 0;
    case AT_BATCH:
        if (d->key != KEY_TARGETS)
            return wrong_container(d, depth);
        if (d->has_targets)
            return decode_bad_batch(d, "targets", "stands there twice");
        d->has_targets = true;
        d->position = AT_TARGETS;
        return 0;
    case AT_TARGET:
        if (d->key != KEY_ENTRIES)
            return wrong_container(d, depth);
        d->position = AT_ENTRIES;
        return 0;
    case AT_ENTRIES:
    case AT_FLAT: {
        int rc = not_an_entry(d);
        return rc < 0 ? rc : skip(d, depth);
    }
    default:
        return wrong_container(d, depth);
    }
}

static int close_container(struct jobstats_decoder *d)
{
    int rc;
    switch (d->position) {
    case AT_TARGETS:
        d->position = AT_BATCH;
        return 0;
    case AT_TARGET:
        d->position = AT_TARGETS;
        return decode_end_target(d);
    case AT_ENTRIES:
        d->position = AT_TARGET;
        return 0;
    case AT_ENTRY:
        d->position = AT_ENTRIES;
        return decode_end_entry(d);
    case AT_OPS:
        d->position = AT_ENTRY;
        return 0;
    case AT_OP:
        d->position = AT_OPS;
        decode_end_op(d);
        return 0;
    case AT_FLAT_ENTRY:
        d->position = AT_FLAT;
        rc = decode_end_entry(d);
        return rc < 0 ? rc : decode_end_target(d);
    default:
        return 0;
    }
}

/* ---- keys ---- */

static void on_json_op_key(struct jobstats_decoder *d, struct span name)
{
    if (name.size == 0 || name.size > sizeof d->op_name)
        decode_bad_entry(d, "the name of an operation is empty or over %d bytes",
                         OP_NAME_MAX);
    size_t size = name.size < sizeof d->op_name ? name.size : sizeof d->op_name;
    memcpy(d->op_name, name.data, size);
    d->op.name = (struct span){ d->op_name, size };
    d->key = KEY_OPS;
}

static void on_json_flat_key(struct jobstats_decoder *d, struct span name)
{
    static const enum key keys[] = { KEY_TARGET,        KEY_ENTRY_ID,   KEY_TIMESTAMP,
                                     KEY_SNAPSHOT_TIME, KEY_START_TIME, KEY_KIND };
    d->flat_op = op_find(name);
    d->key = d->flat_op == OP_NONE ? KEY_UNKNOWN : KEY_FLAT_OP;
    for (size_t i = 0; d->key == KEY_UNKNOWN && i < COUNT_OF(keys); i++)
        if (span_eq(name, key_names[keys[i]]))
            d->key = keys[i];
    d->unknown_count += d->key == KEY_UNKNOWN;
}

static void on_json_key(struct jobstats_decoder *d, struct span name)
{
    if (d->position == AT_OPS) {
        on_json_op_key(d, name);
        return;
    }
    if (d->position == AT_FLAT_ENTRY) {
        on_json_flat_key(d, name);
        return;
    }
    d->key = KEY_UNKNOWN;
    for (enum key k = keys_at[d->position].first; k <= keys_at[d->position].last; k++) {
        if (span_eq(name, key_names[k])) {
            d->key = k;
            return;
        }
    }
    d->unknown_count++;
}

/* ---- events ---- */

static int on_json_value(struct jobstats_decoder *d, enum json_event event,
                         struct span text)
{
    switch (d->position) {
    case AT_TOP:
        return err_set(d->err, EBADMSG, "neither a batch nor an array of entries");
    case AT_BATCH:
        return decode_batch_value(d, event, text);
    case AT_TARGETS:
        return decode_bad_batch(d, "targets", "holds something that is not an object");
    case AT_TARGET:
        return decode_target_value(d, event, text);
    case AT_ENTRIES:
    case AT_FLAT:
        return not_an_entry(d);
    case AT_ENTRY:
        return decode_entry_value(d, event, text);
    case AT_OPS:
        decode_bad_entry(d, "\"ops\" holds something that is not an object");
        return 0;
    case AT_OP:
        decode_op_value(d, event, text);
        return 0;
    case AT_FLAT_ENTRY:
        return decode_flat_value(d, event, text);
    }
    return 0;
}

static int on_json_event(void *arg, enum json_event event, struct span text,
                         unsigned depth)
{
    struct jobstats_decoder *d = arg;
    if (d->is_skipping) {
        bool is_end = event == JSON_OBJECT_END || event == JSON_ARRAY_END;
        d->is_skipping = !(is_end && depth == d->skip_depth);
        return 0;
    }
    switch (event) {
    case JSON_KEY:
        on_json_key(d, text);
        return 0;
    case JSON_OBJECT:
        return open_object(d, depth);
    case JSON_ARRAY:
        return open_array(d, depth);
    case JSON_OBJECT_END:
    case JSON_ARRAY_END:
        return close_container(d);
    default:
        return on_json_value(d, event, text);
    }
}

/* ---- the door ---- */

int jobstats_decoder_new(struct jobbatch *batch, struct jobstats_decoder **ret)
{
    struct jobstats_decoder *d = calloc(1, sizeof *d);
    if (!d)
        return -ENOMEM;
    static const struct json_reader_opts opts = { .depth_max = 16,
                                                  .token_bytes_max = 16384 };
    d->batch = batch;
    json_reader_init(&d->reader, &opts, on_json_event, d);
    *ret = d;
    return 0;
}

void jobstats_decoder_free(struct jobstats_decoder *d)
{
    if (!d)
        return;
    json_reader_done(&d->reader);
    strbuf_done(&d->more);
    strbuf_done(&d->hist);
    free(d);
}

int jobstats_decoder_feed(struct jobstats_decoder *d, const void *data, size_t size,
                          struct err *err)
{
    d->err = err;
    int rc = json_reader_feed(&d->reader, data, size, err);
    d->err = NULL;
    return rc;
}

static int check_batch(const struct jobstats_decoder *d, struct err *err)
{
    if (!d->has_format)
        return err_set(err, EBADMSG, "no \"format\"");
    if (!d->has_targets)
        return err_set(err, EBADMSG, "no \"targets\"");
    if (d->has_agent != d->has_sequence)
        return err_set(err, EBADMSG, "\"agent\" and \"sequence\" belong together");
    return 0;
}

int jobstats_decoder_finish(struct jobstats_decoder *d, struct err *err)
{
    d->err = err;
    int rc = json_reader_finish(&d->reader, err);
    d->err = NULL;
    if (rc < 0)
        return rc;
    if (d->position == AT_BATCH && (rc = check_batch(d, err)) < 0)
        return rc;
    struct jobbatch *batch = d->batch;
    batch->has_id = d->has_agent;
    batch->agent = d->agent;
    batch->sequence = d->sequence;
    batch->server = d->server;
    for (size_t i = 0; i < batch->row_count; i++)
        batch->rows[i].server = d->server;
    return 0;
}

uint64_t jobstats_decoder_bad_count(const struct jobstats_decoder *d)
{
    return d->bad_count;
}

const struct jobstats_bad *jobstats_decoder_bad(const struct jobstats_decoder *d,
                                                size_t index)
{
    return &d->bad[index];
}

uint64_t jobstats_decoder_entry_of(const struct jobstats_decoder *d, size_t row)
{
    return d->entry_of[row];
}

uint64_t jobstats_decoder_unknown_count(const struct jobstats_decoder *d)
{
    return d->unknown_count;
}
