/* SPDX-License-Identifier: Apache-2.0 */
/* counter - counters as databases store them: the same 64 bits in a signed bigint.
 *
 * The only place that converts.  A counter of 2^63 and more looks negative in SQL; the
 * views say so, and every reader of ours gets the value back that was written.
 */
#ifndef RECORDS_TABLES_COUNTER_H
#define RECORDS_TABLES_COUNTER_H

#include <stdint.h>
#include <string.h>

static inline int64_t counter_to_db(uint64_t value)
{
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline uint64_t counter_from_db(int64_t bits)
{
    uint64_t value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
