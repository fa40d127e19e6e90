/* SPDX-License-Identifier: Apache-2.0 */
/* message - samples of a queue as one request of remote write. */
#include "forward/message.h"

#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <stdlib.h>

#define SAMPLES_AT_ONCE 64

int external_labels_read(const struct config_list *list, struct external_labels *ret,
                         struct err *err)
{
    struct label_set set = { 0 };
    struct external_labels labels = { 0 };
    for (size_t i = 0; i < list->count; i++) {
        struct span value = span_of(list->items[i]), name;
        bool has_two = span_cut(&value, ' ', &name);
        value = span_trim(value);
        if (!has_two || value.size == 0 ||
            label_set_add(&set, (struct label_pair){ name, value }) < 0)
            return err_set(err, EINVAL,
                           "label: '%s' is not a name of a label and its value",
                           list->items[i]);
        if (set.count > COUNT_OF(labels.pairs))
            return err_set(err, EINVAL, "label: more than %zu", COUNT_OF(labels.pairs));
    }
    labels.count = set.count;
    memcpy(labels.pairs, set.pairs, set.count * sizeof set.pairs[0]);
    *ret = labels;
    return 0;
}

/* ---- samples ---- */

void message_samples_done(struct message_samples *samples)
{
    free(samples->items);
}

int message_samples_add(struct message_samples *samples,
                        const struct queued_sample *sample)
{
    if (samples->count == samples->capacity) {
        size_t capacity = samples->capacity ? 2 * samples->capacity : 4096;
        struct queued_sample *items =
            reallocarray(samples->items, capacity, sizeof *items);
        if (!items)
            return -ENOMEM;
        samples->items = items;
        samples->capacity = capacity;
    }
    struct queued_sample *item = &samples->items[samples->count];
    *item = *sample;
    item->order = (uint32_t)samples->count++;
    return 0;
}

static int compare_samples(const void *a, const void *b)
{
    const struct queued_sample *x = a, *y = b;
    if (x->series != y->series)
        return x->series < y->series ? -1 : 1;
    if (x->t_ms != y->t_ms)
        return x->t_ms < y->t_ms ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

void message_samples_sort(struct message_samples *samples)
{
    struct queued_sample *items = samples->items;
    size_t last = 0;
    if (samples->count == 0)
        return;
    qsort(items, samples->count, sizeof *items, compare_samples);
    for (size_t i = 1; i < samples->count; i++) {
        bool is_same =
            items[i].series == items[last].series && items[i].t_ms == items[last].t_ms;
        last += !is_same;
        items[last] = items[i];
    }
    samples->count = last + 1;
}

/* ---- labels ---- */

/* False: there is one of this name. */
static bool insert_label(struct label_pair *pairs, size_t *count,
                         struct label_pair pair)
{
    size_t at = *count;
    for (; at > 0; at--) {
        int order = span_compare(pairs[at - 1].name, pair.name);
        if (order == 0)
            return false;
        if (order < 0)
            break;
    }
    memmove(&pairs[at + 1], &pairs[at], (*count - at) * sizeof *pairs);
    pairs[at] = pair;
    *count += 1;
    return true;
}

size_t message_labels(const struct series_name *name,
                      const struct external_labels *external, char *text,
                      struct label_pair *ret)
{
    struct label_set set;
    label_path_read(name->path, text, &set);
    size_t count = set.count;
    memcpy(ret, set.pairs, count * sizeof *ret);
    (void)insert_label(ret, &count,
                       (struct label_pair){ SPAN("__name__"), name->metric });
    for (size_t i = 0; i < external->count; i++)
        (void)insert_label(ret, &count, external->pairs[i]);
    return count;
}

void message_add_series(struct strbuf *out, const struct series_name *name,
                        const struct external_labels *external,
                        const struct message_samples *samples, size_t *at, size_t end)
{
    struct label_pair labels[MESSAGE_LABELS_MAX];
    struct remote_sample list[SAMPLES_AT_ONCE];
    char text[LABEL_TEXT_MAX];
    const struct queued_sample *items = samples->items;
    uint32_t series = items[*at].series;
    size_t label_count = message_labels(name, external, text, labels), count = 0;
    while (*at < end && items[*at].series == series) {
        list[count++] = (struct remote_sample){ items[*at].t_ms, items[*at].bits };
        *at += 1;
        if (count < SAMPLES_AT_ONCE)
            continue;
        remote_series_add(out, labels, label_count, list, count);
        count = 0;
    }
    if (count > 0)
        remote_series_add(out, labels, label_count, list, count);
}
