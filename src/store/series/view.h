/* SPDX-License-Identifier: Apache-2.0 */
/* view - what a series consists of at one moment.
 *
 *     series ─▶ view ─┬▶ block block block     sealed, in order of time
 *                     ├▶ late                  samples for where blocks are already
 *                     └▶ head                  the newest, as they are; small, growing
 *
 * A view is never changed once it is published, what it points to may be: words of the
 * head and items of late are written, and counted when they are there.
 *
 * Units    nanoseconds since the Unix epoch.
 * Threads  the thread that changes a series holds the mutex of its memory; readers take
 * none: they stand between epoch_enter() and epoch_leave().
 */
#ifndef STORE_SERIES_VIEW_H
#define STORE_SERIES_VIEW_H

#include "store/series/block_memory.h"

#include <stdbool.h>

#define SERIES_LATE_MAX 32
/* In the place of a step, also in files: no step is so short. */
#define STEP_SOUGHT INT64_C(1)
#define STEP_SOUGHT_SAMPLES 8
/* Sought anew: the step that was goes on where there is none.  Added to it, also in
 * files; no step is so long. */
#define STEP_ANEW (INT64_C(1) << 60)
#define HEAD_WORDS_MIN 4
#define CHUNK_WORDS 32
#define CHUNKS_MAX (2 * CODEC_VALUES_MAX / CHUNK_WORDS)

struct series_view;

struct metric_series {
    _Atomic int64_t step_ns; /* 0: each sample keeps its time; or it is sought */
    _Atomic(struct series_view *) view;
};

static inline bool step_is_sought(int64_t step_ns)
{
    return step_ns == STEP_SOUGHT || step_ns >= STEP_ANEW;
}

/* Of a step as it is stored: that of the grid; 0: each sample keeps its time. */
static inline int64_t step_of_grid(int64_t step_ns)
{
    return step_is_sought(step_ns) ? 0 : step_ns;
}

static inline int64_t series_grid_ns(const struct metric_series *series)
{
    return step_of_grid(atomic_load(&series->step_ns));
}

struct head_chunk {
    _Atomic uint64_t words[CHUNK_WORDS];
};

/* Words are values, or without a step time, value, time, value.  The first few stand in
 * the head itself; then it is replaced, once, by one that points to chunks, so that all
 * heads that grow share one list of pieces. */
struct series_head {
    int64_t start_ns;
    int64_t last_ns; /* of the newest sample; the writer's alone */
    int64_t step_ns; /* 0: words are pairs */
    bool is_chunked;
    uint8_t near_border; /* samples in a row; the writer's alone */
    uint8_t contention;  /* how often two shared a slot of late; likewise */
    uint8_t chunk_count; /* the writer's alone: readers go by count */
    _Atomic uint32_t count;
    union {
        _Atomic uint64_t words[HEAD_WORDS_MIN];
        struct head_chunk *chunks[CHUNKS_MAX];
    };
};

static inline _Atomic uint64_t *head_word(struct series_head *head, size_t i)
{
    return head->is_chunked ? &head->chunks[i / CHUNK_WORDS]->words[i % CHUNK_WORDS]
                            : &head->words[i];
}

struct series_late_item {
    int64_t t_ns;
    uint64_t bits;
};

struct series_late {
    _Atomic uint32_t count;
    struct series_late_item items[SERIES_LATE_MAX];
};

struct series_view {
    struct series_head *head;
    struct series_late *late; /* NULL: none */
    uint32_t block_count;
    uint32_t floor_s; /* samples before are refused: what was there is in files only */
    struct block *blocks[];
};

/* The slot nearest to distance_ns from slot 0; between two, the later one. */
static inline int64_t grid_slot(int64_t distance_ns, int64_t step_ns)
{
    int64_t shifted = distance_ns + step_ns / 2;
    int64_t slot = shifted / step_ns;
    return slot - (shifted % step_ns < 0);
}

void series_init(struct metric_series *series, int64_t step_ns);
/* Frees all it holds; no reader may be inside. */
void series_done(struct metric_series *series, struct memory *memory);

/* An empty head.  A chunked one has only as many pointers as its step can need.
 * NULL: memory is out. */
struct series_head *series_head_new(struct memory *memory, bool is_chunked,
                                    int64_t step_ns, int64_t start_ns);
/* For a head that was never published.  NULL is fine. */
void series_head_free(struct memory *memory, struct series_head *head);
void series_head_retire(struct memory *memory, struct series_head *head);
/* Samples from number first on. */
void series_head_samples(struct series_head *head, size_t first, struct samples *ret);

/* As old was, which may be NULL, with room for block_count blocks: the first of them
 * are old's.  NULL: memory is out. */
struct series_view *series_view_new(struct memory *memory,
                                    const struct series_view *old, size_t block_count);
/* For a view that was never published.  NULL is fine. */
void series_view_free(struct memory *memory, struct series_view *view);
void series_view_retire(struct memory *memory, struct series_view *view);
/* Readers see it from now on; the one before is retired. */
void series_view_publish(struct metric_series *series, struct memory *memory,
                         struct series_view *view);

/* Parts are the blocks, and behind them the head. */
int64_t view_part_start(const struct series_view *view, size_t part);
int64_t view_part_step(const struct series_view *view, size_t part);

/* For series that come back.  A first view with an empty head at start_ns and room for
 * blocks; no reader may see it yet.  Errors: -ENOMEM. */
int series_begin(struct metric_series *series, struct memory *memory, int64_t start_ns,
                 size_t block_count);
bool series_has_view(const struct metric_series *series);
/* Room for need words in the head.  Errors: -ENOMEM. */
int series_reserve_head(struct metric_series *series, struct memory *memory,
                        size_t need);

/* A view with these blocks, else as it was.  Errors: -ENOMEM. */
int series_set_blocks(struct metric_series *series, struct memory *memory,
                      struct block *const *blocks, size_t count);

/* A view with these blocks and without late samples. */
int series_replace_blocks(struct metric_series *series, struct memory *memory,
                          struct block *const *blocks, size_t count);

#endif
