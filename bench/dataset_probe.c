/* SPDX-License-Identifier: Apache-2.0 */
/* dataset_probe - what programs do to a tree when they start, and what the kernel does
 * to them.
 *
 *     dataset_probe walk DIR DIRECTORIES FILES   each of FILES names is searched in
 *         DIR/dir0 ... and found in the last: stat() as a shell, Python or ld.so does
 * it dataset_probe load DIR OBJECTS             dlopen() of DIR/lib0.so ..., and a call
 * of its function, which reads a byte of each page dataset_probe ftq QUANTA
 * MICROSECONDS      fixed time quanta: how much work fits each
 *
 * Prints a line "seconds count" (walk, load), or "mean-loss worst-loss quanta-over-5%"
 * of ftq: the share of the best quantum's work that was missing, on average and at
 * worst.
 */
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static double now_s(void)
{
    return (double)clock_monotonic_ns() / NS_PER_S;
}

static int walk(const char *dir, long directories, long files)
{
    char path[4096];
    struct stat st;
    long calls = 0, found = 0;
    double begin = now_s();
    for (long file = 0; file < files; file++)
        for (long i = 0; i < directories; i++, calls++) {
            (void)snprintf(path, sizeof path, "%s/dir%ld/in%ld_%ld", dir, i,
                           directories - 1, file);
            found += stat(path, &st) == 0;
        }
    printf("%.4f %ld\n", now_s() - begin, calls);
    return found == files ? 0 : 1;
}

static int load(const char *dir, long objects)
{
    char text[4096];
    long sum = 0;
    double begin = now_s();
    for (long i = 0; i < objects; i++) {
        (void)snprintf(text, sizeof text, "%s/lib%ld.so", dir, i);
        void *object = dlopen(text, RTLD_NOW | RTLD_GLOBAL);
        (void)snprintf(text, sizeof text, "work%ld", i);
        void *symbol = object ? dlsym(object, text) : NULL;
        if (!symbol) {
            fprintf(stderr, "dataset_probe: %s\n", dlerror());
            return 1;
        }
        long (*call)(void);
        memcpy(&call, &symbol, sizeof call);
        sum += call();
    }
    printf("%.4f %ld\n", now_s() - begin, objects);
    return sum == -1;
}

static int ftq(long quanta, long us)
{
    uint64_t *work = calloc((size_t)quanta, sizeof *work), best = 1, over = 0, worst;
    volatile uint64_t sink = 0;
    if (!work)
        return 1;
    double end = now_s();
    for (long i = 0; i < quanta; i++) {
        end += (double)us / 1e6;
        while (now_s() < end) {
            for (int step = 0; step < 100; step++)
                sink = sink * 3 + 1;
            work[i]++;
        }
    }
    for (long i = 1; i < quanta; i++) /* the first one warms up */
        best = work[i] > best ? work[i] : best;
    worst = best;
    double loss = 0;
    for (long i = 1; i < quanta; i++) {
        loss += 1 - (double)work[i] / (double)best;
        over += work[i] * 20 < best * 19;
        worst = work[i] < worst ? work[i] : worst;
    }
    printf("%.5f %.5f %lu\n", loss / (double)(quanta - 1),
           1 - (double)worst / (double)best, (unsigned long)over);
    free(work);
    return 0;
}

static long number(const char *text)
{
    uint64_t value = 0;
    return number_parse_u64(span_of(text), &value) < 0 ? 0 : (long)(value & 0x7fffffff);
}

int main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "walk") == 0)
        return walk(argv[2], number(argv[3]), number(argv[4]));
    if (argc == 4 && strcmp(argv[1], "load") == 0)
        return load(argv[2], number(argv[3]));
    if (argc == 4 && strcmp(argv[1], "ftq") == 0 && number(argv[2]) > 1)
        return ftq(number(argv[2]), number(argv[3]));
    fprintf(stderr, "dataset_probe: walk DIR DIRECTORIES FILES | load DIR OBJECTS | "
                    "ftq QUANTA MICROSECONDS\n");
    return 2;
}
