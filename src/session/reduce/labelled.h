/* SPDX-License-Identifier: Apache-2.0 */
/* labelled - the two kinds of reductions with texts in them: top and states. */
#ifndef SESSION_REDUCE_LABELLED_H
#define SESSION_REDUCE_LABELLED_H

#include "session/reduce/reduction.h"

/* Errors: as those of reduction.h. */
int top_init(struct reduction *r, const struct reduce_input *input);
int top_merge(struct reduction *r, const struct reduction *other);
void top_encode(const struct reduction *r, struct strbuf *out);
int top_decode(struct octets *in, uint32_t ranks, struct reduction *r);

int states_init(struct reduction *r, const struct reduce_input *input);
void states_done(struct reduction *r);
int states_merge(struct reduction *r, const struct reduction *other);
void states_encode(const struct reduction *r, struct strbuf *out);
int states_decode(struct octets *in, uint32_t ranks, struct reduction *r);

#endif
