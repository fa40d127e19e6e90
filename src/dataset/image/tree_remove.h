/* SPDX-License-Identifier: Apache-2.0 */
/* tree_remove - a tree of files removed by descriptors, whatever links and modes are in
 * it: no file outside of it is changed. */
#ifndef DATASET_IMAGE_TREE_REMOVE_H
#define DATASET_IMAGE_TREE_REMOVE_H

/* Deeper directories stay. */
#define TREE_DEPTH_MAX 1024

/* What lies in the directory fd. */
void tree_remove_below(int fd);
/* name in the directory fd: a file, or a directory with all that is in it. */
void tree_remove_at(int fd, const char *name);

#endif
