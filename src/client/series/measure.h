/* SPDX-License-Identifier: Apache-2.0 */
/* measure - the names of measures as users write them: "datatargets/readbytes". */
#ifndef CLIENT_SERIES_MEASURE_H
#define CLIENT_SERIES_MEASURE_H

#include "source/lmt/lmt.h"

#define SERIES_MEASURE_NAME_SIZE 64

void series_measure_name(enum lmt_measure measure,
                         char out[static SERIES_MEASURE_NAME_SIZE]);

/* Errors: -ENOENT (no measure has this name). */
int series_measure_find(const char *name, enum lmt_measure *ret);

#endif
