/* SPDX-License-Identifier: Apache-2.0 */
/* sampling_config - the section [node] of baro-agent.conf. */
#include "agent/sampling/sampling_config.h"

#include "base/number.h"
#include "base/span.h"
#include "source/gpu/gpu.h"
#include "source/node/node.h"

#include <stddef.h>

#define KEY(field) offsetof(struct node_opts, field)

static const struct config_key node_keys[] = {
    { "source", CONFIG_LIST, KEY(sources), NULL, 0, 0,
      "What of this node is sampled: load, cpu, memory, vmstat, pressure, network, "
      "disk, sensors, jobs, edac, infiniband, rapl, gpu or all; may be repeated; none: "
      "nothing." },
    { "every", CONFIG_COUNT, KEY(every), "1", 1, 86400,
      "At every so many triggers of the session." },
    { "interval", CONFIG_DURATION, KEY(interval_ns), "10s", 100 * NS_PER_MS,
      3600 * NS_PER_S,
      "What stands for the trigger's period where there is no session, and while none "
      "comes." },
    { "flush_interval", CONFIG_DURATION, KEY(flush_ns), "10s", 0, 600 * NS_PER_S,
      "Samples gather in memory for so long, then they go to the spool and to barod "
      "together; 0s: at each trigger." },
    { "cluster", CONFIG_TEXT, KEY(cluster), NULL, 0, 0,
      "The cluster of these metrics; default: that of [agent]." },
    { "socket", CONFIG_TEXT, KEY(socket), NULL, 0, 0,
      "Unix socket on which programs of this node's jobs submit metrics of their job, "
      "and "
      "events (baro metric put, baro event publish --agent); empty: none." },
    { "job_event", CONFIG_LIST, KEY(job_events), NULL, 0, 0,
      "Pattern of names of events of this node that sessions of its jobs are given "
      "(baro session run), as kernel.*; may be repeated; none: their nodes' health "
      "alone." },
    { "kernel_rules", CONFIG_TEXT, KEY(kernel_rules), NULL, 0, 0,
      "File of rules by which messages of the kernel are events and health "
      "(/usr/share/barograph/kernel-rules.conf); empty: they are not read." },
    { "mounts_interval", CONFIG_DURATION, KEY(mounts_interval_ns), "0s", 0,
      24 * 3600 * NS_PER_S,
      "How often the network file systems that are mounted are checked, as health; 0s: "
      "never." },
    { "inventory_interval", CONFIG_DURATION, KEY(inventory_interval_ns), "0s", 0,
      24 * 3600 * NS_PER_S,
      "How often the parts of this node are read; barod has what changed then, and all "
      "once a day (baro resource inventory); 0s: never." },
    { "corrected_hour_max", CONFIG_COUNT, KEY(corrected_max), "10", 1, 1000000,
      "A memory module with more corrected errors than that within an hour is degraded "
      "(source edac)." },
    { "corrected_ratio", CONFIG_COUNT, KEY(corrected_ratio), "3", 1, 1000,
      "So is one whose corrected errors of 24 hours are certainly more than so many "
      "times those of the days before." },
    { "corrected_quiet", CONFIG_DURATION, KEY(corrected_quiet_ns), "48h",
      3600 * NS_PER_S, 30 * 24 * 3600 * NS_PER_S,
      "It is up again when they were few for so long." },
    { "gpu_reader", CONFIG_TEXT, KEY(gpu_reader), BARO_LIBEXECDIR "/baro-gpu-read", 0,
      0, "The program that opens NVIDIA's management library, for the source gpu." },
    { "gpu_library", CONFIG_TEXT, KEY(gpu_library), GPU_LIBRARY, 0, 0,
      "That library." },
    { "gpu_deadline", CONFIG_DURATION, KEY(gpu_deadline_ns), "5s", 100 * NS_PER_MS,
      600 * NS_PER_S,
      "GPUs that have not been read by then hang: the program is ended, and started "
      "again after a pause.  The first reading, at which the driver starts, has six "
      "times that." },
    { "mount_deadline", CONFIG_DURATION, KEY(mount_deadline_ns), "10s", 100 * NS_PER_MS,
      600 * NS_PER_S,
      "One that has not responded by then hangs: its health is unknown." },
};

const struct config_section node_config_section = {
    "node",
    false,
    node_keys,
    COUNT_OF(node_keys),
    "What the kernel counts of this node, as metrics.",
};

enum gpu_choice node_opts_gpu(const struct node_opts *opts)
{
    enum gpu_choice choice = GPU_NOT;
    for (size_t i = 0; i < opts->sources.count; i++) {
        if (strcmp(opts->sources.items[i], "gpu") == 0)
            return GPU_NAMED;
        if (strcmp(opts->sources.items[i], "all") == 0)
            choice = GPU_IF_THERE;
    }
    return choice;
}

int node_opts_sources(const struct node_opts *opts, unsigned *ret, struct err *err)
{
    unsigned sources = 0, one;
    for (size_t i = 0; i < opts->sources.count; i++) {
        if (strcmp(opts->sources.items[i], "gpu") == 0)
            continue;
        if (node_source_parse(span_of(opts->sources.items[i]), &one) < 0)
            return err_set(err, EINVAL,
                           "node.source: invalid value '%s' (choose load, cpu, memory, "
                           "vmstat, pressure, network, disk, sensors, jobs, edac, "
                           "infiniband, rapl, gpu, all)",
                           opts->sources.items[i]);
        sources |= one;
    }
    *ret = sources;
    return 0;
}
