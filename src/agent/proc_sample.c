/* SPDX-License-Identifier: Apache-2.0 */
/* proc_sample - load and memory of this node, as contributions to an epoch. */
#include "agent/proc_sample.h"

#include "base/number.h"
#include "base/span.h"

#include <fcntl.h>

#define TEXT_MAX 8192
#define HIGHEST 5

static int open_below(const char *root, const char *name)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    strbuf_addf(&path, "%s/proc/%s", strcmp(root, "/") == 0 ? "" : root, name);
    return strbuf_error(&path) < 0 ? -1
                                   : open(strbuf_text(&path), O_RDONLY | O_CLOEXEC);
}

void proc_sample_open(struct proc_sample *sample, const char *root)
{
    sample->loadavg = open_below(root, "loadavg");
    sample->meminfo = open_below(root, "meminfo");
}

void proc_sample_close(struct proc_sample *sample)
{
    auto_close(&sample->loadavg);
    auto_close(&sample->meminfo);
    *sample = (struct proc_sample){ -1, -1 };
}

static struct span read_again(int fd, char buffer[static TEXT_MAX])
{
    ssize_t size = fd < 0 ? 0 : pread(fd, buffer, TEXT_MAX, 0);
    return (struct span){ buffer, size > 0 ? (size_t)size : 0 };
}

static void put_value(struct bundle *bundle, const char *name, uint32_t rank,
                      double value)
{
    static const enum reduce_kind kinds[] = { REDUCE_SUM, REDUCE_MIN, REDUCE_MAX,
                                              REDUCE_MOMENTS, REDUCE_QUANTILES };
    const struct reduce_input input = { .value = value, .rank = rank };
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        (void)bundle_put(bundle, span_of(name), kinds[i], &input);
}

static void put_load(struct span text, const char *host, uint32_t rank,
                     struct bundle *bundle)
{
    struct span first;
    double load;
    (void)span_cut(&text, ' ', &first);
    if (number_parse_double(first, &load) < 0)
        return;
    const struct reduce_input input = {
        .value = load, .rank = rank, .text = span_of(host), .limit = HIGHEST
    };
    put_value(bundle, "load_one", rank, load);
    (void)bundle_put(bundle, SPAN("load_one"), REDUCE_TOP, &input);
}

/* "MemTotal:       16305112 kB".  False: it is not such a line. */
static bool parse_kilobytes(struct span line, const char *name, double *ret)
{
    struct span key, number;
    uint64_t kilobytes;
    if (!span_cut(&line, ':', &key) || !span_is(key, name))
        return false;
    line = span_trim(line);
    (void)span_cut(&line, ' ', &number);
    if (number_parse_u64(number, &kilobytes) < 0)
        return false;
    *ret = (double)kilobytes * 1024;
    return true;
}

static void put_memory(struct span text, uint32_t rank, struct bundle *bundle)
{
    double total = -1, available = -1, memory_free = -1;
    struct span line;
    while (text.size) {
        (void)span_cut(&text, '\n', &line);
        (void)(parse_kilobytes(line, "MemTotal", &total) ||
               parse_kilobytes(line, "MemFree", &memory_free) ||
               parse_kilobytes(line, "MemAvailable", &available));
    }
    if (total >= 0)
        put_value(bundle, "mem_total", rank, total);
    if (memory_free >= 0)
        put_value(bundle, "mem_free", rank, memory_free);
    if (total >= 0 && available >= 0)
        put_value(bundle, "mem_used", rank, total - available);
}

void proc_sample_put(const struct proc_sample *sample, const char *host,
                     const struct session_instant *at, struct bundle *bundle)
{
    char buffer[TEXT_MAX];
    put_load(read_again(sample->loadavg, buffer), host, at->rank, bundle);
    put_memory(read_again(sample->meminfo, buffer), at->rank, bundle);
}
