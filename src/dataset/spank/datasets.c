/* SPDX-License-Identifier: Apache-2.0 */
/* datasets - the list of a step's datasets as text. */
#include "dataset/spank/datasets.h"

#include "base/span.h"

#include <string.h>

static bool is_there(const struct datasets *datasets, struct span text)
{
    for (size_t i = 0; i < datasets->count; i++)
        if (span_eq(datasets->texts[i], text))
            return true;
    return false;
}

/* What it means is found by visit_add(); here: that it is one word. */
static bool is_one_word(struct span text)
{
    for (size_t i = 0; i < text.size; i++)
        if ((unsigned char)text.data[i] <= ' ' || text.data[i] == 0x7f)
            return false;
    return text.size > 0;
}

static int word_add(struct datasets *datasets, struct span word, struct err *err)
{
    if (!is_one_word(word) || word.data[0] == ':')
        return err_set(err, EINVAL,
                       "'%.*s': write NAME, or NAME:/path, without blanks or commas",
                       (int)(word.size < 200 ? word.size : 200), word.data);
    if (is_there(datasets, word))
        return 0;
    if (datasets->count == VISIT_DATASETS_MAX)
        return err_set(err, E2BIG, "more than %u datasets", VISIT_DATASETS_MAX);
    /* A list has a comma before each but the first. */
    if (datasets->size + word.size + datasets->count + 1 > sizeof datasets->bytes)
        return err_set(err, ENAMETOOLONG, "more than %d bytes of datasets",
                       DATASETS_TEXT_SIZE);
    memcpy(datasets->bytes + datasets->size, word.data, word.size);
    datasets->texts[datasets->count++] =
        (struct span){ datasets->bytes + datasets->size, word.size };
    datasets->size += word.size;
    return 0;
}

int datasets_add(struct datasets *datasets, struct span text, struct err *err)
{
    struct span word;
    bool has_more = true;
    int rc = 0;
    while (rc == 0 && has_more) {
        has_more = span_cut(&text, ',', &word);
        if (span_is(word, DATASETS_NONE))
            datasets->count = datasets->size = 0;
        else
            rc = word_add(datasets, word, err);
    }
    return rc;
}

int datasets_parse(struct span text, struct datasets *ret, struct err *err)
{
    ret->count = ret->size = 0;
    return text.size ? datasets_add(ret, text, err) : 0;
}

void datasets_print(const struct datasets *datasets,
                    char out[static DATASETS_TEXT_SIZE])
{
    size_t used = 0;
    memcpy(out, DATASETS_NONE, sizeof DATASETS_NONE);
    for (size_t i = 0; i < datasets->count; i++) {
        if (i)
            out[used++] = ',';
        memcpy(out + used, datasets->texts[i].data, datasets->texts[i].size);
        used += datasets->texts[i].size;
        out[used] = '\0';
    }
}
