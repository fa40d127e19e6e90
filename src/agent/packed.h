/* SPDX-License-Identifier: Apache-2.0 */
/* packed - a text as one zstd frame that states its size.
 *
 * Threads  any: nothing is remembered.
 */
#ifndef AGENT_PACKED_H
#define AGENT_PACKED_H

#include "base/strbuf.h"

/* Replace what is in out, whose memory is used again.  Errors: -ENOMEM. */
int packed_write(struct span text, struct strbuf *out);
/* Give back the memory beyond what is used: the bound is far above it. */
void packed_fit(struct strbuf *packed);
/* Replace what is in text.  Errors: -EBADMSG (no such frame, damaged, or of more than
 * size_max bytes; text is empty then), -ENOMEM. */
int packed_read(struct span packed, uint64_t size_max, struct strbuf *text);

#endif
