/* SPDX-License-Identifier: Apache-2.0 */
/* measure - the names of measures as users write them. */
#include "client/series/measure.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void series_measure_name(enum lmt_measure measure,
                         char out[static SERIES_MEASURE_NAME_SIZE])
{
    const struct lmt_measure_info *info = lmt_measure_info(measure);
    (void)snprintf(out, SERIES_MEASURE_NAME_SIZE, "%s/%s", info->group, info->name);
}

int series_measure_find(const char *name, enum lmt_measure *ret)
{
    for (unsigned m = 0; m < LMT_MEASURES; m++) {
        char known[SERIES_MEASURE_NAME_SIZE];
        series_measure_name(m, known);
        if (strcmp(known, name) == 0) {
            *ret = m;
            return 0;
        }
    }
    return -ENOENT;
}
