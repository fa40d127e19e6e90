/* SPDX-License-Identifier: Apache-2.0 */
/* rate - how much each sender may still ask for: token buckets in a bounded table. */
#include "net/rate.h"

#include "base/hashmap.h"
#include "base/number.h"

#include <pthread.h>
#include <xxhash.h>

struct sender {
    uint64_t key;    /* 0: free */
    int64_t seen_ns; /* when the buckets were filled last */
    double left[RATE_KIND_COUNT];
};

struct rate {
    struct rate_limit limits[RATE_KIND_COUNT];
    pthread_mutex_t lock; /* of what follows */
    struct rate_stats stats;
    struct sender senders[RATE_SENDERS];
};

struct rate *rate_new(const struct rate_limit limits[RATE_KIND_COUNT])
{
    struct rate *rate = calloc(1, sizeof *rate);
    if (!rate)
        return NULL;
    memcpy(rate->limits, limits, sizeof rate->limits);
    (void)pthread_mutex_init(&rate->lock, NULL);
    return rate;
}

void rate_free(struct rate *rate)
{
    if (!rate)
        return;
    (void)pthread_mutex_destroy(&rate->lock);
    free(rate);
}

uint64_t rate_key(struct span name)
{
    uint64_t key = XXH3_64bits_withSeed(name.data, name.size, hashmap_seed());
    return key ? key : 1;
}

static void fill(const struct rate *rate, struct sender *s, int64_t now_ns)
{
    double passed_s = (double)(now_ns - s->seen_ns) / (double)NS_PER_S;
    if (passed_s <= 0)
        return;
    for (int kind = 0; kind < RATE_KIND_COUNT; kind++) {
        const struct rate_limit *limit = &rate->limits[kind];
        double left = s->left[kind] + passed_s * limit->per_s;
        s->left[kind] = left > limit->burst ? limit->burst : left;
    }
    s->seen_ns = now_ns;
}

/* Where the sender stands; NULL: it is not there. */
static struct sender *look_up(struct rate *rate, uint64_t key,
                              struct sender **ret_quietest)
{
    struct sender *set = rate->senders + key % (RATE_SENDERS / RATE_WAYS) * RATE_WAYS;
    *ret_quietest = set;
    for (size_t i = 0; i < RATE_WAYS; i++) {
        if (set[i].key == key)
            return &set[i];
        if (set[i].key == 0 || (*ret_quietest)->seen_ns > set[i].seen_ns)
            *ret_quietest = &set[i];
        if (set[i].key == 0)
            return NULL; /* places are taken in order */
    }
    return NULL;
}

static struct sender *find(struct rate *rate, uint64_t key, int64_t now_ns)
{
    struct sender *quietest;
    struct sender *s = look_up(rate, key, &quietest);
    if (s) {
        fill(rate, s, now_ns);
        return s;
    }
    if (quietest->key == 0)
        rate->stats.senders++;
    else
        rate->stats.forgotten++;
    *quietest = (struct sender){ .key = key, .seen_ns = now_ns };
    for (int kind = 0; kind < RATE_KIND_COUNT; kind++)
        quietest->left[kind] = rate->limits[kind].burst;
    return quietest;
}

int64_t rate_wait_ns(struct rate *rate, uint64_t key, enum rate_kind kind,
                     int64_t now_ns)
{
    const struct rate_limit *limit = &rate->limits[kind];
    if (limit->per_s <= 0)
        return 0;
    LOCKED(&rate->lock);
    double missing = 1 - find(rate, key, now_ns)->left[kind];
    if (missing <= 0)
        return 0;
    return (int64_t)(missing / limit->per_s * (double)NS_PER_S) + 1;
}

void rate_charge(struct rate *rate, uint64_t key, enum rate_kind kind, double amount,
                 int64_t now_ns)
{
    LOCKED(&rate->lock);
    find(rate, key, now_ns)->left[kind] -= amount;
}

void rate_stats(struct rate *rate, struct rate_stats *ret)
{
    LOCKED(&rate->lock);
    *ret = rate->stats;
}

bool rate_knows(struct rate *rate, uint64_t key)
{
    struct sender *quietest;
    LOCKED(&rate->lock);
    return look_up(rate, key, &quietest) != NULL;
}
