/* SPDX-License-Identifier: Apache-2.0 */
/* node_private - what the sources of a node share: files that stay open, and values. */
#ifndef SOURCE_NODE_NODE_PRIVATE_H
#define SOURCE_NODE_NODE_PRIVATE_H

#include "source/node/error_trends.h"
#include "source/node/node.h"

#define NODE_TEXT_MAX ((size_t)1 << 20)
#define NODE_DEVICES_MAX 256
#define NODE_CPUS_MAX 4096
#define NODE_SENSORS_MAX 256
#define NODE_JOBS_MAX 1024
#define NODE_NAME_MAX 64
#define NODE_DIMMS_MAX 256
#define NODE_PORTS_MAX 64
#define NODE_COUNTERS_MAX 384 /* of all ports: each is an open file */
#define NODE_ZONES_MAX 64

/* fd -1: not open. */
struct node_file {
    int fd;
};

struct cpu_now {
    uint64_t ticks[10];
};

struct node_sensor {
    struct node_file file;
    char metric[2 * NODE_NAME_MAX];
};

struct node_job {
    char id[NODE_NAME_MAX], path[512];
    struct node_file cpu, memory, io, pids;
    uint64_t cpu_us; /* at the round before */
    bool has_cpu, is_seen;
};

struct node_dimm {
    struct node_file corrected, uncorrected;
    char label[NODE_NAME_MAX]; /* of the board, else mc0-dimm3: one word */
    size_t trend;              /* in trends; SIZE_MAX: it has none yet */
    bool is_observed;          /* since the agent was started */
};

/* Of InfiniBand. */
struct node_port {
    char name[NODE_NAME_MAX]; /* mlx5_0:1 */
    struct node_file lid;
    bool is_on; /* in this round */
};

struct node_counter {
    struct node_file file;
    char metric[NODE_NAME_MAX];
    const char *unit;
    double scale;
    size_t port;
};

struct node_device {
    char name[NODE_NAME_MAX];
    uint64_t counters[17];
    bool has_counters;
};

struct node_sources {
    char root[512];
    unsigned wanted;
    struct node_file load, stat, meminfo, vmstat, pressure[3], network, disks;
    struct cpu_now *cpus; /* 0: all of them together */
    size_t cpu_count;
    struct node_device *devices; /* disks */
    size_t device_count;
    struct node_sensor *sensors;
    size_t sensor_count;
    struct node_job *jobs;
    size_t job_count;
    struct node_dimm *dimms;
    size_t dimm_count;
    struct node_port *ports;
    size_t port_count, ports_left_out;
    struct node_counter *counters; /* of the ports */
    size_t counter_count, counters_left_out;
    int64_t ports_searched_ns;
    struct node_energy *energy, *own_energy; /* own: or NULL */
    int64_t dimms_reset_s; /* at dimms_boot_ns: so long they counted; -1: not known */
    int64_t dimms_boot_ns; /* of the clock that is never set */
    struct error_trends trends;
    struct error_trend_rule trend_rule;
    bool has_news;             /* of trends: that should be stored soon */
    int64_t trends_printed_ns; /* 0: never */
    int64_t before_ns;         /* the round before; 0: none */
    double elapsed_s;
    char *text; /* grown to the longest file */
    size_t text_capacity;
    node_value_fn *fn;
    node_health_fn *health_fn; /* NULL: none */
    void *arg;
    int64_t now_ns; /* of the round */
};

/* What reads nothing by itself; NULL: there is no memory. */
struct node_sources *node_reader_new(const char *root);
void node_reader_free(struct node_sources *s);
DEFINE_AUTO(struct node_sources, node_reader_free);
/* root + path; fd stays -1 where it is not there. */
void node_file_open(const struct node_sources *s, struct node_file *file,
                    const char *path);
void node_file_close(struct node_file *file);
/* All of it now; empty where it cannot be read.  Valid until the next read. */
struct span node_file_read(struct node_sources *s, const struct node_file *file);

void node_emit(const struct node_sources *s, const char *metric, const char *unit,
               double value);
/* Of a device: stype is what it is. */
void node_emit_of(const struct node_sources *s, const char *metric, const char *unit,
                  double value, const char *stype, struct span stype_id);
/* The next word of a line, blanks skipped; empty at its end. */
struct span node_word(struct span *line);
bool node_number(struct span *line, uint64_t *ret);

void node_read_kernel(struct node_sources *s); /* load, vmstat, pressure, memory */
void node_read_cpu(struct node_sources *s);
void node_read_devices(struct node_sources *s); /* network, disks */
void node_text_of(struct node_sources *s, const char *path, char out[NODE_NAME_MAX]);
void node_find_sensors(struct node_sources *s);
void node_read_sensors(struct node_sources *s);
void node_read_jobs(struct node_sources *s);
void node_find_dimms(struct node_sources *s);
void node_read_dimms(struct node_sources *s);
void node_free_dimms(struct node_sources *s);
void node_find_ports(struct node_sources *s);
void node_read_ports(struct node_sources *s);
void node_free_ports(struct node_sources *s);
void node_read_energy(struct node_sources *s);
/* Whether there are zones that cannot be read; out: a line about them. */
bool node_energy_unread(const struct node_energy *energy, char *out, size_t size);

#endif
