/* SPDX-License-Identifier: Apache-2.0 */
/* node - the sources of a node: their files, and a round of reading them. */
#include "source/node/node_private.h"

#include "base/number.h"
#include "base/span.h"

#include <fcntl.h>
#include <stdio.h>

/* Counts are stored so soon after errors, and so late without: the kernel's counter
 * has what came between. */
#define TRENDS_SOON_S 60
#define TRENDS_LATE_S 3600

int node_source_parse(struct span name, unsigned *ret)
{
    static const char *const names[] = { "load",     "cpu",     "memory",     "vmstat",
                                         "pressure", "network", "disk",       "sensors",
                                         "jobs",     "edac",    "infiniband", "rapl" };
    if (span_is(name, "all")) {
        *ret = NODE_ALL;
        return 0;
    }
    for (unsigned i = 0; i < COUNT_OF(names); i++)
        if (span_is(name, names[i])) {
            *ret = 1U << i;
            return 0;
        }
    return -EINVAL;
}

static void files_open(struct node_sources *s)
{
    static const char *const pressure[] = { "/proc/pressure/cpu",
                                            "/proc/pressure/memory",
                                            "/proc/pressure/io" };
    s->load.fd = s->stat.fd = s->meminfo.fd = s->vmstat.fd = s->network.fd =
        s->disks.fd = -1;
    node_file_open(s, &s->load, "/proc/loadavg");
    node_file_open(s, &s->stat, "/proc/stat");
    node_file_open(s, &s->meminfo, "/proc/meminfo");
    node_file_open(s, &s->vmstat, "/proc/vmstat");
    node_file_open(s, &s->network, "/proc/net/dev");
    node_file_open(s, &s->disks, "/proc/diskstats");
    for (size_t i = 0; i < COUNT_OF(pressure); i++) {
        s->pressure[i].fd = -1;
        node_file_open(s, &s->pressure[i], pressure[i]);
    }
}

int node_sources_new(const char *root, unsigned sources, struct node_sources **ret)
{
    AUTO(node_sources_free) struct node_sources *s = node_reader_new(root);
    if (!s)
        return -ENOMEM;
    s->wanted = sources;
    s->trend_rule = (struct error_trend_rule){ 10, 3, 2 * 24 * 3600 };
    files_open(s);
    if (sources & NODE_SENSORS)
        node_find_sensors(s);
    if (sources & NODE_EDAC)
        node_find_dimms(s);
    if (sources & NODE_INFINIBAND)
        node_find_ports(s);
    if (sources & NODE_RAPL) {
        int rc = node_energy_open(root, &s->own_energy);
        if (rc < 0)
            return rc;
        s->energy = s->own_energy;
    }
    *ret = TAKE(s);
    return 0;
}

void node_sources_free(struct node_sources *s)
{
    if (!s)
        return;
    struct node_file *files[] = { &s->load,    &s->stat,        &s->meminfo,
                                  &s->vmstat,  &s->network,     &s->disks,
                                  s->pressure, s->pressure + 1, s->pressure + 2 };
    for (size_t i = 0; i < COUNT_OF(files); i++)
        node_file_close(files[i]);
    for (size_t i = 0; i < s->sensor_count; i++)
        node_file_close(&s->sensors[i].file);
    for (size_t i = 0; i < s->job_count; i++) {
        node_file_close(&s->jobs[i].cpu);
        node_file_close(&s->jobs[i].memory);
        node_file_close(&s->jobs[i].io);
        node_file_close(&s->jobs[i].pids);
    }
    node_free_dimms(s);
    node_free_ports(s);
    node_energy_free(s->own_energy);
    free(s->sensors);
    free(s->jobs);
    free(s->cpus);
    free(s->devices);
    node_reader_free(s);
}

void node_sources_on_health(struct node_sources *s, node_health_fn *fn)
{
    s->health_fn = fn;
}

void node_sources_set_trend_rule(struct node_sources *s,
                                 const struct node_trend_rule *rule)
{
    s->trend_rule = (struct error_trend_rule){ rule->hour_max, rule->ratio,
                                               rule->quiet_ns / NS_PER_S };
}

int node_sources_parse_trends(struct node_sources *s, struct span text)
{
    return error_trends_parse(&s->trends, text);
}

bool node_sources_print_last_trends(struct node_sources *s, struct strbuf *out)
{
    if (s->trends.count == 0)
        return false;
    error_trends_print(&s->trends, out);
    s->has_news = false;
    s->trends_printed_ns = s->now_ns;
    return true;
}

bool node_sources_print_trends(struct node_sources *s, struct strbuf *out)
{
    int64_t age_ns = s->now_ns - s->trends_printed_ns;
    int64_t due_ns = (s->has_news ? TRENDS_SOON_S : TRENDS_LATE_S) * NS_PER_S;
    if (age_ns >= 0 && age_ns < due_ns) /* below 0: the clock was set back */
        return false;
    return node_sources_print_last_trends(s, out);
}

void node_sources_set_energy(struct node_sources *s, struct node_energy *energy)
{
    node_energy_free(TAKE(s->own_energy));
    s->energy = energy;
}

void node_sources_notices(const struct node_sources *s, node_notice_fn *fn, void *arg)
{
    char text[400];
    if (s->energy && node_energy_unread(s->energy, text, sizeof text))
        fn(arg, text);
    if (s->counters_left_out == 0 && s->ports_left_out == 0)
        return;
    (void)snprintf(
        text, sizeof text,
        "%zu ports of InfiniBand and %zu counters are not read: %d ports and "
        "%d counters are as many as can be",
        s->ports_left_out, s->counters_left_out, NODE_PORTS_MAX, NODE_COUNTERS_MAX);
    fn(arg, text);
}

void node_sources_read(struct node_sources *s, int64_t t_ns, node_value_fn *fn,
                       void *arg)
{
    s->fn = fn;
    s->arg = arg;
    s->now_ns = t_ns;
    s->elapsed_s = s->before_ns ? (double)(t_ns - s->before_ns) / (double)NS_PER_S : 0;
    node_read_kernel(s);
    if (s->wanted & NODE_CPU)
        node_read_cpu(s);
    node_read_devices(s);
    if (s->wanted & NODE_SENSORS)
        node_read_sensors(s);
    if (s->wanted & NODE_JOBS)
        node_read_jobs(s);
    if (s->wanted & NODE_EDAC)
        node_read_dimms(s);
    if (s->wanted & NODE_INFINIBAND)
        node_read_ports(s);
    if (s->wanted & NODE_RAPL)
        node_read_energy(s);
    s->before_ns = t_ns;
}
