/* SPDX-License-Identifier: Apache-2.0 */
/* datasets - the list of a step's datasets as text: "code:v1,data:/opt/data", or
 * "none"; private to the room. */
#ifndef DATASET_SPANK_DATASETS_H
#define DATASET_SPANK_DATASETS_H

#include "dataset/visit/visit.h"

#define DATASETS_TEXT_SIZE 4096
#define DATASETS_NONE "none"

struct datasets {
    size_t count;
    struct span texts[VISIT_DATASETS_MAX]; /* parts of bytes */
    char bytes[DATASETS_TEXT_SIZE];
    size_t size;
};

/* One, or several with commas between; "none": those before it are not any more.  What
 * is there already is not added again.  Errors: -EINVAL, -E2BIG, -ENAMETOOLONG, with a
 * line. */
int datasets_add(struct datasets *datasets, struct span text, struct err *err);
int datasets_parse(struct span text, struct datasets *ret, struct err *err);
void datasets_print(const struct datasets *datasets,
                    char out[static DATASETS_TEXT_SIZE]);

#endif
