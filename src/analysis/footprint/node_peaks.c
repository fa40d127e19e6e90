/* SPDX-License-Identifier: Apache-2.0 */
/* node_peaks - what nodes can do at best, as configured. */
#include "analysis/footprint/node_peaks.h"

#include "analysis/footprint/footprint_search.h"
#include "analysis/footprint/rate_unit.h"
#include "base/span.h"
#include "model/model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct subcluster_opts {
    const char *cluster, *nodes, *flops, *memory_bandwidth;
};

static const struct config_key subcluster_keys[] = {
    { "cluster", CONFIG_TEXT, offsetof(struct subcluster_opts, cluster), NULL, 0, 0,
      "The cluster whose nodes they are; default: any." },
    { "nodes", CONFIG_TEXT, offsetof(struct subcluster_opts, nodes), NULL, 0, 0,
      "The nodes, as a set; default: all." },
    { "flops", CONFIG_TEXT, offsetof(struct subcluster_opts, flops), NULL, 0, 0,
      "Floating point operations of a node at best, as its metric counts them: "
      "9.2TF/s." },
    { "memory_bandwidth", CONFIG_TEXT,
      offsetof(struct subcluster_opts, memory_bandwidth), NULL, 0, 0,
      "Bytes of memory of a node at best: 350GB/s." },
};

const struct config_section subcluster_config_section = {
    .kind = "subcluster",
    .is_named = true,
    .keys = subcluster_keys,
    .key_count = COUNT_OF(subcluster_keys),
    .help = "Nodes of one kind, and what one of them can do at best.",
};

struct subcluster {
    char *cluster;         /* NULL: any */
    struct hostset *nodes; /* NULL: all */
    double flops, bytes;
};

struct node_peaks {
    size_t count;
    struct subcluster items[];
};

void node_peaks_free(struct node_peaks *peaks)
{
    if (!peaks)
        return;
    for (size_t i = 0; i < peaks->count; i++) {
        free(peaks->items[i].cluster);
        hostset_free(peaks->items[i].nodes);
    }
    free(peaks);
}

static int peak_read(const char *name, const char *key, enum rate_unit of,
                     const char *text, double *ret, struct err *err)
{
    if (!text || !*text)
        return err_set(err, EINVAL,
                       "subcluster %s: %s is missing: what a node has at "
                       "best",
                       name, key);
    if (rate_parse(of, span_of(text), ret) < 0)
        return err_set(err, EINVAL, "subcluster %s: %s: '%s' is not a rate such as %s",
                       name, key, text, of == RATE_FLOPS ? "9.2TF/s" : "350GB/s");
    return 0;
}

static int subcluster_read(const struct config *config, const char *name,
                           struct subcluster *ret, struct err *err)
{
    struct subcluster_opts opts = { 0 };
    int rc = config_fill(config, "subcluster", name, &opts, err);
    if (rc == 0)
        rc = peak_read(name, "flops", RATE_FLOPS, opts.flops, &ret->flops, err);
    if (rc == 0)
        rc = peak_read(name, "memory_bandwidth", RATE_BYTES, opts.memory_bandwidth,
                       &ret->bytes, err);
    if (rc < 0)
        return rc;
    if (opts.cluster && *opts.cluster) {
        ret->cluster = strdup(opts.cluster);
        if (!ret->cluster)
            return err_set(err, ENOMEM, "out of memory");
    }
    if (!opts.nodes || !*opts.nodes)
        return 0;
    rc = hostset_parse(span_of(opts.nodes), &ret->nodes, err);
    return err_prefix(err, rc, "subcluster %s: nodes", name);
}

int node_peaks_new(const struct config *config, struct node_peaks **ret,
                   struct err *err)
{
    size_t count = config ? config_name_count(config, "subcluster") : 0;
    AUTO(node_peaks_free)
    struct node_peaks *made = calloc(1, sizeof *made + count * sizeof made->items[0]);
    if (!made)
        return err_set(err, ENOMEM, "out of memory");
    made->count = count;
    for (size_t i = 0; i < count; i++) {
        int rc = subcluster_read(config, config_name(config, "subcluster", i),
                                 &made->items[i], err);
        if (rc < 0)
            return rc;
    }
    *ret = TAKE(made);
    return 0;
}

static const struct subcluster *subcluster_find(const struct node_peaks *peaks,
                                                const char *cluster, const char *host)
{
    for (size_t i = 0; i < peaks->count; i++) {
        const struct subcluster *s = &peaks->items[i];
        if (s->cluster && (!cluster || strcmp(s->cluster, cluster) != 0))
            continue;
        if (!s->nodes || hostset_has(s->nodes, span_of(host)))
            return s;
    }
    return NULL;
}

int node_peaks_set(const struct node_peaks *peaks, struct arena *arena,
                   struct node_samples *samples)
{
    double flops = 0, bytes = 0;
    size_t known = 0;
    if (!peaks || peaks->count == 0 || samples->host_count == 0)
        return 0;
    bool *is_other = arena_alloc(arena, samples->host_count * sizeof *is_other);
    if (!is_other)
        return -ENOMEM;
    for (size_t i = 0; i < samples->host_count; i++) {
        const struct subcluster *s =
            subcluster_find(peaks, samples->cluster, samples->hosts[i]);
        is_other[i] = !s;
        flops += s ? s->flops : 0;
        bytes += s ? s->bytes : 0;
        known += s != NULL;
    }
    if (known == 0)
        return 0;
    if (known < samples->host_count) {
        samples->peakless = footprint_hosts_text(samples, is_other, arena);
        return samples->peakless ? 0 : -ENOMEM;
    }
    samples->peak_flops = flops / (double)known;
    samples->peak_bytes = bytes / (double)known;
    return 0;
}
