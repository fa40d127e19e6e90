/* SPDX-License-Identifier: Apache-2.0 */
/* view - the door of dataset/view: what a dataset changes in the environment of a
 * command that selects it by a name.
 *
 *     set SOFT_HOME=%m/opt/soft
 *     prepend PATH=%m/opt/soft/bin
 *
 * A line a change, in this order.  %m is where the dataset is mounted, %% a percent
 * sign.  A text comes over a network: view_next() accepts what view_check() does, and
 * nothing else, in whatever process.
 * Threads  none inside.
 */
#ifndef DATASET_VIEW_VIEW_H
#define DATASET_VIEW_VIEW_H

#include "base/err.h"
#include "base/span_type.h"

#include <stdbool.h>

#define VIEW_NAME_MAX 64U
#define VIEW_TEXT_MAX 3072U /* of all lines */
#define VIEW_LINE_MAX 512U  /* without its end */
#define VIEW_VARIABLE_MAX 64U
#define VIEW_CHANGES_MAX 64U
#define VIEW_VALUE_SIZE 131072U /* of a variable, as the kernel has it for exec() */
#define VIEWS_OF_DATASET_MAX 32U

struct view_change {
    bool is_prepend; /* before what is there, with a ':' between */
    struct span name, value;
};

/* Letters, digits and ._-+; not "none".  Errors: -EINVAL with a line. */
int view_name_check(struct span name, struct err *err);
/* 1: the next change, which text is behind then; 0: there is none.  Errors: -EBADMSG
 * (no line of a view), -EPERM (a variable that no view may change), with a line. */
int view_next(struct span *text, struct view_change *ret, struct err *err);
/* The whole.  Errors: those of view_next(); -E2BIG; -EBADMSG: there is no change. */
int view_check(struct span text, struct err *err);
/* A change at the end of a text of *size bytes.  Errors: those of view_next(), -E2BIG,
 * with a line. */
int view_add(bool is_prepend, struct span assignment, char text[static VIEW_TEXT_MAX],
             size_t *size, struct err *err);
/* The same of "set A=B C=D prepend PATH=E".  Errors: also -EINVAL: no verb is first. */
int view_add_texts(char *const *texts, int count, char text[static VIEW_TEXT_MAX],
                   size_t *size, struct err *err);
/* What the variable is to be.  old: what it is; NULL: not set.  Errors: -E2BIG with a
 * line. */
int view_value(const struct view_change *change, const char *mount, const char *old,
               char out[static VIEW_VALUE_SIZE], struct err *err);

#endif
