/* SPDX-License-Identifier: Apache-2.0 */
/* reader - one reading connection, as the files of this room use it. */
#ifndef RECORDS_READER_H
#define RECORDS_READER_H

#include "records/records_private.h"

/* What rc of an engine means to the caller of a watched reader: the watch's own -errno
 * where it stopped the reading; damage is noted as health. */
int reader_result(const struct records_reader *reader, int rc, struct err *err);
/* A time that other times can be added to: -1 .. the year 2100. */
int64_t reader_clamp(int64_t t_ms);

#endif
