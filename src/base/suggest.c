/* SPDX-License-Identifier: Apache-2.0 */
/* suggest - "did you mean": the known word that is nearest to a mistyped one. */
#include "base/suggest.h"

#include "base/span.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t suggest_distance(struct span a, struct span b)
{
    /* Rows of the table of edits: before the last, the last, this one. */
    size_t rows[3][SUGGEST_WORD_MAX + 1];
    size_t *older = rows[0];
    size_t *old = rows[1];
    size_t *row = rows[2];
    if (a.size > SUGGEST_WORD_MAX || b.size > SUGGEST_WORD_MAX)
        return SIZE_MAX;
    for (size_t j = 0; j <= b.size; j++)
        old[j] = older[j] = j;
    for (size_t i = 1; i <= a.size; i++) {
        row[0] = i;
        for (size_t j = 1; j <= b.size; j++) {
            bool differs = a.data[i - 1] != b.data[j - 1];
            row[j] = least(least(old[j], row[j - 1]) + 1, old[j - 1] + differs);
            if (i > 1 && j > 1 && a.data[i - 1] == b.data[j - 2] &&
                a.data[i - 2] == b.data[j - 1])
                row[j] = least(row[j], older[j - 2] + 1);
        }
        size_t *third = older;
        older = old;
        old = row;
        row = third;
    }
    return old[b.size];
}

void suggest_init(struct suggest *ret, struct span word)
{
    *ret = (struct suggest){ .word = word, .distance = SIZE_MAX };
}

void suggest_offer(struct suggest *suggest, struct span candidate)
{
    size_t allowed = suggest->word.size < 6 ? 1 : suggest->word.size / 3;
    /* "tpo" is one swap from "top", but a word of one or two letters is near to all. */
    if (suggest->word.size < 3)
        return;
    size_t distance = suggest_distance(suggest->word, candidate);
    if (distance <= allowed && distance < suggest->distance) {
        suggest->distance = distance;
        suggest->nearest = candidate;
    }
}

int suggest_add(const struct suggest *suggest, const char *prefix, int rc,
                struct err *err)
{
    if (!err || suggest->nearest.size == 0)
        return rc;
    size_t used = strnlen(err->text, sizeof err->text - 1);
    (void)snprintf(err->text + used, sizeof err->text - used,
                   "; did you mean '%s" SPAN_FMT "'?", prefix,
                   SPAN_ARG(suggest->nearest));
    return rc;
}

int suggest_invalid(struct err *err, const char *what, struct span value,
                    const char *choices)
{
    struct suggest suggest;
    struct span rest = span_of(choices);
    suggest_init(&suggest, value);
    while (rest.size) {
        struct span choice;
        (void)span_cut(&rest, ',', &choice);
        suggest_offer(&suggest, span_trim(choice));
    }
    int rc = err_set(err, EINVAL, "%s: invalid value '" SPAN_FMT "' (choose %s)", what,
                     SPAN_ARG(value), choices);
    return suggest_add(&suggest, "", rc, err);
}
