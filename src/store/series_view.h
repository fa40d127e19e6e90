/* SPDX-License-Identifier: Apache-2.0 */
/* series_view - what a series consists of at one moment; for the files of series only.
 *
 * A view is never changed once it is published, what it points to may be: words of the
 * head and items of late are written, and counted when they are there.
 */
#ifndef STORE_SERIES_VIEW_H
#define STORE_SERIES_VIEW_H

#include "store/series.h"

#define HEAD_WORDS_MIN 4
#define CHUNK_WORDS 32
#define CHUNKS_MAX (2 * CODEC_VALUES_MAX / CHUNK_WORDS)

struct head_chunk {
    _Atomic uint64_t words[CHUNK_WORDS];
};

/* Words are values, or without a step time, value, time, value.  The first few stand in
 * the head itself; then it is replaced, once, by one that points to chunks, so that all
 * heads that grow take from, and give to, one list of pieces. */
struct series_head {
    int64_t start_ns;
    int64_t last_ns; /* of the newest sample; the writer's alone */
    int64_t step_ns; /* 0: words are pairs */
    bool is_chunked;
    uint8_t near_border; /* samples in a row; the writer's alone */
    uint8_t crowded;     /* how often two shared a slot of late; likewise */
    uint8_t chunk_count; /* the writer's alone: count tells readers how far to go */
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

/* What series_put() reads of one series leads from one place in memory to the next, and
 * with twenty thousand series none of them is in the cache.  Who puts into many asks
 * for each place a few series before it is needed: the series, then, a few series later
 * each, what these ask for.  Under the mutex of the memory. */
#define SERIES_AHEAD 10

static inline void series_ask_view(const struct metric_series *series)
{
    __builtin_prefetch(atomic_load_explicit(&series->view, memory_order_relaxed));
}

static inline void series_ask_head(const struct metric_series *series)
{
    const struct series_view *view =
        atomic_load_explicit(&series->view, memory_order_relaxed);
    if (!view)
        return;
    __builtin_prefetch(view->head, 1);
    __builtin_prefetch((const char *)view->head + 64, 1);
}

static inline void series_ask_slot(const struct metric_series *series)
{
    const struct series_view *view =
        atomic_load_explicit(&series->view, memory_order_relaxed);
    if (!view)
        return;
    const struct series_head *head = view->head;
    size_t count = atomic_load_explicit(&head->count, memory_order_relaxed);
    if (head->is_chunked && count / CHUNK_WORDS < head->chunk_count)
        __builtin_prefetch(
            &head->chunks[count / CHUNK_WORDS]->words[count % CHUNK_WORDS], 1);
}

/* The slot nearest to distance_ns from slot 0; between two, the later one. */
static inline int64_t grid_slot(int64_t distance_ns, int64_t step_ns)
{
    int64_t shifted = distance_ns + step_ns / 2;
    int64_t slot = shifted / step_ns;
    return slot - (shifted % step_ns < 0);
}

void view_head_samples(struct series_head *head, struct samples *ret);

/* One reading: samples go to fn, or into stats. */
struct series_reading {
    int64_t from_ns, to_ns;
    series_samples_fn *fn;
    void *arg;
    struct series_stats *stats;
    int64_t step_ns;      /* of the series; 0: none.  For stats only */
    uint64_t *unreadable; /* counts damaged blocks; NULL: the first ends the reading */
};

/* What there is from before the first part of a series, which begins at first_ns. */
typedef int series_before_fn(void *arg, int64_t first_ns);

/* before may be NULL.  Errors: what functions return, -EBADMSG. */
int reading_series(const struct series_reading *reading,
                   const struct metric_series *series, series_before_fn *before,
                   void *before_arg);
/* When the first part begins; INT64_MAX: there is none. */
int64_t series_first_ns(const struct metric_series *series);
/* A block by itself. */
int reading_block(const struct series_reading *reading, const struct block *block);

/* Write the late samples into the blocks.  None may lie in the head.
 * Errors: -ENOMEM, -EBADMSG; then nothing has changed. */
int series_fold(struct metric_series *series, struct memory *memory);

int series_seal_head(struct metric_series *series, struct memory *memory,
                     struct series_counts *counts, int64_t start_ns);

/* For series that come back.  A first view with an empty head at start_ns and room for
 * blocks; nobody may read it yet.  Errors: -ENOMEM. */
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

/* Late samples, each with its place. */
struct placed_item {
    size_t place; /* 2 * part: in the gap before it; 2 * part + 1: in it */
    int64_t t_ns; /* of its slot */
    uint64_t bits;
};

struct placed {
    size_t count;
    struct placed_item items[SERIES_LATE_MAX];
};

/* In order of place, then time; of two in one slot only the later arrival is left.
 * Parts are the blocks, and behind them the head. */
void view_place_late(const struct series_view *view, struct placed *ret);
/* The place of a sample of t_ns. */
size_t view_place_of(const struct series_view *view, int64_t t_ns);
/* Of part number part. */
int64_t view_part_step(const struct series_view *view, size_t part);

/* The samples of one place merged into samples, in order. */
void placed_merge(const struct placed *placed, size_t place, struct samples *samples);
bool placed_has(const struct placed *placed, size_t place);

#endif
