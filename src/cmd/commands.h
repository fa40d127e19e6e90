/* SPDX-License-Identifier: Apache-2.0 */
/* commands - the one table of baro's subcommands, one file each. */
#ifndef CMD_COMMANDS_H
#define CMD_COMMANDS_H

#include "base/options.h"

/* In the order of their words: X(name) is the struct command cmd_name. */
#define COMMAND_TABLE(X)      \
    X(analyze_bad_ost)        \
    X(analyze_clock)          \
    X(climate_contributors)   \
    X(climate_correlate)      \
    X(climate_floor)          \
    X(climate_map)            \
    X(climate_regions)        \
    X(climate_scoreboard)     \
    X(climate_show)           \
    X(climate_study)          \
    X(climate_umami)          \
    X(config_grafana)         \
    X(config_sample)          \
    X(darshan_show)           \
    X(dataset_access)         \
    X(dataset_create)         \
    X(dataset_diff)           \
    X(dataset_doctor)         \
    X(dataset_export)         \
    X(dataset_fsck)           \
    X(dataset_gc)             \
    X(dataset_import)         \
    X(dataset_list)           \
    X(dataset_profile)        \
    X(dataset_pull)           \
    X(dataset_push)           \
    X(dataset_ref)            \
    X(dataset_run)            \
    X(dataset_show)           \
    X(dataset_stats)          \
    X(dataset_tag)            \
    X(dataset_unref)          \
    X(dataset_update)         \
    X(dataset_verify)         \
    X(dataset_view)           \
    X(dataset_where)          \
    X(event_list)             \
    X(event_publish)          \
    X(gpfs_record)            \
    X(health_record)          \
    X(health_show)            \
    X(job_comment)            \
    X(job_diff)               \
    X(job_findings)           \
    X(job_import)             \
    X(job_list)               \
    X(job_show)               \
    X(job_slice)              \
    X(job_summarize)          \
    X(jobstats_capture)       \
    X(jobstats_job)           \
    X(jobstats_namespace_new) \
    X(jobstats_parse)         \
    X(jobstats_rates)         \
    X(jobstats_replay)        \
    X(jobstats_series)        \
    X(jobstats_series_id)     \
    X(jobstats_top)           \
    X(lustre_stats)           \
    X(metric_list)            \
    X(metric_parse)           \
    X(metric_plot)            \
    X(metric_put)             \
    X(metric_query)           \
    X(metric_top)             \
    X(node)                   \
    X(node_top)               \
    X(plugin_bench)           \
    X(plugin_list)            \
    X(plugin_show)            \
    X(plugin_test)            \
    X(records_copy)           \
    X(records_migrate)        \
    X(records_verify)         \
    X(resource_act)           \
    X(resource_check)         \
    X(resource_drain)         \
    X(resource_history)       \
    X(resource_inventory)     \
    X(resource_list)          \
    X(resource_report)        \
    X(resource_resume)        \
    X(resource_show)          \
    X(resource_watch)         \
    X(series_archive)         \
    X(series_show)            \
    X(session_keygen)         \
    X(session_list)           \
    X(session_nodes)          \
    X(session_run)            \
    X(session_show)           \
    X(session_start)          \
    X(session_stop)           \
    X(space)                  \
    X(stats)                  \
    X(store_config_import)    \
    X(store_export)           \
    X(store_free)             \
    X(store_import)           \
    X(store_shadow)           \
    X(store_status)           \
    X(store_verify)           \
    X(token_key_new)          \
    X(token_list)             \
    X(token_new)              \
    X(token_show)             \
    X(top)                    \
    X(weather)

#define X(name) extern const struct command cmd_##name;
COMMAND_TABLE(X)
#undef X

#endif
