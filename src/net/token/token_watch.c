/* SPDX-License-Identifier: Apache-2.0 */
/* token_watch - the tokens that were used, and when each of them ends. */
#include "net/token/token_watch.h"

#include "base/number.h"
#include "base/span.h"
#include "net/token/token_report.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#define DAY_S 86400

struct seen {
    struct token token;
    int64_t seen_s, reminded_s;
};

struct token_watch {
    pthread_mutex_t lock; /* of all that follows */
    struct hashmap by_id; /* to struct seen */
};

int token_watch_new(struct token_watch **ret)
{
    struct token_watch *watch = calloc(1, sizeof *watch);
    if (!watch)
        return -ENOMEM;
    (void)pthread_mutex_init(&watch->lock, NULL);
    *ret = watch;
    return 0;
}

void token_watch_free(struct token_watch *watch)
{
    size_t cursor = 0;
    struct span id;
    uintptr_t *value;
    if (!watch)
        return;
    while (hashmap_next(&watch->by_id, &cursor, &id, &value))
        free((void *)*value);
    hashmap_done(&watch->by_id);
    (void)pthread_mutex_destroy(&watch->lock);
    free(watch);
}

void token_watch_see(struct token_watch *watch, const struct token *token,
                     int64_t now_s)
{
    LOCKED(&watch->lock);
    uintptr_t *value = hashmap_get(&watch->by_id, span_of(token->id));
    if (value) {
        ((struct seen *)*value)->seen_s = now_s;
        return;
    }
    if (watch->by_id.count >= TOKEN_WATCH_MAX)
        return;
    struct seen *seen = calloc(1, sizeof *seen);
    value = seen ? hashmap_put(&watch->by_id, span_of(token->id), NULL) : NULL;
    if (!value) {
        free(seen);
        return;
    }
    seen->token = *token;
    seen->seen_s = now_s;
    *value = (uintptr_t)seen;
}

/* The next that still counts; others are forgotten. */
static struct seen *next(struct token_watch *watch, size_t *cursor, int64_t now_s)
{
    struct span id;
    uintptr_t *value;
    while (hashmap_next(&watch->by_id, cursor, &id, &value)) {
        struct seen *seen = (struct seen *)*value;
        if (seen->token.expires_s > now_s &&
            seen->seen_s >= now_s - TOKEN_WATCH_DAYS * DAY_S)
            return seen;
        (void)hashmap_remove(&watch->by_id, id);
        free(seen);
    }
    return NULL;
}

bool token_watch_left(struct token_watch *watch, int64_t now_s, int64_t *ret_left_s)
{
    const struct seen *seen, *first = NULL;
    size_t cursor = 0;
    LOCKED(&watch->lock);
    while ((seen = next(watch, &cursor, now_s)))
        if (!first || seen->token.expires_s < first->token.expires_s)
            first = seen;
    if (first)
        *ret_left_s = first->token.expires_s - now_s;
    return first;
}

void token_watch_remind(struct token_watch *watch, int64_t now_s, token_remind_fn *fn,
                        void *arg)
{
    struct seen *seen;
    size_t cursor = 0;
    LOCKED(&watch->lock);
    while ((seen = next(watch, &cursor, now_s))) {
        int64_t left_s = seen->token.expires_s - now_s;
        bool was_today = seen->reminded_s > now_s - DAY_S && seen->reminded_s <= now_s;
        if (left_s > TOKEN_REMIND_DAYS * DAY_S || was_today)
            continue;
        seen->reminded_s = now_s;
        fn(arg, &seen->token, left_s);
    }
}

static int compare_ends(const void *a, const void *b)
{
    const struct seen *x = *(struct seen *const *)a, *y = *(struct seen *const *)b;
    return (x->token.expires_s > y->token.expires_s) -
           (x->token.expires_s < y->token.expires_s);
}

void token_watch_report(struct token_watch *watch, int64_t now_s, struct table *ret)
{
    size_t cursor = 0, count = 0;
    struct seen *seen;
    LOCKED(&watch->lock);
    token_add_columns(ret);
    AUTO_FREE struct seen **sorted =
        malloc((watch->by_id.count + 1) * sizeof(struct seen *));
    if (!sorted) {
        ret->error = -ENOMEM;
        return;
    }
    while ((seen = next(watch, &cursor, now_s)))
        sorted[count++] = seen;
    qsort(sorted, count, sizeof(struct seen *), compare_ends);
    for (size_t i = 0; i < count; i++)
        token_add_row(ret, &sorted[i]->token, sorted[i]->seen_s);
}
