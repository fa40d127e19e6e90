/* SPDX-License-Identifier: Apache-2.0 */
/* anonymize - identifiers of dumps with other letters and digits. */
#ifndef AGENT_CAPTURE_ANONYMIZE_H
#define AGENT_CAPTURE_ANONYMIZE_H

#include "base/strbuf.h"

/* Names for people: all letters and digits of identifiers by others of their kind, the
 * same for the same word under one key, so that form and length stay.  Lines other than
 * those of an identifier stay as they are.  A failure of the memory is out's. */
void capture_anonymize(struct span text, uint64_t key, struct strbuf *out);

#endif
