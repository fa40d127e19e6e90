/* SPDX-License-Identifier: Apache-2.0 */
/* remote_write - the message of Prometheus remote write 1.0. */
#include "wire/remote_write.h"

#include "base/octets.h"
#include "base/span.h"

#include <errno.h>

/* Numbers of fields, by message. */
enum { REQUEST_SERIES = 1, REQUEST_METADATA = 3 };
enum { SERIES_LABEL = 1, SERIES_SAMPLE = 2, SERIES_EXEMPLAR = 3, SERIES_HISTOGRAM = 4 };
enum { LABEL_NAME = 1, LABEL_VALUE = 2 };
enum { SAMPLE_VALUE = 1, SAMPLE_TIME = 2 };

/* ---- reading ---- */

int remote_reader_init(struct remote_reader *reader, struct span message)
{
    struct span rest = message;
    struct protobuf_field field;
    while (protobuf_next(&rest, &field))
        if ((field.number == REQUEST_SERIES || field.number == REQUEST_METADATA) &&
            field.type != PROTOBUF_BYTES)
            return -EBADMSG;
    if (rest.size > 0)
        return -EBADMSG;
    *reader = (struct remote_reader){ .rest = message };
    return 0;
}

static bool read_sample(struct span message, struct remote_sample *ret)
{
    struct remote_sample sample = { 0 };
    struct protobuf_field field;
    while (protobuf_next(&message, &field)) {
        if (field.number == SAMPLE_VALUE && field.type == PROTOBUF_FIXED64)
            sample.bits = field.value;
        else if (field.number == SAMPLE_TIME && field.type == PROTOBUF_VARINT)
            sample.t_ms = (int64_t)field.value;
        else if (field.number <= SAMPLE_TIME)
            return false;
    }
    *ret = sample;
    return message.size == 0;
}

/* A run goes on as long as label follows label. */
static bool add_label_field(struct remote_series *series, const char *begin,
                            const char *end)
{
    struct span *last = series->run_count ? &series->runs[series->run_count - 1] : NULL;
    if (last && last->data + last->size == begin) {
        last->size += (size_t)(end - begin);
        return true;
    }
    if (series->run_count == REMOTE_RUNS_MAX)
        return false;
    series->runs[series->run_count++] = (struct span){ begin, (size_t)(end - begin) };
    return true;
}

static const char *scan_field(struct remote_series *series,
                              const struct protobuf_field *field, const char *begin,
                              const char *end)
{
    struct remote_sample sample;
    if (field->number < SERIES_LABEL || field->number > SERIES_HISTOGRAM)
        return NULL;
    if (field->type != PROTOBUF_BYTES)
        return "a field of a series is of another type";
    if (field->number == SERIES_LABEL)
        return add_label_field(series, begin, end) ? NULL
                                                   : "labels stand between samples";
    if (field->number == SERIES_SAMPLE && !read_sample(field->bytes, &sample))
        return "a broken sample";
    series->samples += field->number == SERIES_SAMPLE;
    series->exemplars += field->number == SERIES_EXEMPLAR;
    series->histograms += field->number == SERIES_HISTOGRAM;
    return NULL;
}

static void scan_series(struct span message, struct remote_series *ret)
{
    struct remote_series series = { .message = message };
    struct protobuf_field field;
    struct span rest = message;
    const char *begin = rest.data;
    for (; !series.fault && protobuf_next(&rest, &field); begin = rest.data)
        series.fault = scan_field(&series, &field, begin, rest.data);
    if (!series.fault && rest.size > 0)
        series.fault = "a series that is cut off";
    *ret = series;
}

bool remote_reader_next(struct remote_reader *reader, struct remote_series *ret)
{
    struct protobuf_field field;
    while (protobuf_next(&reader->rest, &field)) {
        if (field.number == REQUEST_SERIES) {
            scan_series(field.bytes, ret);
            return true;
        }
        reader->metadata += field.number == REQUEST_METADATA;
    }
    return false;
}

void remote_labels_init(struct remote_labels *labels, const struct remote_series *of)
{
    *labels = (struct remote_labels){ .series = of };
}

static bool read_label(struct span message, struct label_pair *ret)
{
    struct label_pair pair = { SPAN(""), SPAN("") };
    struct protobuf_field field;
    while (protobuf_next(&message, &field)) {
        if (field.number != LABEL_NAME && field.number != LABEL_VALUE)
            continue;
        if (field.type != PROTOBUF_BYTES)
            return false;
        *(field.number == LABEL_NAME ? &pair.name : &pair.value) = field.bytes;
    }
    *ret = pair;
    return message.size == 0;
}

int remote_labels_next(struct remote_labels *labels, struct label_pair *ret)
{
    struct protobuf_field field;
    while (labels->rest.size == 0) {
        if (labels->run == labels->series->run_count)
            return 0;
        labels->rest = labels->series->runs[labels->run++];
    }
    if (!protobuf_next(&labels->rest, &field) || !read_label(field.bytes, ret))
        return -EBADMSG;
    return 1;
}

bool remote_samples_next(struct span *rest, struct remote_sample *ret)
{
    struct protobuf_field field;
    while (protobuf_next(rest, &field))
        if (field.number == SERIES_SAMPLE && field.type == PROTOBUF_BYTES)
            return read_sample(field.bytes, ret);
    return false;
}

/* ---- writing ---- */

static size_t field_size(size_t bytes)
{
    return 1 + protobuf_varint_size(bytes) + bytes;
}

static size_t sample_size(const struct remote_sample *sample)
{
    return 9 + 1 + protobuf_varint_size((uint64_t)sample->t_ms);
}

void remote_series_add(struct strbuf *out, const struct label_pair *labels,
                       size_t label_count, const struct remote_sample *samples,
                       size_t sample_count)
{
    size_t size = 0;
    for (size_t i = 0; i < label_count; i++)
        size += field_size(field_size(labels[i].name.size) +
                           field_size(labels[i].value.size));
    for (size_t i = 0; i < sample_count; i++)
        size += field_size(sample_size(&samples[i]));
    protobuf_add_key(out, REQUEST_SERIES, PROTOBUF_BYTES);
    octets_add_varint(out, size);
    for (size_t i = 0; i < label_count; i++) {
        protobuf_add_key(out, SERIES_LABEL, PROTOBUF_BYTES);
        octets_add_varint(out, field_size(labels[i].name.size) +
                                   field_size(labels[i].value.size));
        protobuf_add_bytes(out, LABEL_NAME, labels[i].name);
        protobuf_add_bytes(out, LABEL_VALUE, labels[i].value);
    }
    for (size_t i = 0; i < sample_count; i++) {
        protobuf_add_key(out, SERIES_SAMPLE, PROTOBUF_BYTES);
        octets_add_varint(out, sample_size(&samples[i]));
        protobuf_add_fixed64(out, SAMPLE_VALUE, samples[i].bits);
        protobuf_add_key(out, SAMPLE_TIME, PROTOBUF_VARINT);
        octets_add_varint(out, (uint64_t)samples[i].t_ms);
    }
}
