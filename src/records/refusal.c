/* SPDX-License-Identifier: Apache-2.0 */
/* refusal - why a row of a batch is refused, as text and as it is stored. */
#include "records/refusal.h"

#include "base/number.h"
#include "base/span.h"
#include "base/utf8.h"

#define MORE_BYTES_MAX (64 * 1024)
#define SERVER_BYTES_MAX 255

static const char *const refusal_texts[_REFUSAL_COUNT] = {
    [REFUSAL_NONE] = "not known",
    [REFUSAL_OLD] = "timestamp is older than the retention",
    [REFUSAL_FUTURE] = "timestamp is more than an hour in the future",
    [REFUSAL_BEFORE_SINCE] = "since or previous is not a time before the timestamp",
    [REFUSAL_TARGET] = "target or file system is not a printable name",
    [REFUSAL_ENTRY] = "identifier is empty or longer than 255 bytes",
    [REFUSAL_SERVER] = "server is not a printable name",
    [REFUSAL_MORE] = "more is longer than 64 KiB or not UTF-8",
    [REFUSAL_KIND] = "target is known as one of the other kind",
};

const char *refusal_text(enum refusal reason)
{
    return refusal_texts[reason < _REFUSAL_COUNT ? reason : REFUSAL_NONE];
}

static bool is_name(struct span s, size_t size_max)
{
    for (size_t i = 0; i < s.size; i++)
        if (s.data[i] <= ' ' || s.data[i] > '~')
            return false;
    return s.size <= size_max;
}

static bool time_is_before(int64_t t_ms, int64_t row_ms)
{
    return t_ms == T_NONE || (t_ms >= 0 && t_ms <= row_ms);
}

enum refusal refusal_of_row(const struct jobrow *row, int64_t oldest_ms,
                            int64_t newest_ms)
{
    if (row->t_ms < oldest_ms || row->t_ms < 0)
        return REFUSAL_OLD;
    if (row->t_ms > newest_ms)
        return REFUSAL_FUTURE;
    if (!time_is_before(row->since_ms, row->t_ms) ||
        !time_is_before(row->previous_ms, row->t_ms))
        return REFUSAL_BEFORE_SINCE;
    /* A colon in the target would let two names have one time_series_id. */
    if (row->target.size == 0 || !is_name(row->target, TARGET_BYTES_MAX) ||
        memchr(row->target.data, ':', row->target.size) || row->fs.size == 0 ||
        !is_name(row->fs, TARGET_BYTES_MAX))
        return REFUSAL_TARGET;
    if (row->entry_id.size == 0 || row->entry_id.size > ENTRY_ID_BYTES_MAX)
        return REFUSAL_ENTRY;
    if (!is_name(row->server, SERVER_BYTES_MAX))
        return REFUSAL_SERVER;
    if (row->more.size > MORE_BYTES_MAX || !utf8_is_valid(row->more) ||
        (row->more.size && memchr(row->more.data, '\0', row->more.size)))
        return REFUSAL_MORE;
    return REFUSAL_NONE;
}

void refusals_print(struct strbuf *out, const struct records_refusal *refusals,
                    const enum refusal *reasons, size_t count)
{
    for (size_t i = 0; i < count; i++)
        strbuf_addf(out, "%s%zu:%d", i ? "," : "", refusals[i].row, (int)reasons[i]);
}

size_t refusals_parse(struct span text, struct records_refusal *ret, size_t count_max)
{
    struct span one;
    size_t count = 0;
    while (text.size && count < count_max) {
        uint64_t row = 0, reason = 0;
        struct span number;
        (void)span_cut(&text, ',', &one);
        (void)span_cut(&one, ':', &number);
        if (number_parse_u64(number, &row) < 0 || number_parse_u64(one, &reason) < 0)
            break;
        ret[count++] = (struct records_refusal){
            .row = row,
            .reason = refusal_texts[reason < _REFUSAL_COUNT ? reason : REFUSAL_NONE],
        };
    }
    return count;
}
