/* SPDX-License-Identifier: Apache-2.0 */
/* axis - round ticks for pictures: of values with a unit, and of times. */
#ifndef DRAW_AXIS_H
#define DRAW_AXIS_H

#include <stddef.h>
#include <stdint.h>

#define AXIS_TICKS_MAX 32
#define AXIS_LABEL_SIZE 32

struct axis {
    double top; /* of a value axis: a round number at or above the greatest */
    size_t count;
    double positions[AXIS_TICKS_MAX]; /* values, or seconds since 1970 */
    char labels[AXIS_TICKS_MAX][AXIS_LABEL_SIZE];
};

/* 0, 200 MiB/s, 400 MiB/s ... for a unit of "bytes" or "bytes/s"; of any other unit in
 * steps of 1, 2 or 5.  greatest that is no number above 0 counts as 1. */
void axis_of_values(double greatest, const char *unit, size_t ticks, struct axis *ret);

/* At most ticks (1 to AXIS_TICKS_MAX) round numbers within [low, high]; none where low
 * is not below high, or one of both is no number. */
void axis_of_range(double low, double high, size_t ticks, struct axis *ret);

/* Round times of UTC in [from_s, to_s], at most ticks (2 to AXIS_TICKS_MAX): "14:30",
 * "2017-03-20" where a day begins, "2017-03" where ticks are months apart; seconds
 * where ticks lie closer than a minute. */
void axis_of_times(int64_t from_s, int64_t to_s, size_t ticks, struct axis *ret);

#endif
