/* SPDX-License-Identifier: Apache-2.0 */
/* journal - what was read from the simulated servers, line by line in
 * DIR/journal. */
#include "journal.h"

#include "base/file.h"
#include "base/number.h"
#include "base/span.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define JOURNAL_BYTES_MAX (1u << 30)

static int add_line(const struct sim *sim, const char *line, int size)
{
    char path[PATH_MAX + 16];
    (void)snprintf(path, sizeof path, "%s/journal", sim->dir);
    AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    return fd < 0 ? -errno : file_write_all(fd, line, (size_t)size);
}

int sim_journal_add_dump(const struct sim *sim, int64_t t_ns, size_t server,
                         const struct sim_target *target, size_t entries)
{
    char line[256];
    int n = snprintf(line, sizeof line, "dump %" PRId64 " %s %d %s %zu\n", t_ns,
                     sim->servers[server], (int)getppid(), target->name, entries);
    return add_line(sim, line, n);
}

int sim_journal_add(const struct sim *sim, int64_t t_ns, size_t server,
                    const char *word)
{
    char line[256];
    int n = snprintf(line, sizeof line, "%s %" PRId64 " %s %d\n", word, t_ns,
                     sim->servers[server], (int)getppid());
    return add_line(sim, line, n);
}

static int line_parse(const struct sim *sim, struct span line, struct sim_look *ret)
{
    struct span f[7];
    for (size_t i = 0; i < COUNT_OF(f); i++)
        (void)span_cut(&line, ' ', &f[i]);
    bool is_dump = span_is(f[0], "dump");
    ret->is_list = span_is(f[0], "list");
    AUTO_FREE char *server = span_dup(f[2]);
    AUTO_FREE char *target = span_dup(f[4]);
    if (!server || !target)
        return -ENOMEM;
    int s = sim_find_server(sim, server);
    int t = is_dump ? sim_find_target(sim, target) : 0;
    if ((!is_dump && !ret->is_list && !span_is(f[0], "look")) || s < 0 || t < 0 ||
        number_parse_i64(f[1], &ret->t_ns) < 0 || number_parse_i64(f[3], &ret->pid) < 0)
        return -EBADMSG;
    ret->asked_ns = ret->t_ns;
    if (f[6].size && number_parse_i64(f[6], &ret->asked_ns) < 0)
        return -EBADMSG;
    ret->server = (size_t)s;
    ret->target = is_dump ? &sim->targets[t] : NULL;
    return 0;
}

static int compare_times(const void *a, const void *b)
{
    const struct sim_look *x = a, *y = b;
    if (x->t_ns != y->t_ns)
        return x->t_ns < y->t_ns ? -1 : 1;
    return x < y ? -1 : x > y; /* qsort of glibc merges: the file's order holds */
}

int sim_journal_read(const struct sim *sim, const char *path, struct sim_look **ret,
                     size_t *ret_count, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    int rc = file_read(path, JOURNAL_BYTES_MAX, &text, err);
    if (rc < 0)
        return rc;
    AUTO_FREE struct sim_look *looks = calloc(text.size / 8 + 1, sizeof *looks);
    if (!looks)
        return -ENOMEM;
    struct span rest = strbuf_span(&text), line;
    size_t count = 0;
    while (rest.size) {
        (void)span_cut(&rest, '\n', &line);
        if (line.size == 0)
            continue;
        rc = line_parse(sim, line, &looks[count]);
        if (rc < 0)
            return err_set(err, -rc, "%s: '" SPAN_FMT "'", path, SPAN_ARG(line));
        count++;
    }
    qsort(looks, count, sizeof *looks, compare_times);
    *ret = TAKE(looks);
    *ret_count = count;
    return 0;
}
