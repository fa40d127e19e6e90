/* SPDX-License-Identifier: Apache-2.0 */
/* weather_usual_text - whether a window was as usual: in a sentence, and as a table. */
#ifndef REPORT_UNUSUAL_WEATHER_USUAL_TEXT_H
#define REPORT_UNUSUAL_WEATHER_USUAL_TEXT_H

#include "analysis/weather/weather.h"
#include "base/table/table.h"

/* Append "Not as usual at these hours: read_bytes 3.1 times the median ...", what is as
 * usual, and what was not compared. */
void weather_usual_print(const struct weather *weather, struct strbuf *out);

/* A row for each measure that is known, into an empty table.  Errors: in the table. */
void weather_usual_table(const struct weather *weather, struct table *ret);

#endif
