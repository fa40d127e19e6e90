/* SPDX-License-Identifier: Apache-2.0 */
/* slow_target - whether all files on one target were slow, and how likely by chance. */
#include "analysis/log/slow_target.h"

#include "analysis/stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the search goes through again and again; each as long as there are targets. */
struct search {
    double *best; /* seconds by the byte of the quickest file */
    double *sorted;
    uint32_t *files;
};

static void search_done(struct search *s)
{
    free(s->best);
    free(s->sorted);
    free(s->files);
}
DEFINE_AUTO_DONE(struct search, search_done);

static double pace_of(const struct target_file *file)
{
    return file->io_s / file->bytes;
}

/* The slowest target against the median one; *ret_ost -1, and NaN: too few. */
static double ratio_of(struct search *s, const struct target_file *files, size_t count,
                       int *ret_ost)
{
    double worst = 0;
    size_t targets = 0;
    memset(s->files, 0, SLOW_TARGET_OSTS_MAX * sizeof *s->files);
    for (size_t i = 0; i < count; i++) {
        double pace = pace_of(&files[i]);
        if (s->files[files[i].ost] == 0 || pace < s->best[files[i].ost])
            s->best[files[i].ost] = pace;
        s->files[files[i].ost]++;
    }
    *ret_ost = -1;
    for (int ost = 0; ost < SLOW_TARGET_OSTS_MAX; ost++) {
        if (s->files[ost] < 2)
            continue;
        s->sorted[targets++] = s->best[ost];
        if (s->best[ost] > worst) {
            worst = s->best[ost];
            *ret_ost = ost;
        }
    }
    if (targets < SLOW_TARGET_MIN) {
        *ret_ost = -1;
        return NAN;
    }
    (void)numbers_sort(s->sorted, targets);
    return worst / s->sorted[targets / 2];
}

/* ---- chance ---- */

/* splitmix64: the same numbers everywhere. */
static uint64_t draw(uint64_t *state, uint64_t below)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (z ^ (z >> 31)) % below;
}

/* Of about one size: within a factor of 4. */
static int size_class(const struct target_file *file)
{
    return (int)floor(log2(file->bytes) / 2);
}

static int by_size(const void *a, const void *b)
{
    const struct target_file *x = a;
    const struct target_file *y = b;
    int left = size_class(x);
    int right = size_class(y);
    if (left != right)
        return left < right ? -1 : 1;
    if (x->ost != y->ost) /* so that the order of the log changes nothing */
        return x->ost < y->ost ? -1 : 1;
    double slow = pace_of(x);
    double quick = pace_of(y);
    return (slow > quick) - (slow < quick);
}

static void targets_swap(struct target_file *a, struct target_file *b)
{
    int32_t ost = a->ost;
    a->ost = b->ost;
    b->ost = ost;
}

/* Files ordered by size are dealt anew within their class. */
static void deal(struct target_file *files, size_t count, uint64_t *random)
{
    for (size_t first = 0; first < count;) {
        size_t end = first + 1;
        while (end < count && size_class(&files[end]) == size_class(&files[first]))
            end++;
        for (size_t i = end - first; i > 1; i--)
            targets_swap(&files[first + i - 1], &files[first + draw(random, i)]);
        first = end;
    }
}

static double chance_of(struct search *s, struct target_file *files, size_t count,
                        double ratio)
{
    uint64_t random = count;
    unsigned deals = 0;
    unsigned as_slow = 0;
    while (deals < SLOW_TARGET_DEALS && as_slow < SLOW_TARGET_ENOUGH) {
        int ost;
        deal(files, count, &random);
        as_slow += ratio_of(s, files, count, &ost) >= ratio;
        deals++;
    }
    return (1 + (double)as_slow) / (1 + (double)deals);
}

/* So many drawn out of more: a drawing, since files in a row lie on targets in a row.
 */
static size_t files_draw(struct target_file *files, size_t count)
{
    uint64_t random = count;
    if (count <= SLOW_TARGET_FILES_MAX)
        return count;
    for (size_t i = 0; i < SLOW_TARGET_FILES_MAX; i++) {
        size_t other = i + draw(&random, count - i);
        struct target_file file = files[i];
        files[i] = files[other];
        files[other] = file;
    }
    qsort(files, SLOW_TARGET_FILES_MAX, sizeof *files, by_size);
    return SLOW_TARGET_FILES_MAX;
}

/* ---- the usual ---- */

static int usual_find(const struct target_file *files, size_t count,
                      struct slow_target *found)
{
    AUTO_FREE double *paces = calloc(count + 1, sizeof *paces);
    size_t others = 0;
    if (!paces)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        if (files[i].ost != found->ost)
            paces[others++] = pace_of(&files[i]);
    others = numbers_sort(paces, others);
    found->usual_q05 = quantile(paces, others, 0.05);
    found->usual_q50 = quantile(paces, others, 0.5);
    found->usual_q95 = quantile(paces, others, 0.95);
    return 0;
}

int slow_target_find(struct target_file *files, size_t count, struct slow_target *ret)
{
    AUTO(search_done)
    struct search s = { calloc(SLOW_TARGET_OSTS_MAX, sizeof *s.best),
                        calloc(SLOW_TARGET_OSTS_MAX, sizeof *s.sorted),
                        calloc(SLOW_TARGET_OSTS_MAX, sizeof *s.files) };
    struct slow_target found = { .p = NAN };
    if (!s.best || !s.sorted || !s.files)
        return -ENOMEM;
    if (count > 0)
        qsort(files, count, sizeof *files, by_size);
    found.ratio = ratio_of(&s, files, count, &found.ost);
    for (int ost = 0; ost < SLOW_TARGET_OSTS_MAX; ost++) {
        found.targets += s.files[ost] >= 2;
        found.files += s.files[ost] >= 2 ? s.files[ost] : 0;
    }
    if (found.ost >= 0) {
        AUTO_FREE struct target_file *dealt = calloc(count, sizeof *dealt);
        if (!dealt || usual_find(files, count, &found) < 0)
            return -ENOMEM;
        memcpy(dealt, files, count * sizeof *dealt);
        size_t drawn = files_draw(dealt, count);
        int ost;
        double ratio = drawn < count ? ratio_of(&s, dealt, drawn, &ost) : found.ratio;
        found.p = chance_of(&s, dealt, drawn, ratio);
    }
    *ret = found;
    return 0;
}
