/* SPDX-License-Identifier: Apache-2.0 */
/* message - samples of a queue as one request of remote write.
 *
 *     queued samples ─▶ sorted by series and time ─▶ series with labels ─▶ WriteRequest
 *
 * Of samples of one series and time the last counts, as in the store.
 * Memory   that of the samples and the text; used again for the next message.
 */
#ifndef FORWARD_MESSAGE_H
#define FORWARD_MESSAGE_H

#include "base/config.h"
#include "forward/sample_record.h"
#include "forward/series_names.h"
#include "wire/wire.h"

/* Labels that each series gets that does not have them. */
struct external_labels {
    size_t count;
    struct label_pair pairs[16];
};
/* Out of "NAME VALUE"; the texts are config's.  Errors: -EINVAL. */
int external_labels_read(const struct config_list *list, struct external_labels *ret,
                         struct err *err);

struct message_samples {
    struct queued_sample *items;
    size_t count, capacity;
};
void message_samples_done(struct message_samples *samples);
int message_samples_add(struct message_samples *samples,
                        const struct queued_sample *sample);
/* By series and time, each time once. */
void message_samples_sort(struct message_samples *samples);

/* Labels as Prometheus has them, sorted, __name__ among them; the texts stand in text,
 * LABEL_TEXT_MAX bytes, in name and in external.  Returns how many; ret holds
 * MESSAGE_LABELS_MAX. */
size_t message_labels(const struct series_name *name,
                      const struct external_labels *external, char *text,
                      struct label_pair *ret);

#define MESSAGE_LABELS_MAX (LABEL_PAIRS_MAX + 17)

/* Append all of a series' samples, which begin at *at, and move *at behind them; of
 * more than count of them the rest is left for the next call. */
void message_add_series(struct strbuf *out, const struct series_name *name,
                        const struct external_labels *external,
                        const struct message_samples *samples, size_t *at, size_t end);

#endif
