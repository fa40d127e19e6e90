/* SPDX-License-Identifier: Apache-2.0 */
/* audience - for whom a dataset is, as people write it. */
#include "dataset/repository/repository.h"

#include "base/number.h"

#include <errno.h>
#include <string.h>

static const char *const audiences[] = { [DATASET_PUBLIC] = "public",
                                         [DATASET_GROUP] = "group",
                                         [DATASET_PRIVATE] = "private" };

int dataset_audience_parse(const char *text, enum dataset_audience *ret,
                           struct err *err)
{
    for (size_t i = 0; i < COUNT_OF(audiences); i++)
        if (!strcmp(text, audiences[i])) {
            *ret = (enum dataset_audience)i;
            return 0;
        }
    return err_set(err, EINVAL, "invalid access \"%s\" (choose public, group, private)",
                   text);
}

const char *dataset_audience_text(enum dataset_audience audience)
{
    return audiences[audience];
}
