/* SPDX-License-Identifier: Apache-2.0 */
/* abc_args - the options of baro-abc, and what they mean for a campaign. */
#include "cmd/abc_args.h"

#include "base/number.h"
#include "base/span.h"

int abc_args_read(const struct abc_args *args, int64_t begin_ns, struct filesystem *fs,
                  struct plan *plan, struct campaign_opts *opts, struct err *err)
{
    double hours = 0.0;
    opts->interface = interface_find(args->io ? args->io : "posix");
    if (!opts->interface)
        return err_set(err, EINVAL, "--interface %s: this baro-abc has %s", args->io,
                       interface_names());
    int rc = campaign_form_parse(args->output, &opts->form, err);
    if (rc < 0)
        return rc;
    if (args->core_hours &&
        (number_parse_double(span_of(args->core_hours), &hours) < 0 || hours <= 0.0))
        return err_set(err, EINVAL, "--core-hours %s: it is not a number above 0",
                       args->core_hours);
    rc = filesystem_read(args->site, args->fs, opts->dir, fs, err);
    if (rc < 0)
        return rc;
    plan->processes = workers_count(opts->workers);
    plan->size_bytes = args->size_bytes;
    plan->peak_bytes_per_s = fs->peak_bytes_per_s;
    plan->measure_ns = fs->measure_ns;
    plan->file_system = fs->name;
    plan->deadline_ns = plan_deadline_ns(begin_ns, hours > 0.0 ? hours : fs->core_hours,
                                         plan->processes);
    return 0;
}

const struct option abc_options[] = {
    { "list", 'l', OPTION_FLAG, offsetof(struct abc_args, should_list), NULL,
      "Print the probes and interfaces of this build." },
    { "dir", 'd', OPTION_TEXT, offsetof(struct abc_args, dir), "DIR",
      "Where files are made, on the file system to be measured; default: here." },
    { "processes", 'n', OPTION_COUNT, offsetof(struct abc_args, processes), "COUNT",
      "Processes on this host; default: 2." },
    { "mpi", 0, OPTION_FLAG, offsetof(struct abc_args, use_mpi), NULL,
      "The processes are those that mpirun or srun started." },
    { "interface", 'i', OPTION_TEXT, offsetof(struct abc_args, io), "posix|mpiio|hdf5",
      "The I/O interface: posix (default), mpiio or hdf5, as built." },
    { "size", 's', OPTION_SIZE, offsetof(struct abc_args, size_bytes), "SIZE",
      "The bytes of each probe; default: as the site file or the probe has them." },
    { "pause", 0, OPTION_PAUSE, offsetof(struct abc_args, pause_ns), "DURATION",
      "The pause between writing and reading, for caches to empty; default: 0s." },
    { "core-hours", 0, OPTION_TEXT, offsetof(struct abc_args, core_hours), "HOURS",
      "The limit of this call; probes that cannot end in time are not begun." },
    { "site", 0, OPTION_TEXT, offsetof(struct abc_args, site), "FILE",
      "The site file: file systems and their peak rates." },
    { "file-system", 'f', OPTION_TEXT, offsetof(struct abc_args, fs), "NAME",
      "Its name in the site file and in records; default: by the path of DIR." },
    { "lfs", 0, OPTION_TEXT, offsetof(struct abc_args, lfs), "PROGRAM",
      "Stripe over all targets with it; default: lfs, where DIR is on Lustre." },
    { "lock", 0, OPTION_TEXT, offsetof(struct abc_args, lock), "PATH",
      "Lock it, a file or directory, against other calls; default: the mount point of "
      "DIR." },
    { "archive", 'a', OPTION_TEXT, offsetof(struct abc_args, archive), "DIR",
      "Store records there: YYYY/MM/DD/ID.json, and rows in runs.csv." },
    { "archive-max", 'k', OPTION_COUNT, offsetof(struct abc_args, keep), "COUNT",
      "At most so many records; default: all." },
    { "output", 'o', OPTION_TEXT, offsetof(struct abc_args, output), "table|json|csv",
      "table (default), json or csv." },
};
const size_t abc_option_count = COUNT_OF(abc_options);
