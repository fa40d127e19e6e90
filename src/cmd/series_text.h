/* SPDX-License-Identifier: Apache-2.0 */
/* series_text - series out of what monitors print: mmperfmon, mmpmon, LMT's strings. */
#ifndef CMD_SERIES_TEXT_H
#define CMD_SERIES_TEXT_H

#include "cmd/series_server.h"

/* Open path, whatever series it holds: such text, plain or compressed, a folder or tar
 * archive of it, "map:MAPPING:TABLE", a barod, or what lmt_series_open() opens.  Lines
 * that cannot be read are named on standard error, the first of a file in full, the
 * others as their number. Errors: as lmt_series_open(). */
int series_open(const char *path, const struct series_way *way,
                const struct lmt_opts *opts, struct lmt_series **ret, struct err *err);

#endif
