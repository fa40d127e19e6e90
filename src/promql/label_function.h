/* SPDX-License-Identifier: Apache-2.0 */
/* label_function - label_replace() and label_join(), and the labels of absent(). */
#ifndef PROMQL_LABEL_FUNCTION_H
#define PROMQL_LABEL_FUNCTION_H

#include "promql/row_set.h"
#include "promql/syntax/syntax.h"

/* texts: destination, replacement, source, regular expression.
 * Errors: -EDOM (a name or the expression), -E2BIG. */
int label_replace_rows(struct row_set *set, const struct span texts[4]);

/* texts: destination, separator, sources.  Errors: likewise. */
int label_join_rows(struct row_set *set, const struct span *texts, size_t count);

/* The labels that a selector gives to a series that is not there: each label that
 * is compared by = once.  Errors: -ENOMEM. */
int absent_labels(struct evaluation *ev, const struct expr *argument,
                  struct labels *ret);

#endif
