/* SPDX-License-Identifier: Apache-2.0 */
/* span_type - the type of a span alone, for headers that only have one as a member or
 * an argument: what is done with spans is in base/span.h. */
#ifndef BASE_SPAN_TYPE_H
#define BASE_SPAN_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct span {
    const char *data;
    size_t size;
};

#endif
