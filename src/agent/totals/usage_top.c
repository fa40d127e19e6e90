/* SPDX-License-Identifier: Apache-2.0 */
/* usage_top - the largest users, groups and projects of each target, and the rest. */
#include "agent/totals/usage_top.h"

#include "base/span.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct holder {
    uint64_t inodes, kbytes;
    uint32_t id;
};

/* Of one target and kind: a heap whose root is the smallest. */
struct usage_list {
    char target[TARGET_BYTES_MAX];
    size_t target_size;
    enum target_kind target_kind;
    enum lustre_owner_kind owner;
    struct holder *heap;
    size_t count;
    struct holder others; /* their sum; id is unused */
    bool has_others;
};

static uint64_t size_of(const struct usage_list *list, const struct holder *h)
{
    return list->target_kind == TARGET_MDT ? h->inodes : h->kbytes;
}

static bool is_smaller(const struct usage_list *list, const struct holder *a,
                       const struct holder *b)
{
    uint64_t x = size_of(list, a), y = size_of(list, b);
    return x < y || (x == y && a->id > b->id);
}

static void holders_swap(struct holder *a, struct holder *b)
{
    struct holder c = *a;
    *a = *b;
    *b = c;
}

static void sift_up(struct usage_list *list, size_t at)
{
    for (; at > 0; at = (at - 1) / 2) {
        if (!is_smaller(list, &list->heap[at], &list->heap[(at - 1) / 2]))
            return;
        holders_swap(&list->heap[at], &list->heap[(at - 1) / 2]);
    }
}

static void sift_down(struct usage_list *list, size_t count)
{
    for (size_t at = 0, least;; at = least) {
        size_t left = 2 * at + 1;
        least = at;
        for (size_t child = left; child < left + 2 && child < count; child++)
            if (is_smaller(list, &list->heap[child], &list->heap[least]))
                least = child;
        if (least == at)
            return;
        holders_swap(&list->heap[at], &list->heap[least]);
    }
}

static uint64_t usage_sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void others_add(struct usage_list *list, const struct holder *h)
{
    list->others.inodes = usage_sum(list->others.inodes, h->inodes);
    list->others.kbytes = usage_sum(list->others.kbytes, h->kbytes);
    list->has_others = true;
}

/* A text has a target's accounts together: it is nearly always the last. */
static struct usage_list *list_find(const struct usage_top *top,
                                    const struct lustre_account *a)
{
    for (size_t i = top->count; i-- > 0;) {
        struct usage_list *list = &top->lists[i];
        if (list->owner == a->owner &&
            span_eq((struct span){ list->target, list->target_size }, a->target))
            return list;
    }
    return NULL;
}

static int list_new(struct usage_top *top, const struct lustre_account *a,
                    struct usage_list **ret)
{
    if (top->count == (size_t)USAGE_TARGETS_MAX * LUSTRE_OWNER_KIND_COUNT ||
        a->target.size > TARGET_BYTES_MAX)
        return -ENOSPC;
    void *grown = reallocarray(top->lists, top->count + 1, sizeof *top->lists);
    if (!grown)
        return -ENOMEM;
    top->lists = grown;
    struct usage_list list = { .target_size = a->target.size,
                               .target_kind = a->target_kind,
                               .owner = a->owner,
                               .heap = calloc(top->count_max, sizeof *list.heap) };
    if (!list.heap)
        return -ENOMEM;
    memcpy(list.target, a->target.data, a->target.size);
    top->lists[top->count] = list;
    *ret = &top->lists[top->count++];
    return 0;
}

int usage_top_add(struct usage_top *top, const struct lustre_account *account)
{
    struct holder h = { account->inodes, account->kbytes, account->id };
    struct usage_list *list = list_find(top, account);
    int rc = list ? 0 : list_new(top, account, &list);
    if (rc < 0)
        return rc;
    if (list->count < top->count_max) {
        list->heap[list->count++] = h;
        sift_up(list, list->count - 1);
        return 0;
    }
    if (is_smaller(list, &list->heap[0], &h))
        holders_swap(&list->heap[0], &h);
    sift_down(list, list->count);
    others_add(list, &h);
    return 0;
}

/* ---- lines ---- */

static void holder_emit(const struct usage_list *list, const struct metric_line *line,
                        const char *id, const struct holder *h)
{
    const char *owner = lustre_owner_kind_name(list->owner);
    const struct metric_of of = { .target = { list->target, list->target_size },
                                  .type = span_of(target_kind_name(list->target_kind)),
                                  .part_type = span_of(owner),
                                  .part = span_of(id) };
    metric_line_add(line, (const char *const[3]){ "lustre_", owner, "_bytes" }, &of,
                    (double)h->kbytes * 1024);
    metric_line_add(line, (const char *const[3]){ "lustre_", owner, "_inodes" }, &of,
                    (double)h->inodes);
}

/* The heap becomes a list, the largest first. */
static void list_emit(struct usage_list *list, const struct metric_line *line)
{
    char id[16];
    for (size_t count = list->count; count > 1; count--) {
        holders_swap(&list->heap[0], &list->heap[count - 1]);
        sift_down(list, count - 1);
    }
    for (size_t i = 0; i < list->count; i++) {
        (void)snprintf(id, sizeof id, "%" PRIu32, list->heap[i].id);
        holder_emit(list, line, id, &list->heap[i]);
    }
    if (list->has_others)
        holder_emit(list, line, "others", &list->others);
    list->count = 0;
}

void usage_top_emit(struct usage_top *top, const struct metric_line *line)
{
    for (size_t i = 0; i < top->count; i++)
        list_emit(&top->lists[i], line);
}

void usage_top_clear(struct usage_top *top)
{
    for (size_t i = 0; i < top->count; i++)
        free(top->lists[i].heap);
    free(top->lists);
    *top = (struct usage_top){ .count_max = top->count_max };
}
