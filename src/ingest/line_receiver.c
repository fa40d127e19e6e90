/* SPDX-License-Identifier: Apache-2.0 */
/* line_receiver - a text of line protocol on its way into a sink, piece by piece. */
#include "ingest/line_receiver.h"

#include "base/number.h"
#include "base/span.h"
#include "ingest/line_refusal.h"

#include <stdatomic.h>

enum { BATCH_FIRST = 256 };

static struct lookup_key key_of_line(const struct line_receiver *in, struct span key)
{
    return lookup_key_mix(in->context, lookup_cache_key(in->opts.cache, key));
}

/* Senders send the same lines in the same order: mostly the next key is the one that
 * came after this one the last time.  Where a line's key begins with as many bytes, a
 * blank follows, and they are the same by their hash, it ends there as well. */
static size_t find_known(void *arg, struct span text)
{
    struct line_receiver *in = arg;
    const struct lookup_entry *before = in->before;
    in->known =
        before ? atomic_load_explicit(&before->after, memory_order_acquire) : NULL;
    size_t size = in->known ? in->known->line_bytes : 0;
    if (size == 0 || size >= text.size || text.data[size] != ' ')
        return 0;
    struct lookup_key key = key_of_line(in, (struct span){ text.data, size });
    bool is_same = key.low == in->known->key.low && key.high == in->known->key.high;
    /* Of a metric that is declared now the tags are wanted. */
    return is_same && atomic_load_explicit(&in->known->series, memory_order_acquire)
               ? size
               : 0;
}

/* All that decides what a line's bytes mean, besides them. */
static int make_context(struct line_receiver *in)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    const struct line_names_opts *names = &in->opts.names;
    strbuf_addf(&text, "%d %d %d %zu %zu ", names->form, in->opts.is_open,
                in->opts.is_strict, names->cluster.size, names->only_host.size);
    strbuf_add_span(&text, names->cluster);
    strbuf_add_span(&text, names->only_host);
    strbuf_add_span(&text, names->only_cluster);
    in->context = lookup_cache_key(in->opts.cache, strbuf_span(&text));
    return strbuf_error(&text);
}

int line_receiver_new(const struct line_receiver_opts *opts, struct line_receiver **ret)
{
    AUTO(line_receiver_free) struct line_receiver *in = malloc(sizeof *in);
    if (!in)
        return -ENOMEM;
    /* The reader is the largest part and needs no zeros. */
    memset(in, 0, offsetof(struct line_receiver, reader));
    in->opts = *opts;
    in->result.is_strict = opts->is_strict;
    in->generation = opts->sink->generation(opts->sink->arg);
    line_reader_init(&in->reader, SPAN(""), opts->unit_ns, opts->now_ns);
    in->reader.has_more = true;
    /* What is said in strict mode of a bad line names the host out of its tags. */
    if (opts->names.form == LINE_CLUSTERCOCKPIT && !opts->is_strict) {
        in->reader.known = find_known;
        in->reader.known_arg = in;
    }
    int rc = make_context(in);
    if (rc == 0)
        *ret = TAKE(in);
    return rc;
}

void line_receiver_free(struct line_receiver *in)
{
    if (!in)
        return;
    for (size_t i = 0; i < SINK_SHARDS_MAX; i++)
        free(in->batches[i].samples);
    strbuf_done(&in->rest);
    line_names_done(&in->names);
    line_repeats_done(&in->repeats);
    free(in);
}

size_t line_receiver_bytes(const struct line_receiver *in)
{
    size_t bytes = sizeof *in + in->rest.capacity + line_repeats_bytes(&in->repeats);
    for (size_t i = 0; i < in->opts.sink->shard_count; i++)
        bytes += in->batches[i].capacity * sizeof(struct sample);
    return bytes;
}

const struct line_result *line_receiver_result(const struct line_receiver *in)
{
    return &in->result;
}

/* ---- from a line to samples ---- */

static int flush(struct line_receiver *in, size_t shard)
{
    const struct sink *sink = in->opts.sink;
    struct batch *batch = &in->batches[shard];
    struct sample_counts taken = { 0 };
    if (batch->count == 0)
        return 0;
    int rc = sink->put(sink->arg, shard, batch->samples, batch->count, &taken);
    if (rc < 0)
        return rc;
    batch->count = 0;
    in->result.accepted += taken.accepted;
    in->result.too_old += taken.too_old;
    return 0;
}

static int grow(struct batch *batch)
{
    size_t capacity = batch->capacity ? batch->capacity * 4 : BATCH_FIRST;
    struct sample *samples = realloc(batch->samples, capacity * sizeof *samples);
    if (!samples)
        return -ENOMEM;
    batch->samples = samples;
    batch->capacity = capacity;
    return 0;
}

static inline int append(struct line_receiver *in, const struct sample *sample,
                         size_t shard)
{
    struct batch *batch = &in->batches[shard];
    int rc = 0;
    if (batch->count == LINE_BATCH_SAMPLES)
        rc = flush(in, shard);
    if (rc == 0 && batch->count == batch->capacity)
        rc = grow(batch);
    if (rc == 0)
        batch->samples[batch->count++] = *sample;
    return rc;
}

/* cc-metric-store passes over what could lead a path of its files elsewhere. */
static bool leads_elsewhere(struct span name)
{
    return name.size > 0 &&
           (memchr(name.data, '/', name.size) || memchr(name.data, '\\', name.size) ||
            memmem(name.data, name.size, "..", 2));
}

static bool is_skipped_there(const struct line_receiver *in)
{
    return in->opts.names.form == LINE_CLUSTERCOCKPIT &&
           (leads_elsewhere(in->names.cluster) || leads_elsewhere(in->names.host));
}

/* The long way: once for each series.  *ret NULL: there is nothing to put. */
static int resolve(struct line_receiver *in, const struct line_point *point,
                   const struct line_field *field, struct lookup_key key,
                   struct lookup_meaning *ret)
{
    const struct sink *sink = in->opts.sink;
    const char *reason;
    int rc = line_names_make(&in->names, &in->opts.names, point, field, &reason);
    bool is_unaddressed =
        rc == -EINVAL || (rc == 0 && in->opts.is_strict && is_skipped_there(in));
    in->result.unaddressed += is_unaddressed;
    /* The peer has names for what names nothing; here such a line is lost. */
    if (is_unaddressed && in->opts.is_strict) {
        in->result.bad++;
        return 0;
    }
    if (rc == -EACCES && in->opts.is_strict) {
        line_refusal_stop(in, point->line, reason);
        return 0;
    }
    if (rc == -EINVAL || rc == -EACCES) {
        line_refusal_add(in, point, point->key.data, reason);
        return 0;
    }
    if (rc < 0)
        return rc;
    const struct sink_key name = {
        .path = strbuf_span(&in->names.path),
        .metric = strbuf_span(&in->names.metric),
        .is_open = in->opts.is_open,
        .account = in->opts.account,
    };
    /* Read before, so that a metric declared meanwhile is looked for again. */
    uint32_t generation = sink->generation(sink->arg);
    rc = sink->series(sink->arg, &name, &ret->series, &ret->shard);
    if (rc == -EINVAL)
        line_refusal_add(in, point, point->key.data, "a name that is too long");
    if (rc == -EINVAL || sink_count_refusal(&in->result.refused, rc))
        return 0;
    if (rc < 0 && rc != -ENOENT)
        return rc;
    in->result.unknown_metric += rc == -ENOENT;
    ret->generation = generation;
    ret->flags = in->names.has_unknown_tag ? LOOKUP_HAS_UNKNOWN_TAG : 0;
    in->result.unknown_tag += in->names.has_unknown_tag;
    bool is_of_line = in->opts.names.form == LINE_CLUSTERCOCKPIT;
    if (is_of_line && point->key.size <= UINT8_MAX)
        ret->line_bytes = (uint8_t)point->key.size;
    lookup_cache_put(in->opts.cache, key, ret, in->opts.account);
    return 0;
}

/* A sample of a series that is known. */
static inline int take_known(struct line_receiver *in, struct lookup_entry *entry,
                             struct sample *sample)
{
    in->before = entry;
    if (entry->flags & LOOKUP_HAS_UNKNOWN_TAG) {
        in->result.unknown_tag++;
        in->result.collapsed +=
            line_repeats_add(&in->repeats, sample->series, sample->t_ns, entry->key);
    }
    return append(in, sample,
                  atomic_load_explicit(&entry->shard, memory_order_relaxed));
}

static int take_field(struct line_receiver *in, const struct line_point *point,
                      const struct line_field *field, double value,
                      struct lookup_key key)
{
    struct sample sample = { .t_ns = point->t_ns, .value = value };
    struct lookup_entry *entry = lookup_cache_find(in->opts.cache, key, in->before);
    if (entry) {
        sample.series = atomic_load_explicit(&entry->series, memory_order_acquire);
        if (sample.series)
            return take_known(in, entry, &sample);
        in->before = entry;
        if (atomic_load_explicit(&entry->generation, memory_order_relaxed) ==
            in->generation) {
            in->result.unknown_metric++;
            return 0;
        }
    }
    struct lookup_meaning meaning = { 0 };
    int rc = resolve(in, point, field, key, &meaning);
    sample.series = meaning.series;
    if (rc == 0 && meaning.series && (meaning.flags & LOOKUP_HAS_UNKNOWN_TAG))
        in->result.collapsed +=
            line_repeats_add(&in->repeats, meaning.series, sample.t_ns, key);
    return rc < 0 || !meaning.series ? rc : append(in, &sample, meaning.shard);
}

/* Field by field, as the peer goes over them.  True: the line is done with. */
static bool is_refused_strictly(struct line_receiver *in,
                                const struct line_point *point)
{
    if (line_refusal_is_unknown(in, point->name)) {
        in->result.unknown_metric++;
        return true;
    }
    for (size_t i = 0; i < point->field_count; i++) {
        const struct line_field *field = &point->fields[i];
        if (span_is(field->key, "value") && field->type != LINE_BOOL &&
            field->type != LINE_STRING)
            continue;
        line_refusal_as_peer(in, point, field);
        return true;
    }
    return false;
}

/* Integers that no double can hold: the nearest is what the peer takes. */
static double rounded(const struct line_field *field)
{
    return field->type == LINE_INT ? (double)field->integer : (double)field->uinteger;
}

static int take_clustercockpit(struct line_receiver *in, const struct line_point *point)
{
    const struct line_field *field = &point->fields[0];
    double value = 0;
    if (in->opts.is_strict && is_refused_strictly(in, point))
        return 0;
    /* There a line without a time has that of the line before it in the text. */
    if (in->opts.is_strict)
        in->reader.default_ns = point->t_ns - point->t_ns % NS_PER_S;
    for (size_t i = 0; i < point->field_count; i++) {
        if (span_is(point->fields[i].key, "value"))
            continue;
        line_refusal_add(in, point, point->fields[i].key.data,
                         "a field other than 'value'");
        return 0;
    }
    /* A field named twice: the last one counts. */
    field = &point->fields[point->field_count - 1];
    int rc = line_field_double(field, &value);
    if (rc == -ERANGE && in->opts.is_strict) {
        value = rounded(field);
        rc = 0;
    }
    if (rc == -ERANGE)
        line_refusal_add(in, point, field->key.data,
                         "an integer that no double can hold");
    in->result.strings += rc == -EDOM;
    if (rc < 0)
        return 0;
    if (!point->is_known)
        return take_field(in, point, field, value, key_of_line(in, point->key));
    struct sample sample = {
        .series = atomic_load_explicit(&in->known->series, memory_order_acquire),
        .t_ns = point->t_ns,
        .value = value,
    };
    return take_known(in, in->known, &sample);
}

static int take_influx(struct line_receiver *in, const struct line_point *point)
{
    double values[LINE_FIELDS_MAX];
    for (size_t i = 0; i < point->field_count; i++) {
        if (line_field_double(&point->fields[i], &values[i]) != -ERANGE)
            continue;
        line_refusal_add(in, point, point->fields[i].key.data,
                         "an integer that no double can hold");
        return 0;
    }
    struct lookup_key line_key = key_of_line(in, point->key);
    uint64_t bad = in->result.bad;
    int rc = 0;
    /* What is wrong with the line's names is said once. */
    for (size_t i = 0; rc == 0 && in->result.bad == bad && i < point->field_count;
         i++) {
        const struct line_field *field = &point->fields[i];
        if (field->type == LINE_STRING) {
            in->result.strings++;
            continue;
        }
        struct lookup_key key = lookup_cache_key(in->opts.cache, field->key);
        rc = take_field(in, point, field, values[i], lookup_key_mix(key, line_key));
    }
    return rc;
}

/* All lines that the reader has whole. */
static int take_lines(struct line_receiver *in)
{
    struct line_point point;
    enum line_outcome outcome;
    bool is_influx = in->opts.names.form == LINE_INFLUX;
    int rc = 0;
    while (rc == 0 && !in->result.is_stopped) {
        outcome = line_reader_next(&in->reader, &point);
        if (outcome == LINE_END || outcome == LINE_MORE)
            break;
        in->result.lines++;
        if (outcome == LINE_FAULT)
            line_refusal_fault(in);
        else
            rc = is_influx ? take_influx(in, &point) : take_clustercockpit(in, &point);
    }
    return rc;
}

/* ---- pieces ---- */

/* What the reader has left goes to the front of rest. */
static int keep_rest(struct line_receiver *in)
{
    size_t size = (size_t)(in->reader.end - in->reader.next);
    if (in->rest.size > 0 && in->reader.next >= in->rest.data &&
        in->reader.next <= in->rest.data + in->rest.size) {
        memmove(in->rest.data, in->reader.next, size);
        in->rest.size = size;
    } else {
        strbuf_clear(&in->rest);
        strbuf_add(&in->rest, in->reader.next, size);
    }
    return strbuf_error(&in->rest);
}

static int take_piece(struct line_receiver *in, struct span text)
{
    line_reader_refill(&in->reader, text);
    in->reader.has_more = true;
    int rc = take_lines(in);
    return rc < 0 ? rc : keep_rest(in);
}

/* A line that began in the piece before is completed first; the others are read where
 * they are.  One that is still not whole has to double before it is looked at again, or
 * a string of line ends would be read once for each of them. */
int line_receiver_feed(struct line_receiver *in, struct span piece)
{
    while (in->rest.size > 0 && piece.size > 0 && !in->result.is_stopped) {
        const char *newline = memchr(piece.data, '\n', piece.size);
        size_t size = newline ? (size_t)(newline - piece.data) + 1 : piece.size;
        strbuf_add(&in->rest, piece.data, size);
        if (strbuf_error(&in->rest) < 0)
            return -ENOMEM;
        piece = span_skip(piece, size);
        if (in->rest.size < in->retry_bytes)
            continue;
        int rc = take_piece(in, strbuf_span(&in->rest));
        if (rc < 0)
            return rc;
        in->retry_bytes = in->rest.size * 2;
    }
    if (piece.size == 0 || in->result.is_stopped)
        return 0;
    return take_piece(in, piece);
}

int line_receiver_finish(struct line_receiver *in)
{
    int rc = 0;
    if (!in->result.is_stopped) {
        line_reader_refill(&in->reader, strbuf_span(&in->rest));
        rc = take_lines(in);
    }
    const struct sink *sink = in->opts.sink;
    for (size_t i = 0; rc == 0 && i < sink->shard_count; i++)
        rc = flush(in, i);
    if (in->opts.is_strict && in->result.unaddressed && sink->report_unaddressed)
        sink->report_unaddressed(
            sink->arg,
            in->opts.account ? sender_account_name(in->opts.account) : "a sender",
            in->result.unaddressed);
    return rc;
}
