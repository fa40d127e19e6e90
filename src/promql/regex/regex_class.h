/* SPDX-License-Identifier: Apache-2.0 */
/* regex_class - sets of characters of a regular expression. */
#ifndef PROMQL_REGEX_CLASS_H
#define PROMQL_REGEX_CLASS_H

#include "promql/regex/regex_node.h"

/* A set of characters that begins at syntax->at: [...], \d, an escaped or a plain one.
 * Errors: -EINVAL (err of the syntax), -ENOMEM. */
int regex_class_parse(struct regex_syntax *syntax, struct regex_node **ret);

/* Append a range, with the other case of letters where REGEX_FOLD is set. */
int regex_range_add(struct regex_syntax *syntax, uint32_t low, uint32_t high);

#endif
