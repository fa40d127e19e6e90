/* SPDX-License-Identifier: Apache-2.0 */
/* abc_site - what a probe must know of the file system that it measures. */
#include "cmd/abc_site.h"

#include "base/cleanup.h"
#include "base/config.h"
#include "base/number.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>

struct filesystem {
    const char *path, *kind;
    uint64_t peak_bytes_per_s, servers, targets, io_nodes;
};

struct probes {
    int64_t measure_ns;
    const char *core_hours;
};

static const struct config_key filesystem_keys[] = {
    { .name = "path",
      .type = CONFIG_TEXT,
      .offset = offsetof(struct filesystem, path),
      .help = "Where it is mounted." },
    { .name = "kind",
      .type = CONFIG_TEXT,
      .offset = offsetof(struct filesystem, kind),
      .help = "What it is: Lustre, GPFS, ..." },
    { .name = "peak",
      .type = CONFIG_SIZE,
      .offset = offsetof(struct filesystem, peak_bytes_per_s),
      .value = "0B",
      .help = "Bytes a second that it can do at best: 48GB." },
    { .name = "servers",
      .type = CONFIG_COUNT,
      .offset = offsetof(struct filesystem, servers),
      .value = "0",
      .help = "How many servers it has." },
    { .name = "targets",
      .type = CONFIG_COUNT,
      .offset = offsetof(struct filesystem, targets),
      .value = "0",
      .help = "How many targets (LUNs) they have." },
    { .name = "io_nodes",
      .type = CONFIG_COUNT,
      .offset = offsetof(struct filesystem, io_nodes),
      .value = "0",
      .help = "How many nodes lie between it and the compute nodes." },
};

static const struct config_key probes_keys[] = {
    { .name = "measure",
      .type = CONFIG_DURATION,
      .offset = offsetof(struct probes, measure_ns),
      .value = "60s",
      .min = NS_PER_S,
      .max = 3600 * NS_PER_S,
      .help = "How long a phase lasts at the peak: sizes follow." },
    { .name = "core_hours",
      .type = CONFIG_TEXT,
      .offset = offsetof(struct probes, core_hours),
      .value = "0",
      .help = "The most that one call may use; 0: no limit." },
};

static const struct config_section sections[] = {
    { .kind = "filesystem",
      .is_named = true,
      .keys = filesystem_keys,
      .key_count = COUNT_OF(filesystem_keys),
      .help = "A file system of this site." },
    { .kind = "probes",
      .keys = probes_keys,
      .key_count = COUNT_OF(probes_keys),
      .help = "How it is measured by baro-abc." },
};

static bool is_below(const char *dir, const char *path)
{
    size_t size = strlen(path);
    while (size > 1 && path[size - 1] == '/')
        size--;
    return strncmp(dir, path, size) == 0 &&
           (dir[size] == '/' || dir[size] == '\0' || size == 1);
}

static int take(const struct config *config, const char *name, struct abc_site *site,
                struct err *err)
{
    struct filesystem fs = { 0 };
    int rc = config_fill(config, "filesystem", name, &fs, err);
    if (rc < 0)
        return rc;
    (void)snprintf(site->name, sizeof site->name, "%s", name);
    site->peak_bytes_per_s = (double)fs.peak_bytes_per_s;
    return 0;
}

static int find(const struct config *config, const char *wanted, const char *dir,
                struct abc_site *site, struct err *err)
{
    char real[PATH_MAX];
    const char *best = NULL;
    size_t best_size = 0;
    if (!realpath(dir, real))
        return err_set(err, errno, "'%s': %s", dir, strerror(errno));
    for (size_t i = 0; i < config_name_count(config, "filesystem"); i++) {
        const char *name = config_name(config, "filesystem", i);
        struct filesystem fs = { 0 };
        int rc = config_fill(config, "filesystem", name, &fs, err);
        if (rc < 0)
            return rc;
        if (wanted
                ? strcmp(name, wanted) == 0
                : fs.path && is_below(real, fs.path) && strlen(fs.path) > best_size) {
            best = name;
            best_size = fs.path ? strlen(fs.path) : 0;
        }
    }
    if (best)
        return take(config, best, site, err);
    if (wanted)
        return err_set(err, EINVAL, "the site file has no [filesystem %s]", wanted);
    return err_set(err, EINVAL,
                   "'%s' is below no path of a [filesystem] of the site file: say "
                   "--file-system",
                   real);
}

int abc_site_read(const char *path, const char *name, const char *dir,
                  struct abc_site *ret, struct err *err)
{
    struct abc_site site = { 0 };
    (void)snprintf(site.name, sizeof site.name, "%s", name ? name : "unknown");
    if (path) {
        AUTO(config_free) struct config *config = NULL;
        struct probes probes = { 0 };
        int rc = config_load(path, sections, COUNT_OF(sections), &config, err);
        if (rc == 0)
            rc = config_fill(config, "probes", NULL, &probes, err);
        if (rc == 0)
            rc = find(config, name, dir, &site, err);
        if (rc < 0)
            return rc;
        site.measure_ns = probes.measure_ns;
        if (number_parse_double(span_of(probes.core_hours), &site.core_hours) < 0 ||
            site.core_hours < 0.0)
            return err_set(err, EINVAL, "%s: core_hours = %s: a number is wanted", path,
                           probes.core_hours);
    }
    *ret = site;
    return 0;
}
