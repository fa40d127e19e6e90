/* SPDX-License-Identifier: Apache-2.0 */
/* baro-dataset-nbd - a dataset as an NBD device of the kernel, whose server may end. */
#include "base/log.h"
#include "base/options.h"
#include "dataset/device/held_device.h"

#include <stddef.h>

#define DEVICE_MAX 1023U

struct device_args {
    const char *root, *dataset, *socket, *status, *name;
    uint64_t index;
};

static int device_main(void *arg, int operand_count, char **operands)
{
    const struct device_args *args = arg;
    struct err err = { "" };
    if (operand_count < 1 || !args->dataset || args->index > DEVICE_MAX) {
        log_error(
            "wanted: --dataset DATASET, a device up to %u, and the server's command",
            DEVICE_MAX);
        return EXIT_USAGE;
    }
    struct held_device_opts opts = { .root = args->root ? args->root : "/",
                                     .dataset = args->dataset,
                                     .socket =
                                         args->socket ? args->socket : "/nbd.sock",
                                     .status = args->status,
                                     .index = (uint32_t)args->index,
                                     .argv = operands,
                                     .argc = (size_t)operand_count,
                                     .name = args->name ? args->name : operands[0] };
    (void)held_device_run(&opts, &err);
    log_error("the dataset '%s' is not /dev/nbd%u: %s", opts.dataset, opts.index,
              err.text);
    return EXIT_FAILED;
}

#define DEVICE_OPTION(member) offsetof(struct device_args, member)

static const struct option device_options[] = {
    { "dataset", 0, OPTION_TEXT, DEVICE_OPTION(dataset), "DATASET",
      "The dataset: its 64 digits, or a tag, which is resolved once." },
    { "device", 0, OPTION_COUNT, DEVICE_OPTION(index), "N", "Connect /dev/nbdN (0)." },
    { "name", 0, OPTION_TEXT, DEVICE_OPTION(name), "NAME",
      "What the server is called in lists of processes." },
    { "root", 0, OPTION_TEXT, DEVICE_OPTION(root), "DIR",
      "Have DIR as the root directory: the server is executed from it." },
    { "socket", 0, OPTION_TEXT, DEVICE_OPTION(socket), "PATH",
      "Where the server listens for NBD, in DIR (/nbd.sock)." },
    { "status", 0, OPTION_TEXT, DEVICE_OPTION(status), "FILE",
      "Write the connection's state and counters to FILE." },
};

int main(int argc, char **argv)
{
    static const struct command command = {
        .name = "baro-dataset-nbd",
        .operands = "PROGRAM ARGUMENT...",
        .help =
            "Connect the kernel's NBD device to a server, and again when it has ended.",
        .options = device_options,
        .option_count = COUNT_OF(device_options),
        .args_size = sizeof(struct device_args),
        .run = device_main,
        .details = "PROGRAM is baro-datasetd with its options, behind --.",
    };
    log_start("baro-dataset-nbd");
    return options_main(&command, argc, argv);
}
