/* SPDX-License-Identifier: Apache-2.0 */
/* cost - what a process has used so far: CPU, bytes read and written, memory. */
#include "cost.h"

#include "base/cleanup.h"
#include "base/number.h"
#include "base/span.h"

#include <inttypes.h>
#include <libpq-fe.h>
#include <stdio.h>
#include <unistd.h>

/* A file of /proc; always ends in a zero byte. */
static struct span proc_read(int64_t pid, const char *name, char *out, size_t size)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%" PRId64 "/%s", pid, name);
    AUTO_FCLOSE FILE *file = fopen(path, "re");
    size_t got = file ? fread(out, 1, size - 1, file) : 0;
    out[got] = '\0';
    return (struct span){ out, got };
}

/* The number behind "key" in lines of "key   123 unit". */
static uint64_t proc_number(struct span text, const char *key)
{
    struct span line;
    while (text.size) {
        (void)span_cut(&text, '\n', &line);
        size_t size = strlen(key);
        if (line.size <= size || memcmp(line.data, key, size) != 0)
            continue;
        struct span rest = { line.data + size, line.size - size };
        while (rest.size && (*rest.data == ' ' || *rest.data == '\t'))
            rest = (struct span){ rest.data + 1, rest.size - 1 };
        size_t digits = 0;
        while (digits < rest.size && rest.data[digits] >= '0' &&
               rest.data[digits] <= '9')
            digits++;
        uint64_t value = 0;
        (void)number_parse_u64((struct span){ rest.data, digits }, &value);
        return value;
    }
    return 0;
}

/* utime + stime: the 12th and 13th words after the name in brackets. */
static double stat_cpu_s(struct span text)
{
    const char *end = text.size ? memrchr(text.data, ')', text.size) : NULL;
    struct span rest = end ? span_of(end + 2) : (struct span){ 0 }, word;
    uint64_t ticks = 0;
    for (int i = 0; i < 13 && span_cut(&rest, ' ', &word); i++) {
        uint64_t value = 0;
        if (i >= 11 && number_parse_u64(word, &value) == 0)
            ticks += value;
    }
    return (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

struct cost cost_of(int64_t pid)
{
    struct cost cost = { 0 };
    if (pid == 0)
        return cost;
    char text[4096];
    cost.cpu_s = stat_cpu_s(proc_read(pid, "stat", text, sizeof text));
    struct span io = proc_read(pid, "io", text, sizeof text);
    cost.read_bytes = proc_number(io, "rchar:");
    cost.written_bytes = proc_number(io, "wchar:");
    cost.peak_kb = proc_number(proc_read(pid, "status", text, sizeof text), "VmHWM:");
    return cost;
}

static int64_t ask_number(const char *connection, const char *sql)
{
    int64_t number = 0;
    PGconn *pg = PQconnectdb(connection);
    PGresult *result = PQexec(pg, sql);
    if (PQresultStatus(result) == PGRES_TUPLES_OK && PQntuples(result) == 1)
        (void)number_parse_i64(span_of(PQgetvalue(result, 0, 0)), &number);
    PQclear(result);
    PQfinish(pg);
    return number;
}

int64_t cost_backend_pid(const char *connection)
{
    return ask_number(connection,
                      "SELECT pid FROM pg_stat_activity WHERE application_name = "
                      "'barograph' AND datname = current_database() AND state IS NOT "
                      "NULL ORDER BY backend_start LIMIT 1");
}

uint64_t cost_database_bytes(const char *connection)
{
    return (uint64_t)ask_number(connection,
                                "SELECT pg_database_size(current_database())");
}
