/* SPDX-License-Identifier: Apache-2.0 */
/* push_facts - what a sender states of an image beside its bytes, as text.
 *
 *     access private
 *     tag anna/python:3
 *     label KEY=VALUE
 *     source /home/anna/tree
 *     tool mkfs.erofs 1.5
 *     arguments -zlz4
 *     view default
 *     set SOFT_HOME=%m/opt/soft
 *     prepend PATH=%m/opt/soft/bin
 *
 * A line each, without control characters; lines of a view follow its name.  Who sent
 * it, and the list of its files, are not stated: the receiver finds them.
 * Threads  none inside.
 */
#ifndef DATASET_REPOSITORY_PUSH_FACTS_H
#define DATASET_REPOSITORY_PUSH_FACTS_H

#include "base/err.h"
#include "base/strbuf.h"
#include "dataset/image/image.h"
#include "dataset/view/view.h"

#define DATASET_TAG_MAX 128
#define DATASET_TEXT_MAX 256
#define DATASET_LABELS_MAX 64
#define PUSH_FACTS_MAX (UINT32_C(160) << 10)
#define PUSH_SOURCE_MAX 1024U /* of source, tool and arguments each */

/* Who may read a dataset of those who do not have the repository itself: its owner; its
 * group, too; all. */
enum dataset_audience {
    DATASET_PUBLIC,
    DATASET_GROUP,
    DATASET_PRIVATE,
};

struct push_view {
    struct span name, text;
};

/* What is not stated is empty; parts of the text. */
struct push_facts {
    enum dataset_audience audience;
    struct span tag, source, tool, arguments;
    struct span labels[DATASET_LABELS_MAX];
    size_t label_count;
    struct push_view views[VIEWS_OF_DATASET_MAX];
    size_t view_count;
};

/* Errors: -EBADMSG (a line that is none), -E2BIG (too many), those of view_check(),
 * each with a line. */
int push_facts_parse(struct span text, struct push_facts *ret, struct err *err);

/* What the sender changes; NULL: as its own repository has it, and no tag. */
struct push_options {
    const char *tag, *audience;
    const char *const *labels; /* beside those that it has */
    size_t label_count;
};
struct repository;
/* The text of a dataset's own.  Errors: as push_facts_parse(); -ENOENT, -EINVAL. */
int push_facts_of(struct repository *r, const struct digest *name,
                  const struct push_options *options, struct strbuf *out,
                  struct err *err);

#endif
