/* SPDX-License-Identifier: Apache-2.0 */
/* tree - whether the files of a directory changed while they were read. */
#ifndef DATASET_IMAGE_TREE_H
#define DATASET_IMAGE_TREE_H

#include "base/err.h"
#include "base/hashmap.h"

struct tree {
    struct hashmap files; /* a path -> what its inode and the time of its change give */
};

void tree_done(struct tree *tree);
DEFINE_AUTO_DONE(struct tree, tree_done);

/* Errors: those of opendir and lstat, -ENOMEM. */
int tree_read(const char *directory, struct tree *ret, struct err *err);
/* Errors: as tree_read(); -EBUSY: one has changed since, which is named. */
int tree_check(const char *directory, const struct tree *before, struct err *err);

#endif
