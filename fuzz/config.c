/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_config - the reader of configuration, over tables with every type of key.
 *
 * The input is a file, and behind its first NUL an assignment as of --set.
 */
#include "base/config.h"
#include "fuzz/fuzz.h"

struct opts {
    const char *text;
    bool flag;
    uint64_t count;
    int64_t duration_ns;
    uint64_t size_bytes;
    struct config_list list;
};

#define KEY(field) offsetof(struct opts, field)

static const struct config_key keys[] = {
    { .name = "text", .type = CONFIG_TEXT, .offset = KEY(text), .value = "none" },
    { .name = "flag", .type = CONFIG_BOOL, .offset = KEY(flag), .value = "no" },
    { .name = "count", .type = CONFIG_COUNT, .offset = KEY(count), .max = 1000 },
    { .name = "interval",
      .type = CONFIG_DURATION,
      .offset = KEY(duration_ns),
      .value = "2m",
      .min = 1000000000,
      .max = INT64_C(3600000000000) },
    { .name = "size", .type = CONFIG_SIZE, .offset = KEY(size_bytes), .value = "1MiB" },
    { .name = "jobid_name", .type = CONFIG_LIST, .offset = KEY(list) },
};

static const struct config_section sections[] = {
    { .kind = "agent", .keys = keys, .key_count = COUNT_OF(keys) },
    { .kind = "filesystem",
      .is_named = true,
      .keys = keys,
      .key_count = COUNT_OF(keys) },
};

static void check_opts(const struct config *config, const char *kind, const char *name)
{
    struct opts opts = { 0 };
    fuzz_check(config_fill(config, kind, name, &opts, NULL) == 0);
    fuzz_check(opts.text != NULL && opts.count <= 1000);
    fuzz_check(opts.duration_ns >= 1000000000 &&
               opts.duration_ns <= INT64_C(3600000000000));
    for (size_t i = 0; i < opts.list.count; i++)
        fuzz_check(strlen(opts.list.items[i]) < 5u << 20);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    const char *nul = size ? memchr(text, 0, size) : NULL;
    size_t file_size = nul ? (size_t)(nul - text) : size;
    AUTO(config_free) struct config *config = NULL;
    struct err err = { 0 };
    int rc = config_parse("file", (struct span){ text, file_size }, sections,
                          COUNT_OF(sections), &config, &err);
    if (rc < 0) {
        fuzz_check(err.text[0] != '\0' && config == NULL);
        return 0;
    }
    if (nul)
        (void)config_set(config, (struct span){ nul + 1, size - file_size - 1 }, &err);
    check_opts(config, "agent", NULL);
    for (size_t i = 0; i < config_name_count(config, "filesystem"); i++)
        check_opts(config, "filesystem", config_name(config, "filesystem", i));
    return 0;
}
