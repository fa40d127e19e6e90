/* SPDX-License-Identifier: Apache-2.0 */
/* day - the tables are one a day: its number, and how far back its rows reach. */
#include "records/tables/day.h"

/* Civil calendar out of a day number and back: Gregorian, by eras of 400 years that
 * begin in March, so that the leap day is the last of its year. */
int32_t day_of(int64_t t_ms)
{
    int64_t days = t_ms / MS_PER_DAY - (t_ms % MS_PER_DAY < 0) + 719468;
    int64_t era = days / 146097;
    int64_t of_era = days - era * 146097;
    int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
    int64_t month = (5 * of_year + 2) / 153;
    int64_t day = of_year - (153 * month + 2) / 5 + 1;
    month = month < 10 ? month + 3 : month - 9;
    year += era * 400 + (month <= 2);
    return (int32_t)(year * 10000 + month * 100 + day);
}

int64_t day_start_ms(int32_t day)
{
    int64_t year = day / 10000, month = day / 100 % 100, of_month = day % 100;
    year -= month <= 2;
    int64_t era = year / 400;
    int64_t of_era_year = year - era * 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + of_month - 1;
    int64_t of_era = of_era_year * 365 + of_era_year / 4 - of_era_year / 100 + of_year;
    return (era * 146097 + of_era - 719468) * MS_PER_DAY;
}

int64_t day_row_span_ms(const struct jobrow *row)
{
    int64_t from_ms = jobrow_reach_ms(row);
    if (row->since_ms != T_NONE && row->since_ms < from_ms)
        from_ms = row->since_ms;
    int64_t span_ms = row->t_ms - from_ms;
    bool is_flat = row->since_ms == T_NONE && row->reset == RESET_UNKNOWN;
    return is_flat && span_ms < FLAT_SPAN_MS ? FLAT_SPAN_MS : span_ms;
}

size_t day_spans(const struct keyed_row *rows, size_t count, struct day_span *ret,
                 size_t count_max)
{
    size_t found = 0;
    int64_t end_ms = INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        int64_t t_ms = rows[i].row->t_ms;
        if (t_ms >= end_ms) {
            if (found == count_max)
                return found;
            ret[found].day = day_of(t_ms);
            ret[found].span_ms = 0;
            end_ms = day_start_ms(ret[found].day) + MS_PER_DAY;
            found++;
        }
        int64_t span_ms = day_row_span_ms(rows[i].row);
        if (span_ms > ret[found - 1].span_ms)
            ret[found - 1].span_ms = span_ms;
    }
    return found;
}
