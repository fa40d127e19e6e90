/* SPDX-License-Identifier: Apache-2.0 */
/* replay - runs a fuzz target over every file of the folders it is given, so that the
 * kept inputs are part of the unit tests, with any compiler.  Without arguments: over
 * those that are kept for the target.
 */
#include "base/file.h"
#include "fuzz/fuzz.h"

#include <errno.h>
#include <stdio.h>

#define INPUT_BYTES_MAX (16u << 20)

static int replay_file(const char *path)
{
    AUTO(strbuf_done) struct strbuf data = STRBUF_INIT;
    struct err err = { 0 };
    if (file_read(path, INPUT_BYTES_MAX, &data, &err) < 0) {
        printf("# %s\n", err.text);
        return -1;
    }
    /* A copy of exactly that size, so that the sanitizer sees reads past its end. */
    AUTO_FREE uint8_t *copy = malloc(data.size ? data.size : 1);
    if (!copy)
        return -1;
    memcpy(copy, strbuf_text(&data), data.size);
    (void)LLVMFuzzerTestOneInput(copy, data.size);
    return 0;
}

/* Returns how many files were run, or -1. */
static long replay_dir(const char *dir)
{
    AUTO_CLOSEDIR DIR *d = opendir(dir);
    long count = 0;
    if (!d) {
        printf("# %s: %s\n", dir, strerror(errno));
        return -1;
    }
    for (const struct dirent *entry = readdir(d); entry; entry = readdir(d)) {
        char path[4096];
        if (entry->d_name[0] == '.')
            continue;
        (void)snprintf(path, sizeof path, "%s/%s", dir, entry->d_name);
        if (replay_file(path) < 0)
            return -1;
        count++;
    }
    return count;
}

int main(int argc, char **argv)
{
    char own[] = REPLAY_CORPUS; /* the target's own, as the build said */
    char *only[] = { own };
    char **dirs = argc > 1 ? argv + 1 : only;
    int count = argc > 1 ? argc - 1 : 1;
    int failed = 0;
    printf("1..%d\n", count);
    for (int i = 0; i < count; i++) {
        (void)fflush(stdout);
        long inputs = replay_dir(dirs[i]);
        failed |= inputs <= 0;
        printf("%sok %d - %ld inputs of a corpus are taken without harm\n",
               inputs > 0 ? "" : "not ", i + 1, inputs);
    }
    return failed;
}
