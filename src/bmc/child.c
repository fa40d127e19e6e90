/* SPDX-License-Identifier: Apache-2.0 */
/* child - a program that talks to a BMC, confined, with a deadline. */
#include "bmc/child.h"

#include "base/number.h"

#include <errno.h>

#define MESSAGE_BYTES_MAX ((size_t)4096)

int child_run(const char *const *argv, int fd, int64_t until_ns, struct strbuf *out,
              struct err *err)
{
    static const char *const environment[] = { "PATH=" BOUNDED_COMMAND_PATH, "LC_ALL=C",
                                               NULL };
    static const struct bounded_limit limits[] = {
        { RLIMIT_AS, (rlim_t)256 << 20 },
        { RLIMIT_CPU, 30 },
        { RLIMIT_FSIZE, 4096 },
        { RLIMIT_CORE, 0 },
        { RLIMIT_NOFILE, 64 },
    };
    AUTO(bounded_command_free) struct bounded_command *command = NULL;
    const struct bounded_command_opts opts = {
        .argv = argv,
        .path = BOUNDED_COMMAND_PATH,
        .environment = environment,
        .until_ns = until_ns,
        .output_bytes_max = CHILD_OUTPUT_BYTES_MAX,
        .message_bytes_max = MESSAGE_BYTES_MAX,
        .limits = limits,
        .limit_count = COUNT_OF(limits),
        .has_fd = true,
        .fd = fd,
        .ends_over_bound = true,
        .gains_nothing = true,
    };
    int rc = bounded_command_run(&opts, &command, err);
    if (rc == 0)
        rc = bounded_command_check(command, argv[0], err);
    if (rc < 0)
        return rc;
    const struct bounded_command_end *end = bounded_command_end(command);
    strbuf_add(out, end->output.data, end->output.size);
    return strbuf_error(out);
}

bool child_find(const char *program)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    return bounded_command_find(program, BOUNDED_COMMAND_PATH, &path) == 0;
}
