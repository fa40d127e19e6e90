/* SPDX-License-Identifier: Apache-2.0 */
/* facts - what the catalogue has of a dataset: who, when, from what, and its index. */
#ifndef DATASET_REPOSITORY_FACTS_H
#define DATASET_REPOSITORY_FACTS_H

#include "dataset/repository/store.h"

struct dataset_facts {
    struct dataset_index index; /* with the name */
    struct image_totals totals;
    struct span manifest;
    const char *source, *tool, *arguments;
    char creator[64];
    struct dataset_access access;
    uint64_t new_bytes;
};

/* Labels and tag are well-formed.  Errors: -EINVAL. */
int facts_check(const struct dataset_admission *in, struct err *err);
int facts_tag_check(const char *tag, struct err *err);
/* 1: there is one, *ret its row; 0: there is none. */
int facts_find(struct repository *r, const struct digest *name, int64_t *ret,
               struct err *err);
/* The same, but none is an error: -ENOENT. */
int facts_need(struct repository *r, const struct digest *name, int64_t *ret,
               struct err *err);
/* In a transaction: the row; its labels and tag, and that it was admitted now, from
 * when its grace counts. */
int facts_record(struct repository *r, const struct dataset_facts *facts, int64_t *ret,
                 struct err *err);
/* Of one that is there: index and manifest again, where what is stored is damaged. */
int facts_repair(struct repository *r, const struct dataset_facts *facts,
                 int64_t dataset, struct err *err);
int facts_mark(struct repository *r, int64_t dataset,
               const struct dataset_admission *in, struct err *err);
/* In a transaction.  Errors: those of view_check(), -EINVAL, -E2BIG (too many). */
int facts_view_set(struct repository *r, int64_t dataset, struct span view,
                   struct span text, struct err *err);
/* Rows of name and text.  1: as catalogue_step() has them; 0: there are none. */
int facts_views(struct repository *r, const struct digest *name, sqlite3_stmt **ret,
                struct err *err);
/* In a transaction: the dataset is a new version of parent, and has its labels and
 * views where it has none of that name. */
int facts_parent_set(struct repository *r, int64_t dataset, const struct digest *parent,
                     struct err *err);
/* 1: rows of a name each; 0: there are none. */
int facts_parents(struct repository *r, int64_t dataset, sqlite3_stmt **ret,
                  struct err *err);
int facts_tag_set(struct repository *r, int64_t dataset, const char *tag,
                  struct err *err);
/* A row: "profile", of how many chunks and bytes, by whom, when; none without one. */
int facts_profile_add(struct repository *r, int64_t dataset, struct table *out,
                      struct err *err);
/* In a transaction: references of mounts that have ended. */
int facts_expired_mounts_remove(struct repository *r, struct err *err);

#endif
