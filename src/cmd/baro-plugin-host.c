/* SPDX-License-Identifier: Apache-2.0 */
/* baro-plugin-host - runs the Lua plugins of one owner, with nothing but its socket.
 *
 * Started by the agent and by baro plugin, with a unix socket as descriptor 3.
 */
#include "base/number.h"
#include "base/span.h"
#include "plugin/lua/lua.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#define CPU_MS_MAX 60000

int main(int argc, char **argv)
{
    struct err err = { 0 };
    struct stat status;
    uint64_t cpu_ms = 0, memory_bytes = 0;
    uint32_t walls = 0;
    if (argc != 3 || number_parse_u64(span_of(argv[1]), &cpu_ms) < 0 || cpu_ms == 0 ||
        cpu_ms > CPU_MS_MAX || number_parse_u64(span_of(argv[2]), &memory_bytes) < 0 ||
        fstat(SANDBOX_FD, &status) < 0 || !S_ISSOCK(status.st_mode)) {
        (void)fputs("baro-plugin-host: is started by baro-agent and baro plugin\n",
                    stderr);
        return EXIT_USAGE;
    }
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    const struct sandbox_opts opts = { .memory_bytes = memory_bytes };
    int rc = serve_start_timer((unsigned)cpu_ms);
    if (rc == 0)
        rc = sandbox_enter(&opts, &walls, &err);
    if (rc < 0) {
        (void)fprintf(stderr, "baro-plugin-host: %s\n",
                      err.text[0] ? err.text : strerror(-rc));
        return EXIT_FAILED;
    }
    /* No more than that: a sanitizer's check at the end needs what was given up. */
    _exit(serve_run(SANDBOX_FD, walls) == 0 ? EXIT_OK : EXIT_FAILED);
}
