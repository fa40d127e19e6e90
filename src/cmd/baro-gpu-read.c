/* SPDX-License-Identifier: Apache-2.0 */
/* baro-gpu-read - the one program that opens NVML: it prints what the library reports
 * of each GPU, once for each line that it reads, and ends with its input. */
#include "base/options.h"
#include "base/terminal/terminal.h"
#include "source/gpu/gpu.h"

struct args {
    const char *library;
};

static int gpu_read_run(void *opts, int operand_count, char **operands)
{
    const struct args *args = opts;
    (void)operands;
    if (operand_count > 0) {
        (void)fputs("baro-gpu-read: no operand is expected\n", stderr);
        return EXIT_USAGE;
    }
    int rc = gpu_serve(args->library ? args->library : GPU_LIBRARY);
    /* No more than that: an end of the library may hang, too. */
    _exit(rc < 0 ? EXIT_FAILED : EXIT_OK);
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        { "library", 0, OPTION_TEXT, offsetof(struct args, library), "FILE",
          "Open FILE instead of " GPU_LIBRARY "." },
    };
    static const struct command command = {
        .name = "baro-gpu-read",
        .operands = "",
        .help = "Print what NVIDIA's management library reports of this node's GPUs.",
        .options = options,
        .option_count = COUNT_OF(options),
        .args_size = sizeof(struct args),
        .run = gpu_read_run,
        .prints_data = true,
        .details = "Reads lines \"read NUMBER\"; prints for each one line a value and "
                   "\"end NUMBER\".",
    };
    if (terminal_start("baro-gpu-read") < 0)
        return EXIT_FAILED;
    return options_main(&command, argc, argv);
}
