/* SPDX-License-Identifier: Apache-2.0 */
/* recorder - which chunks of an image the kernel reads within half a minute. */
#include "dataset/mount/recorder.h"

#include "base/clock.h"
#include "base/number.h"

#include <stdlib.h>

static void recording_clear(struct recording *recording)
{
    free(recording->seen);
    free(recording->chunks);
    strbuf_done(&recording->text);
    *recording = (struct recording){ .text = STRBUF_INIT };
}

void recorder_clear(struct recorder *recorder)
{
    for (size_t i = 0; i < RECORDER_MAX; i++)
        recording_clear(&recorder->recordings[i]);
}

static struct recording *recording_find(struct recorder *recorder,
                                        const struct digest *name)
{
    for (size_t i = 0; i < RECORDER_MAX; i++) {
        struct recording *recording = &recorder->recordings[i];
        if (recording->begun_ns && digest_eq(&recording->name, name))
            return recording;
    }
    return NULL;
}

static struct recording *recording_oldest(struct recorder *recorder)
{
    struct recording *oldest = &recorder->recordings[0];
    for (size_t i = 1; i < RECORDER_MAX; i++)
        if (recorder->recordings[i].begun_ns < oldest->begun_ns)
            oldest = &recorder->recordings[i];
    return oldest;
}

int recorder_begin(struct recorder *recorder, const struct digest *name,
                   size_t chunk_count)
{
    struct recording *recording = recording_find(recorder, name);
    if (!recording)
        recording = recording_oldest(recorder);
    recording_clear(recording);
    recording->seen = calloc(chunk_count / 8 + 1, 1);
    recording->chunks = calloc(PROFILE_CHUNKS_MAX, sizeof recording->chunks[0]);
    if (!recording->seen || !recording->chunks) {
        recording_clear(recording);
        return -ENOMEM;
    }
    recording->name = *name;
    recording->chunk_count = chunk_count;
    recording->begun_ns = clock_steady_ns();
    return 0;
}

void recorder_note(struct recorder *recorder, const struct digest *name, size_t first,
                   size_t count)
{
    struct recording *recording = recording_find(recorder, name);
    if (!recording || recording->text.size ||
        clock_steady_ns() - recording->begun_ns > RECORDER_SECONDS * NS_PER_S)
        return;
    for (size_t i = first; i < first + count && i < recording->chunk_count &&
                           recording->count < PROFILE_CHUNKS_MAX;
         i++) {
        uint8_t bit = (uint8_t)(1U << i % 8);
        if (recording->seen[i / 8] & bit)
            continue;
        recording->seen[i / 8] |= bit;
        recording->chunks[recording->count++] = (uint32_t)i;
    }
}

int recorder_text(struct recorder *recorder, const struct digest *name,
                  struct span *ret)
{
    struct recording *recording = recording_find(recorder, name);
    if (!recording)
        return -ENODATA;
    if (!recording->text.size) {
        int rc = start_profile_print(name, recording->chunks, recording->count,
                                     &recording->text);
        if (rc < 0)
            return rc;
    }
    *ret = strbuf_span(&recording->text);
    return 0;
}
