/* SPDX-License-Identifier: Apache-2.0 */
/* utf8 - where characters begin and end. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/span_type.h"

#include <stdint.h>

/* Bytes of the valid character at the start of s (RFC 3629: no surrogates, no overlong
 * forms, up to U+10FFFF); 0 when there is none. */
size_t utf8_size(struct span s);
/* The same, with the code point in *ret. */
size_t utf8_decode(struct span s, uint32_t *ret);
/* Code point as bytes; returns how many (1 .. 4). */
size_t utf8_encode(uint32_t code, char out[static 4]);
bool utf8_is_valid(struct span s);
/* Bytes at the start of s that may be shown to a person as they are; 0: the first byte
 * may not.  A terminal takes orders from control characters (C0, DEL, C1), and those
 * that turn the direction of writing or have no width make a name look like another. */
size_t utf8_shown_size(struct span s);
/* s into out as it may be shown: what may not stands as \xHH, what has no room is left
 * out; ends in NUL.  Returns the size without it. */
size_t utf8_print_shown(char *out, size_t size, struct span s);
/* Columns that s takes on a terminal: characters, without combining marks; wide East
 * Asian characters count as one, which is wrong by design: none stand in our names. */
size_t utf8_width(struct span s);

#endif
