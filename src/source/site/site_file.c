/* SPDX-License-Identifier: Apache-2.0 */
/* site_file - the site's file systems: names, places, peaks. */
#include "source/site/site_file.h"

#include "base/number.h"
#include "base/span.h"

#include <stdlib.h>

struct site_file {
    struct config *config;
    struct site_filesystem *filesystems;
    size_t count;
    struct site_clock *clocks;
    size_t clock_count;
    struct site_probes probes;
    struct site_place place;
};

static const struct config_key filesystem_keys[] = {
    { .name = "path",
      .type = CONFIG_LIST,
      .offset = offsetof(struct site_filesystem, paths),
      .help = "Where it is mounted; may be repeated." },
    { .name = "fsname",
      .type = CONFIG_TEXT,
      .offset = offsetof(struct site_filesystem, fsname),
      .help = "What Lustre calls it, as in fsname-OST0000." },
    { .name = "kind",
      .type = CONFIG_TEXT,
      .offset = offsetof(struct site_filesystem, kind),
      .help = "What it is: Lustre, GPFS, ..." },
    { .name = "peak",
      .type = CONFIG_SIZE,
      .offset = offsetof(struct site_filesystem, peak_bytes_per_s),
      .value = "0B",
      .help = "Bytes a second that it can do at best: 48GB." },
    { .name = "servers",
      .type = CONFIG_COUNT,
      .offset = offsetof(struct site_filesystem, servers),
      .value = "0",
      .help = "How many servers it has." },
    { .name = "targets",
      .type = CONFIG_COUNT,
      .offset = offsetof(struct site_filesystem, targets),
      .value = "0",
      .help = "How many targets (LUNs) they have." },
    { .name = "io_nodes",
      .type = CONFIG_COUNT,
      .offset = offsetof(struct site_filesystem, io_nodes),
      .value = "0",
      .help = "How many nodes lie between it and the compute nodes." },
    { .name = "fabric",
      .type = CONFIG_LIST,
      .offset = offsetof(struct site_filesystem, fabrics),
      .help = "A network that it shares with others that name it; may be repeated." },
    { .name = "series",
      .type = CONFIG_LIST,
      .offset = offsetof(struct site_filesystem, series),
      .help = "Names of files of series that are of it, with * ? []; may be "
              "repeated." },
};

static const struct config_key clock_keys[] = {
    { .name = "offset",
      .type = CONFIG_TEXT,
      .offset = offsetof(struct site_clock, offset),
      .value = "0s",
      .help = "What is added to its times, of whole seconds: -3s, 2m." },
};

static const struct config_key place_keys[] = {
    { .name = "zone",
      .type = CONFIG_TEXT,
      .offset = offsetof(struct site_place, zone),
      .help = "Whose hours the same hours of other days are by: Europe/Berlin, +1h; "
              "default: UTC." },
};

static const struct config_key probes_keys[] = {
    { .name = "measure",
      .type = CONFIG_DURATION,
      .offset = offsetof(struct site_probes, measure_ns),
      .value = "60s",
      .min = NS_PER_S,
      .max = 3600 * NS_PER_S,
      .help = "How long a phase lasts at the peak: sizes follow." },
    { .name = "core_hours",
      .type = CONFIG_TEXT,
      .offset = offsetof(struct site_probes, core_hours),
      .value = "0",
      .help = "The most that one call may use; 0: no limit." },
};

static const struct config_section sections[] = {
    { .kind = "filesystem",
      .is_named = true,
      .keys = filesystem_keys,
      .key_count = COUNT_OF(filesystem_keys),
      .help = "A file system of this site." },
    { .kind = "clock",
      .is_named = true,
      .keys = clock_keys,
      .key_count = COUNT_OF(clock_keys),
      .help = "A source whose clock differs: series, health, jobs, or series files of "
              "this name, with * ? []." },
    { .kind = "site",
      .keys = place_keys,
      .key_count = COUNT_OF(place_keys),
      .help = "The place itself." },
    { .kind = "probes",
      .keys = probes_keys,
      .key_count = COUNT_OF(probes_keys),
      .help = "How it is measured by baro-abc." },
};

static int filesystems_read(struct site_file *site, struct err *err)
{
    size_t count = config_name_count(site->config, "filesystem");
    site->filesystems = calloc(count + 1, sizeof *site->filesystems);
    if (!site->filesystems)
        return err_set(err, ENOMEM, "memory is out");
    for (size_t i = 0; i < count; i++) {
        const char *name = config_name(site->config, "filesystem", i);
        int rc =
            config_fill(site->config, "filesystem", name, &site->filesystems[i], err);
        if (rc < 0)
            return rc;
        site->filesystems[i].name = name;
        site->count++;
    }
    return 0;
}

static int clocks_read(struct site_file *site, struct err *err)
{
    size_t count = config_name_count(site->config, "clock");
    site->clocks = calloc(count + 1, sizeof *site->clocks);
    if (!site->clocks)
        return err_set(err, ENOMEM, "memory is out");
    for (size_t i = 0; i < count; i++) {
        const char *source = config_name(site->config, "clock", i);
        int rc = config_fill(site->config, "clock", source, &site->clocks[i], err);
        if (rc < 0)
            return rc;
        site->clocks[i].source = source;
        site->clock_count++;
    }
    return 0;
}

int site_file_open(const char *path, struct site_file **ret, struct err *err)
{
    AUTO(site_file_close) struct site_file *site = calloc(1, sizeof *site);
    if (!site)
        return err_set(err, ENOMEM, "memory is out");
    int rc = config_load(path, sections, COUNT_OF(sections), &site->config, err);
    if (rc == 0)
        rc = config_fill(site->config, "probes", NULL, &site->probes, err);
    if (rc == 0)
        rc = config_fill(site->config, "site", NULL, &site->place, err);
    if (rc == 0)
        rc = filesystems_read(site, err);
    if (rc == 0)
        rc = clocks_read(site, err);
    if (rc < 0)
        return rc;
    *ret = TAKE(site);
    return 0;
}

void site_file_close(struct site_file *site)
{
    if (!site)
        return;
    free(site->filesystems);
    free(site->clocks);
    config_free(site->config);
    free(site);
}

const struct site_place *site_file_place(const struct site_file *site)
{
    return &site->place;
}

const struct site_probes *site_file_probes(const struct site_file *site)
{
    return &site->probes;
}

const struct site_clock *site_file_clocks(const struct site_file *site, size_t *ret)
{
    *ret = site->clock_count;
    return site->clocks;
}

const struct site_filesystem *site_file_filesystems(const struct site_file *site,
                                                    size_t *ret)
{
    *ret = site->count;
    return site->filesystems;
}

const struct site_filesystem *site_file_named(const struct site_file *site,
                                              const char *name)
{
    for (size_t i = 0; i < site->count; i++)
        if (strcmp(site->filesystems[i].name, name) == 0)
            return &site->filesystems[i];
    return NULL;
}

static bool is_below(const char *dir, const char *path)
{
    size_t size = strlen(path);
    while (size > 1 && path[size - 1] == '/')
        size--;
    return strncmp(dir, path, size) == 0 &&
           (dir[size] == '/' || dir[size] == '\0' || size == 1);
}

const struct site_filesystem *site_file_at(const struct site_file *site,
                                           const char *dir)
{
    const struct site_filesystem *best = NULL;
    size_t best_size = 0;
    for (size_t i = 0; i < site->count; i++)
        for (size_t p = 0; p < site->filesystems[i].paths.count; p++) {
            const char *path = site->filesystems[i].paths.items[p];
            if (!is_below(dir, path) || strlen(path) <= best_size)
                continue;
            best = &site->filesystems[i];
            best_size = strlen(path);
        }
    return best;
}

const struct site_filesystem *site_file_owner(const struct site_file *site,
                                              const char *path)
{
    const char *slash = strrchr(path, '/');
    struct span name = span_of(slash ? slash + 1 : path);
    for (size_t i = 0; i < site->count; i++)
        for (size_t p = 0; p < site->filesystems[i].series.count; p++)
            if (span_glob(name, site->filesystems[i].series.items[p]))
                return &site->filesystems[i];
    return NULL;
}

const char *site_file_fabric(const struct site_filesystem *a,
                             const struct site_filesystem *b)
{
    for (size_t i = 0; i < a->fabrics.count; i++)
        for (size_t k = 0; k < b->fabrics.count; k++)
            if (strcmp(a->fabrics.items[i], b->fabrics.items[k]) == 0)
                return a->fabrics.items[i];
    return NULL;
}
