/* SPDX-License-Identifier: Apache-2.0 */
/* resource - what a check of hosts costs a barod: from the set of hosts to the JSON.
 *
 * 10,000 hosts in 200 chassis, 9 parts each: 100,200 components with 3 sources of each
 * host; 1 % of the hosts are down or drained, 1 % have a bad part.
 */
#include "api/resource/resource_tables.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define HOSTS 10000
#define PARTS 9
#define CHECKS 2000
#define CHANGES 20000

static struct resource_statement *statements; /* for as long as the program */
static int64_t now_ns = INT64_C(1800000000) * NS_PER_S;

static struct resource_statement stated(const char *component, const char *source,
                                        enum resource_health health)
{
    now_ns += NS_PER_MS;
    return (struct resource_statement){
        .component = span_of(component),
        .source = span_of(source),
        .by = SPAN("a0001"),
        .reason = SPAN("ping: no response for 30 s at 2026-11-21T06:00:00Z"),
        .health = health,
        .t_ns = now_ns
    };
}

static enum resource_health health_of(int host)
{
    if (host % 200 == 7)
        return RESOURCE_DOWN;
    return RESOURCE_UP;
}

/* Statements about everything; their texts are never freed. */
static struct resource_statement *all(size_t *ret_count)
{
    size_t count = 0;
    struct resource_statement *s = calloc((size_t)HOSTS * (PARTS + 4), sizeof *s);
    for (int h = 0; h < HOSTS; h++) {
        char *host, *part;
        if (asprintf(&host, "alex/a%05d", h) < 0)
            abort();
        s[count++] = stated(host, "system:ping", health_of(h));
        s[count++] = stated(host, "system:mounts", RESOURCE_UP);
        s[count++] =
            stated(host, "admin", h % 200 == 9 ? RESOURCE_DRAINED : RESOURCE_UP);
        for (int p = 0; p < PARTS; p++) {
            if (asprintf(&part, "%s/dimm:%d", host, p) < 0)
                abort();
            s[count++] =
                stated(part, "system:edac",
                       h % 100 == 5 && p == 3 ? RESOURCE_DEGRADED : RESOURCE_UP);
        }
    }
    *ret_count = count;
    return s;
}

static int order(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void print_times(const char *what, int64_t *ns, size_t count)
{
    qsort(ns, count, sizeof *ns, order);
    printf("%-46s p50 %7.3f ms, p99 %7.3f ms, longest %7.3f ms\n", what,
           (double)ns[count / 2] / 1e6, (double)ns[count * 99 / 100] / 1e6,
           (double)ns[count - 1] / 1e6);
}

static size_t check_once(struct resource_table *resources, const char *set)
{
    AUTO(hostset_free) struct hostset *hosts = NULL;
    AUTO(table_done) struct table table;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    table_init(&table);
    if (hostset_parse(span_of(set), &hosts, NULL) < 0 ||
        resource_table_of_check(resources, SPAN(""), hosts, false, &table) < 0)
        abort();
    table_to_json(&table, &out);
    return table.row_count;
}

/* Of this process alone: what others of the machine do does not count. */
static int64_t cpu_ns(void)
{
    return (int64_t)clock() * (NS_PER_S / CLOCKS_PER_SEC);
}

static void check_many(struct resource_table *resources, const char *what,
                       const char *set)
{
    static int64_t ns[CHECKS], cpu[CHECKS];
    size_t rows = 0;
    for (size_t i = 0; i < CHECKS; i++) {
        int64_t begin = clock_monotonic_ns(), cpu_begin = cpu_ns();
        rows = check_once(resources, set);
        ns[i] = clock_monotonic_ns() - begin;
        cpu[i] = cpu_ns() - cpu_begin;
    }
    char text[96];
    (void)snprintf(text, sizeof text, "%s: %zu not to be used", what, rows);
    print_times(text, ns, CHECKS);
    print_times("    of CPU", cpu, CHECKS);
}

static void change_many(struct resource_table *resources)
{
    static int64_t ns[CHANGES];
    for (size_t i = 0; i < CHANGES; i++) {
        char component[64];
        (void)snprintf(component, sizeof component, "alex/a%05zu/dimm:1", i % HOSTS);
        const struct resource_statement s = stated(
            component, "system:edac", i < HOSTS ? RESOURCE_DEGRADED : RESOURCE_UP);
        int64_t begin = clock_monotonic_ns();
        if (resource_table_apply(resources, &s, 1, now_ns) < 0)
            abort();
        ns[i] = clock_monotonic_ns() - begin;
    }
    print_times("a change of a part, up to its host", ns, CHANGES);
}

int main(void)
{
    AUTO(config_free) struct config *config = NULL;
    AUTO(resource_rules_free) struct resource_rules *rules = NULL;
    AUTO(resource_table_free) struct resource_table *resources = NULL;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    const struct config_section sections[] = { resource_config_section,
                                               enclosure_config_section };
    struct err err = { 0 };
    strbuf_adds(&text, "[resource]\nhost = alex/a[00000-09999]\n");
    for (int c = 0; c < HOSTS / 50; c++)
        strbuf_addf(&text, "[enclosure c%03d]\ncluster = alex\nmember = a[%05d-%05d]\n",
                    c, c * 50, c * 50 + 49);
    size_t count, before = mallinfo2().uordblks;
    statements = all(&count);
    size_t given = mallinfo2().uordblks - before;
    if (config_parse("bench", strbuf_span(&text), sections, 2, &config, &err) < 0 ||
        resource_rules_new(config, &rules, &err) < 0 ||
        resource_table_new(rules, &resources, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    int64_t begin = clock_monotonic_ns();
    if (resource_table_load(resources, statements, count, now_ns) < 0)
        return 1;
    struct resource_counts counts;
    resource_table_count(resources, &counts);
    printf("%zu components, %zu statements: loaded in %.0f ms, %.0f MB\n",
           counts.components, counts.statements,
           (double)(clock_monotonic_ns() - begin) / 1e6,
           (double)(mallinfo2().uordblks - before - given) / 1e6);
    check_many(resources, "check of 10,000 hosts", "a[00000-09999]");
    check_many(resources, "check of 100 hosts", "a[00000-00099]");
    check_many(resources, "check of one host", "a00007");
    change_many(resources);
    return 0;
}
