/* SPDX-License-Identifier: Apache-2.0 */
/* summary_columns - the columns of a summary: name, type, unit and what they are of.
 *
 * The one list: the model takes names and types out of it (databases, lines, CSV), and
 * analysis/job the members of struct job_context that the values lie in.  The order is
 * that in which they are printed.  A new column is one line at the end, and one in
 * doc/formats/job-summary.md; databases grow by it when a program opens them.
 *
 *     X(name, type, unit, member)     type   TEXT, I64 or DOUBLE
 *                                     unit   of the column; "time" is Unix seconds
 *                                     member in struct job_context; of bytes where the
 *                                            unit is GiB or GiB/s
 *
 * Names are those of TOKIO's summarize_job, where it has the column.
 */
#ifndef MODEL_SUMMARY_COLUMNS_H
#define MODEL_SUMMARY_COLUMNS_H

/* clang-format off */
/* A counter of POSIX over the records of all files. */
#define SUMMARY_POSIX(X, word, WORD, unit)                                             \
    X(darshan_tot_##word##_posix, DOUBLE, unit, facts.posix[JOB_POSIX_##WORD].total)   \
    X(darshan_ave_##word##_posix, DOUBLE, unit, facts.posix[JOB_POSIX_##WORD].mean)    \
    X(darshan_min_##word##_posix, DOUBLE, unit, facts.posix[JOB_POSIX_##WORD].min)     \
    X(darshan_max_##word##_posix, DOUBLE, unit, facts.posix[JOB_POSIX_##WORD].max)     \
    X(darshan_num_##word##_posix, I64, "", facts.posix[JOB_POSIX_##WORD].records)

/* Where most bytes of one direction went through. */
#define SUMMARY_BIGGEST(X, direction)                                                  \
    X(darshan_biggest_##direction##_api, TEXT, "", facts.direction.api)                \
    X(darshan_biggest_##direction##_fs, TEXT, "", facts.direction.fs)                  \
    X(darshan_biggest_##direction##_api_bytes, I64, "B", facts.direction.api_bytes)    \
    X(darshan_biggest_##direction##_api_files, I64, "", facts.direction.api_files)     \
    X(darshan_biggest_##direction##_fs_bytes, I64, "B", facts.direction.fs_bytes)

/* What servers counted in the job's window. */
#define SUMMARY_FLOW(X, word, unit, MEASURE)                                           \
    X(fs_tot_##word, DOUBLE, unit, weather.flows[LMT_##MEASURE].total)                 \
    X(fs_ave_##word##_per_sec, DOUBLE, unit "/s", weather.flows[LMT_##MEASURE].average)\
    X(fs_max_##word##_per_sec, DOUBLE, unit "/s", weather.flows[LMT_##MEASURE].max)    \
    X(fs_min_##word##_per_sec, DOUBLE, unit "/s", weather.flows[LMT_##MEASURE].min)

#define SUMMARY_LOAD(X, word)                                                          \
    X(fs_ave_##word, DOUBLE, "%", weather.word.average)                                \
    X(fs_max_##word, DOUBLE, "%", weather.word.max)

#define SUMMARY_COVERAGE(X, word)                                                      \
    X(coverage_factor_##word, DOUBLE, "", coverage.word)

/* One target at the job's start. */
#define SUMMARY_TARGET(X, word, member)                                                \
    X(fshealth_ost_##word##_id, I64, "", health.member.index)                          \
    X(fshealth_ost_##word##_kib, I64, "KiB", health.member.used_kib)                   \
    X(fshealth_ost_##word##_name, TEXT, "", health.member.name)                        \
    X(fshealth_ost_##word##_pct, DOUBLE, "%", health.member.pct)

#define SUMMARY_COLUMNS(X)                                                             \
    X(_jobid, TEXT, "", identity.id)                                                   \
    X(_file_system, TEXT, "", identity.file_system)                                    \
    X(_datetime_start, I64, "time", identity.from_s)                                   \
    X(_datetime_end, I64, "time", identity.to_s)                                       \
    X(_log, TEXT, "", identity.log)                                                    \
    X(darshan_app, TEXT, "", facts.app)                                                \
    X(darshan_jobid, TEXT, "", facts.jobid)                                            \
    X(darshan_nprocs, I64, "", facts.nprocs)                                           \
    X(darshan_start_time, I64, "time", facts.start_s)                                  \
    X(darshan_end_time, I64, "time", facts.end_s)                                      \
    X(darshan_walltime, DOUBLE, "s", facts.walltime_s)                                 \
    X(darshan_agg_perf_by_slowest_posix, DOUBLE, "MiB/s", facts.posix_mib_per_s)       \
    X(darshan_io_time, DOUBLE, "s", facts.posix_io_s)                                  \
    X(darshan_total_gibs_posix, DOUBLE, "GiB", facts.posix_bytes)                      \
    SUMMARY_POSIX(X, bytes_read, BYTES_READ, "B")                                      \
    SUMMARY_POSIX(X, bytes_written, BYTES_WRITTEN, "B")                                \
    SUMMARY_POSIX(X, f_meta_time, F_META_TIME, "s")                                    \
    SUMMARY_POSIX(X, f_read_time, F_READ_TIME, "s")                                    \
    SUMMARY_POSIX(X, f_write_time, F_WRITE_TIME, "s")                                  \
    SUMMARY_POSIX(X, file_not_aligned, FILE_NOT_ALIGNED, "")                           \
    SUMMARY_POSIX(X, mem_not_aligned, MEM_NOT_ALIGNED, "")                             \
    SUMMARY_POSIX(X, opens, OPENS, "")                                                 \
    SUMMARY_POSIX(X, reads, READS, "")                                                 \
    SUMMARY_POSIX(X, seq_reads, SEQ_READS, "")                                         \
    SUMMARY_POSIX(X, seq_writes, SEQ_WRITES, "")                                       \
    SUMMARY_POSIX(X, stats, STATS, "")                                                 \
    SUMMARY_POSIX(X, writes, WRITES, "")                                               \
    SUMMARY_BIGGEST(X, read)                                                           \
    SUMMARY_BIGGEST(X, write)                                                          \
    X(darshan_is_damaged, I64, "", facts.is_damaged)                                   \
    SUMMARY_FLOW(X, bytes_read, "B", READ_BYTES)                                       \
    SUMMARY_FLOW(X, gibs_read, "GiB", READ_BYTES)                                      \
    SUMMARY_FLOW(X, bytes_written, "B", WRITE_BYTES)                                   \
    SUMMARY_FLOW(X, gibs_written, "GiB", WRITE_BYTES)                                  \
    X(fs_frac_zero_read, DOUBLE, "", weather.flows[LMT_READ_BYTES].zero_fraction)      \
    X(fs_frac_zero_written, DOUBLE, "", weather.flows[LMT_WRITE_BYTES].zero_fraction)  \
    X(fs_frac_missing, DOUBLE, "", weather.missing_fraction)                           \
    SUMMARY_LOAD(X, oss_cpu)                                                           \
    SUMMARY_LOAD(X, mds_cpu)                                                           \
    SUMMARY_FLOW(X, open_ops, "", OPENS)                                               \
    SUMMARY_FLOW(X, close_ops, "", CLOSES)                                             \
    SUMMARY_FLOW(X, mknod_ops, "", MKNODS)                                             \
    SUMMARY_FLOW(X, link_ops, "", LINKS)                                               \
    SUMMARY_FLOW(X, unlink_ops, "", UNLINKS)                                           \
    SUMMARY_FLOW(X, mkdir_ops, "", MKDIRS)                                             \
    SUMMARY_FLOW(X, rmdir_ops, "", RMDIRS)                                             \
    SUMMARY_FLOW(X, rename_ops, "", RENAMES)                                           \
    SUMMARY_FLOW(X, getxattr_ops, "", GETXATTRS)                                       \
    SUMMARY_FLOW(X, statfs_ops, "", STATFSS)                                           \
    SUMMARY_FLOW(X, setattr_ops, "", SETATTRS)                                         \
    SUMMARY_FLOW(X, getattr_ops, "", GETATTRS)                                         \
    SUMMARY_FLOW(X, read_ops, "", READ_OPS)                                            \
    SUMMARY_FLOW(X, write_ops, "", WRITE_OPS)                                          \
    X(fs_window_start, I64, "time", weather.from_s)                                    \
    X(fs_window_end, I64, "time", weather.to_s)                                        \
    X(fs_timestep, I64, "s", weather.step_s)                                           \
    X(fs_source, TEXT, "", weather.source)                                             \
    X(fs_series, TEXT, "", weather.series)                                             \
    SUMMARY_COVERAGE(X, read_bw)                                                       \
    SUMMARY_COVERAGE(X, write_bw)                                                      \
    SUMMARY_COVERAGE(X, bw)                                                            \
    SUMMARY_COVERAGE(X, opens)                                                         \
    SUMMARY_COVERAGE(X, stats)                                                         \
    SUMMARY_COVERAGE(X, read_ops)                                                      \
    SUMMARY_COVERAGE(X, write_ops)                                                     \
    SUMMARY_COVERAGE(X, ops)                                                           \
    SUMMARY_COVERAGE(X, nodehrs)                                                       \
    X(coverage_broken, TEXT, "", coverage.broken)                                      \
    X(fshealth_ost_requested_timestamp, I64, "s", health.requested_s)                  \
    X(fshealth_ost_actual_timestamp, I64, "s", health.actual_s)                        \
    X(fshealth_ost_fullness_lead_secs, DOUBLE, "s", health.fullness_lead_s)            \
    X(fshealth_ost_count, I64, "", health.ost_count)                                   \
    X(fshealth_ost_avg_full_kib, I64, "KiB", health.mean_kib)                          \
    X(fshealth_ost_avg_full_pct, DOUBLE, "%", health.mean_pct)                         \
    SUMMARY_TARGET(X, most_full, fullest)                                              \
    SUMMARY_TARGET(X, least_full, emptiest)                                            \
    X(fshealth_ost_failures_lead_secs, DOUBLE, "s", health.servers_lead_s)             \
    X(fshealth_ost_overloaded_oss_count, I64, "", health.overloaded_servers)           \
    X(fshealth_ost_overloaded_ost_count, I64, "", health.overloaded_targets)           \
    X(fshealth_ost_overloaded_pct, DOUBLE, "%", health.overloaded_pct)                 \
    X(fshealth_ost_avg_overloaded_ost_per_oss, DOUBLE, "", health.targets_per_server)  \
    X(fshealth_ost_avg_overloaded_overload_factor, DOUBLE, "", health.overload_factor) \
    X(fshealth_refused, TEXT, "", health.refused)                                      \
    X(jobsdb_concurrent_jobs, I64, "", neighbours.jobs)                                \
    X(jobsdb_concurrent_nodes, I64, "", neighbours.nodes)                              \
    X(jobsdb_concurrent_nodehrs, DOUBLE, "h", neighbours.node_hours)                   \
    X(jobsdb_own_nodehrs, DOUBLE, "h", neighbours.own_node_hours)                      \
    X(jobsdb_user, TEXT, "", identity.user)                                            \
    X(topology_job_avg_radius, DOUBLE, "", topology.radius_mean)                       \
    X(topology_job_max_radius, DOUBLE, "", topology.radius_max)                        \
    X(topology_job_min_radius, DOUBLE, "", topology.radius_min)                        \
    X(topology_job_nodes, I64, "", topology.nodes)                                     \
    X(topology_job_unplaced_nodes, I64, "", topology.unplaced_nodes)                   \
    X(topology_job_io_nodes, I64, "", topology.gateways)                               \
    X(topology_job_unrouted_nodes, I64, "", topology.unrouted_nodes)                   \
    X(topology_job_io_nodes_shared, DOUBLE, "", topology.shared_fraction)              \
    X(topology_job_io_nodes_jobs, I64, "", topology.sharing_jobs)                      \
    X(topology_job_io_nodes_unknown_jobs, I64, "", topology.unplaced_jobs)             \
    X(topology_refused, TEXT, "", topology.refused)                                    \
    X(site_peak_bytes_per_sec, DOUBLE, "B/s", site.peak_bytes_per_s)                   \
    X(site_fraction_of_peak, DOUBLE, "", site.fraction_of_peak)                        \
    X(site_servers, I64, "", site.servers)                                             \
    X(site_targets, I64, "", site.targets)                                             \
    X(site_io_nodes, I64, "", site.io_nodes)                                           \
    X(site_fabric, TEXT, "", fabric.fabrics)                                           \
    X(fabric_file_systems, TEXT, "", fabric.names)                                     \
    X(fabric_tot_bytes_read, DOUBLE, "B", fabric.read)                                 \
    X(fabric_tot_bytes_written, DOUBLE, "B", fabric.written)                           \
    X(fabric_ave_bytes_per_sec, DOUBLE, "B/s", fabric.rate)                            \
    X(fabric_usual_bytes_per_sec, DOUBLE, "B/s", fabric.usual)                         \
    X(fabric_times_usual, DOUBLE, "", fabric.times)                                    \
    X(fabric_frac_missing, DOUBLE, "", fabric.missing)                                 \
    X(fabric_other_days, I64, "", fabric.days)                                         \
    X(fabric_other_days_as_much, I64, "", fabric.as_much)                              \
    X(clocks_corrected, TEXT, "", identity.clocks)                                     \
    X(fshealth_moved_count, I64, "", health.moved_count)                               \
    X(fshealth_moved_targets, TEXT, "", health.moved_targets)                          \
    X(fshealth_moved_from, TEXT, "", health.moved_from)                                \
    X(fshealth_moved_to, TEXT, "", health.moved_to)                                    \
    X(fshealth_moved_timestamp, I64, "s", health.moved_s)                              \
    X(fshealth_full_targets, TEXT, "", health.full_targets)
/* clang-format on */

#define SUMMARY_COLUMN_ONE(name, type, unit, member) +1
enum { SUMMARY_COLUMN_COUNT = 0 SUMMARY_COLUMNS(SUMMARY_COLUMN_ONE) };

#endif
