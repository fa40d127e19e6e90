/* SPDX-License-Identifier: Apache-2.0 */
/* start_profile - which chunks of a dataset are read at its start, in order, as text.
 */
#include "dataset/repository/start_profile.h"

#include "base/number.h"
#include "base/span.h"

#include <inttypes.h>
#include <stdlib.h>

void start_profile_done(struct start_profile *profile)
{
    free(profile->chunks);
    *profile = (struct start_profile){ 0 };
}

/* "17", or "0-3". */
static int line_parse(struct span line, size_t chunk_count, uint64_t *ret_first,
                      uint64_t *ret_last, struct err *err)
{
    struct span first, last = line;
    bool is_range = memchr(line.data, '-', line.size) != NULL;
    (void)span_cut(&last, '-', &first);
    if (number_parse_u64(first, ret_first) < 0 ||
        (is_range && number_parse_u64(last, ret_last) < 0))
        return err_set(err, EBADMSG,
                       "profile: a line that is no number of a chunk, nor a range");
    if (!is_range)
        *ret_last = *ret_first;
    if (*ret_last < *ret_first || *ret_last >= chunk_count)
        return err_set(err, EBADMSG,
                       "profile: chunks %" PRIu64 " to %" PRIu64
                       " of a dataset that has %zu",
                       *ret_first, *ret_last, chunk_count);
    return 0;
}

static int head_parse(struct span *text, const struct dataset_index *index,
                      struct err *err)
{
    struct span line, word;
    struct digest digest;
    (void)span_cut(text, '\n', &line);
    (void)span_cut(&line, ' ', &word);
    if (!span_is(word, "dataset") || digest_parse(line, &digest) < 0)
        return err_set(err, EBADMSG,
                       "profile: it does not begin with the name of its dataset");
    return digest_eq(&digest, &index->image)
               ? 0
               : err_set(err, EBADMSG, "profile: it is of another dataset");
}

/* A chunk stands there once, so that no text costs more than its chunks. */
static int range_add(struct start_profile *profile, const struct dataset_index *index,
                     uint8_t *seen, uint64_t first, uint64_t last, struct err *err)
{
    for (uint64_t i = first; i <= last; i++) {
        if (seen[i / 8] & 1U << i % 8)
            return err_set(err, EBADMSG,
                           "profile: chunk %" PRIu64 " stands there twice", i);
        if (profile->count == PROFILE_CHUNKS_MAX)
            return err_set(err, E2BIG, "profile: more than %u chunks",
                           PROFILE_CHUNKS_MAX);
        seen[i / 8] = (uint8_t)(seen[i / 8] | 1U << i % 8);
        profile->chunks[profile->count++] = (uint32_t)i;
        profile->bytes += index->chunks[i].size;
    }
    return 0;
}

int start_profile_parse(struct span text, const struct dataset_index *index,
                        struct start_profile *ret, struct err *err)
{
    AUTO(start_profile_done) struct start_profile profile = { 0 };
    struct span line;
    if (text.size > PROFILE_TEXT_MAX)
        return err_set(err, E2BIG, "profile: more than %u KiB", PROFILE_TEXT_MAX >> 10);
    int rc = head_parse(&text, index, err);
    if (rc < 0)
        return rc;
    AUTO_FREE uint8_t *seen = calloc(index->count / 8 + 1, 1);
    profile.chunks = calloc(PROFILE_CHUNKS_MAX, sizeof profile.chunks[0]);
    if (!seen || !profile.chunks)
        return -ENOMEM;
    while (rc == 0 && text.size) {
        uint64_t first = 0, last = 0;
        (void)span_cut(&text, '\n', &line);
        rc = line_parse(line, index->count, &first, &last, err);
        if (rc == 0)
            rc = range_add(&profile, index, seen, first, last, err);
    }
    if (rc < 0)
        return rc;
    *ret = profile;
    profile = (struct start_profile){ 0 };
    return 0;
}

int start_profile_print(const struct digest *dataset, const uint32_t *chunks,
                        size_t count, struct strbuf *out)
{
    char text[DIGEST_TEXT_SIZE];
    digest_print(dataset, text);
    strbuf_addf(out, "dataset %s\n", text);
    for (size_t i = 0; i < count;) {
        size_t end = i + 1;
        while (end < count && chunks[end] == chunks[end - 1] + 1)
            end++;
        strbuf_addf(out, "%" PRIu32, chunks[i]);
        if (end - i > 1)
            strbuf_addf(out, "-%" PRIu32, chunks[end - 1]);
        strbuf_addc(out, '\n');
        i = end;
    }
    return strbuf_error(out);
}
