/* SPDX-License-Identifier: Apache-2.0 */
/* suggest - "did you mean": the known word that is nearest to a mistyped one.
 *
 * Nearness is the number of letters to insert, remove, replace or swap with the
 * next one; at most a third of the word's letters may differ, and at least one may.
 * Used where a word is looked up in a closed list: options and commands (base/options),
 * keys and sections (base/config), values (suggest_invalid).
 */
#ifndef BASE_SUGGEST_H
#define BASE_SUGGEST_H

#include "base/err.h"
#include "base/span_type.h"

#include <stddef.h>

#define SUGGEST_WORD_MAX 48 /* bytes; a longer word is like no other */

struct suggest {
    struct span word;
    struct span nearest; /* of size 0: none is near enough */
    size_t distance;
};

/* The number of letters in which a and b differ; SIZE_MAX where one is longer than
 * SUGGEST_WORD_MAX. */
size_t suggest_distance(struct span a, struct span b);

/* Begin with the word as it was typed; it and the candidates must outlive ret. */
void suggest_init(struct suggest *ret, struct span word);
/* Offer a known word.  Of equally near ones the first stays. */
void suggest_offer(struct suggest *suggest, struct span candidate);
/* Add "; did you mean 'word'?" to *err, with prefix before the word ("--"), where a
 * candidate was near enough.  Returns rc. */
int suggest_add(const struct suggest *suggest, const char *prefix, int rc,
                struct err *err);

/* The one refusal of a value that is not in a closed list:
 * "--output: invalid value 'tablr' (choose table, json, csv); did you mean 'table'?".
 * choices is the list as it is printed.  Returns -EINVAL. */
int suggest_invalid(struct err *err, const char *what, struct span value,
                    const char *choices);

#endif
