-- What version 3 of the schema looked like in PostgreSQL, with two series and a row of each.
SET check_function_bodies = false;
CREATE FUNCTION series_sid(id uuid) RETURNS SETOF bigint
    LANGUAGE sql STABLE
    AS $$SELECT s.sid FROM generate_series(0, (SELECT max(sid) >> 14 FROM series)) g JOIN series s ON (s.sid >> 14) = g AND s.time_series_id = id$$;
CREATE TABLE batches (
    agent uuid NOT NULL,
    sequence bigint NOT NULL,
    arrived timestamp with time zone NOT NULL,
    taken bigint NOT NULL,
    known bigint NOT NULL,
    refused bigint NOT NULL,
    refusals text NOT NULL
);
CREATE TABLE jobstats_mdt (
    "timestamp" timestamp with time zone NOT NULL,
    sid bigint NOT NULL,
    since timestamp with time zone,
    previous timestamp with time zone,
    snapshot_time bigint,
    start_time bigint,
    open bigint,
    open_sum bigint,
    close bigint,
    close_sum bigint,
    mknod bigint,
    mknod_sum bigint,
    link bigint,
    link_sum bigint,
    unlink bigint,
    unlink_sum bigint,
    mkdir bigint,
    mkdir_sum bigint,
    rmdir bigint,
    rmdir_sum bigint,
    rename bigint,
    rename_sum bigint,
    getattr bigint,
    getattr_sum bigint,
    setattr bigint,
    setattr_sum bigint,
    getxattr bigint,
    getxattr_sum bigint,
    setxattr bigint,
    setxattr_sum bigint,
    statfs bigint,
    statfs_sum bigint,
    sync bigint,
    sync_sum bigint,
    samedir_rename bigint,
    samedir_rename_sum bigint,
    crossdir_rename bigint,
    crossdir_rename_sum bigint,
    read bigint,
    read_sum bigint,
    write bigint,
    write_sum bigint,
    punch bigint,
    punch_sum bigint,
    read_bytes bigint,
    read_bytes_sum bigint,
    write_bytes bigint,
    write_bytes_sum bigint,
    server integer,
    reset boolean,
    more text
)
PARTITION BY RANGE ("timestamp");
CREATE TABLE jobstats_ost (
    "timestamp" timestamp with time zone NOT NULL,
    sid bigint NOT NULL,
    since timestamp with time zone,
    previous timestamp with time zone,
    snapshot_time bigint,
    start_time bigint,
    getattr bigint,
    getattr_sum bigint,
    setattr bigint,
    setattr_sum bigint,
    statfs bigint,
    statfs_sum bigint,
    sync bigint,
    sync_sum bigint,
    read bigint,
    read_sum bigint,
    write bigint,
    write_sum bigint,
    punch bigint,
    punch_sum bigint,
    get_info bigint,
    get_info_sum bigint,
    set_info bigint,
    set_info_sum bigint,
    quotactl bigint,
    quotactl_sum bigint,
    read_bytes bigint,
    read_bytes_sum bigint,
    write_bytes bigint,
    write_bytes_sum bigint,
    "create" bigint,
    create_sum bigint,
    destroy bigint,
    destroy_sum bigint,
    prealloc bigint,
    prealloc_sum bigint,
    server integer,
    reset boolean,
    more text
)
PARTITION BY RANGE ("timestamp");
CREATE TABLE series (
    sid bigint NOT NULL,
    time_series_id uuid NOT NULL,
    is_login boolean NOT NULL,
    flags integer NOT NULL,
    fs text NOT NULL COLLATE "C",
    target text NOT NULL COLLATE "C",
    kind text NOT NULL COLLATE "C",
    entry_id text NOT NULL COLLATE "C",
    entry_bytes bytea,
    format text COLLATE "C",
    job_id text COLLATE "C",
    user_id text COLLATE "C",
    group_id text COLLATE "C",
    nodename text COLLATE "C",
    executable text COLLATE "C",
    pid text COLLATE "C"
);
CREATE TABLE servers (
    server integer NOT NULL,
    name text NOT NULL COLLATE "C"
);
CREATE VIEW jobstats AS
 SELECT r."timestamp" AS "time",
    r."timestamp",
    s.time_series_id,
    s.fs,
    s.target,
    s.kind,
    s.entry_id,
    s.job_id,
    s.user_id,
    s.group_id,
    s.nodename,
    s.executable,
    v.name AS server,
    r.since,
    r.previous,
    r.reset,
    r.snapshot_time,
    r.start_time,
    r.open,
    r.open_sum,
    r.close,
    r.close_sum,
    r.mknod,
    r.mknod_sum,
    r.link,
    r.link_sum,
    r.unlink,
    r.unlink_sum,
    r.mkdir,
    r.mkdir_sum,
    r.rmdir,
    r.rmdir_sum,
    r.rename,
    r.rename_sum,
    r.getattr,
    r.getattr_sum,
    r.setattr,
    r.setattr_sum,
    r.getxattr,
    r.getxattr_sum,
    r.setxattr,
    r.setxattr_sum,
    r.statfs,
    r.statfs_sum,
    r.sync,
    r.sync_sum,
    r.samedir_rename,
    r.samedir_rename_sum,
    r.crossdir_rename,
    r.crossdir_rename_sum,
    r.read,
    r.read_sum,
    r.write,
    r.write_sum,
    r.punch,
    r.punch_sum,
    NULL::bigint AS get_info,
    NULL::bigint AS get_info_sum,
    NULL::bigint AS set_info,
    NULL::bigint AS set_info_sum,
    NULL::bigint AS quotactl,
    NULL::bigint AS quotactl_sum,
    r.read_bytes,
    r.read_bytes_sum,
    r.write_bytes,
    r.write_bytes_sum,
    NULL::bigint AS "create",
    NULL::bigint AS create_sum,
    NULL::bigint AS destroy,
    NULL::bigint AS destroy_sum,
    NULL::bigint AS prealloc,
    NULL::bigint AS prealloc_sum,
    r.more
   FROM ((jobstats_mdt r
     JOIN series s USING (sid))
     LEFT JOIN servers v ON ((v.server = r.server)))
UNION ALL
 SELECT r."timestamp" AS "time",
    r."timestamp",
    s.time_series_id,
    s.fs,
    s.target,
    s.kind,
    s.entry_id,
    s.job_id,
    s.user_id,
    s.group_id,
    s.nodename,
    s.executable,
    v.name AS server,
    r.since,
    r.previous,
    r.reset,
    r.snapshot_time,
    r.start_time,
    NULL::bigint AS open,
    NULL::bigint AS open_sum,
    NULL::bigint AS close,
    NULL::bigint AS close_sum,
    NULL::bigint AS mknod,
    NULL::bigint AS mknod_sum,
    NULL::bigint AS link,
    NULL::bigint AS link_sum,
    NULL::bigint AS unlink,
    NULL::bigint AS unlink_sum,
    NULL::bigint AS mkdir,
    NULL::bigint AS mkdir_sum,
    NULL::bigint AS rmdir,
    NULL::bigint AS rmdir_sum,
    NULL::bigint AS rename,
    NULL::bigint AS rename_sum,
    r.getattr,
    r.getattr_sum,
    r.setattr,
    r.setattr_sum,
    NULL::bigint AS getxattr,
    NULL::bigint AS getxattr_sum,
    NULL::bigint AS setxattr,
    NULL::bigint AS setxattr_sum,
    r.statfs,
    r.statfs_sum,
    r.sync,
    r.sync_sum,
    NULL::bigint AS samedir_rename,
    NULL::bigint AS samedir_rename_sum,
    NULL::bigint AS crossdir_rename,
    NULL::bigint AS crossdir_rename_sum,
    r.read,
    r.read_sum,
    r.write,
    r.write_sum,
    r.punch,
    r.punch_sum,
    r.get_info,
    r.get_info_sum,
    r.set_info,
    r.set_info_sum,
    r.quotactl,
    r.quotactl_sum,
    r.read_bytes,
    r.read_bytes_sum,
    r.write_bytes,
    r.write_bytes_sum,
    r."create",
    r.create_sum,
    r.destroy,
    r.destroy_sum,
    r.prealloc,
    r.prealloc_sum,
    r.more
   FROM ((jobstats_ost r
     JOIN series s USING (sid))
     LEFT JOIN servers v ON ((v.server = r.server)));
CREATE VIEW job_activity AS
 SELECT jobstats.fs,
    jobstats.job_id,
    jobstats.user_id,
    min(jobstats."timestamp") AS first_time,
    max(jobstats."timestamp") AS last_time,
    count(DISTINCT jobstats.target) AS targets,
    count(DISTINCT jobstats.nodename) AS nodes,
    count(*) AS observations
   FROM jobstats
  GROUP BY jobstats.fs, jobstats.job_id, jobstats.user_id;
CREATE TABLE jobstats_days (
    kind text NOT NULL,
    day integer NOT NULL,
    span_ms bigint NOT NULL
);
CREATE TABLE jobstats_mdt_20261121 (
    "timestamp" timestamp with time zone NOT NULL,
    sid bigint NOT NULL,
    since timestamp with time zone,
    previous timestamp with time zone,
    snapshot_time bigint,
    start_time bigint,
    open bigint,
    open_sum bigint,
    close bigint,
    close_sum bigint,
    mknod bigint,
    mknod_sum bigint,
    link bigint,
    link_sum bigint,
    unlink bigint,
    unlink_sum bigint,
    mkdir bigint,
    mkdir_sum bigint,
    rmdir bigint,
    rmdir_sum bigint,
    rename bigint,
    rename_sum bigint,
    getattr bigint,
    getattr_sum bigint,
    setattr bigint,
    setattr_sum bigint,
    getxattr bigint,
    getxattr_sum bigint,
    setxattr bigint,
    setxattr_sum bigint,
    statfs bigint,
    statfs_sum bigint,
    sync bigint,
    sync_sum bigint,
    samedir_rename bigint,
    samedir_rename_sum bigint,
    crossdir_rename bigint,
    crossdir_rename_sum bigint,
    read bigint,
    read_sum bigint,
    write bigint,
    write_sum bigint,
    punch bigint,
    punch_sum bigint,
    read_bytes bigint,
    read_bytes_sum bigint,
    write_bytes bigint,
    write_bytes_sum bigint,
    server integer,
    reset boolean,
    more text
);
CREATE TABLE jobstats_ost_20261121 (
    "timestamp" timestamp with time zone NOT NULL,
    sid bigint NOT NULL,
    since timestamp with time zone,
    previous timestamp with time zone,
    snapshot_time bigint,
    start_time bigint,
    getattr bigint,
    getattr_sum bigint,
    setattr bigint,
    setattr_sum bigint,
    statfs bigint,
    statfs_sum bigint,
    sync bigint,
    sync_sum bigint,
    read bigint,
    read_sum bigint,
    write bigint,
    write_sum bigint,
    punch bigint,
    punch_sum bigint,
    get_info bigint,
    get_info_sum bigint,
    set_info bigint,
    set_info_sum bigint,
    quotactl bigint,
    quotactl_sum bigint,
    read_bytes bigint,
    read_bytes_sum bigint,
    write_bytes bigint,
    write_bytes_sum bigint,
    "create" bigint,
    create_sum bigint,
    destroy bigint,
    destroy_sum bigint,
    prealloc bigint,
    prealloc_sum bigint,
    server integer,
    reset boolean,
    more text
);
CREATE VIEW jobstats_series AS
 SELECT series.sid,
    series.time_series_id,
    series.fs,
    series.target,
    series.kind,
    series.entry_id,
    series.format,
    series.job_id,
    series.user_id,
    series.group_id,
    series.nodename,
    series.executable,
    series.pid,
    series.flags,
    series.is_login
   FROM series;
CREATE TABLE namespace_names (
    namespace uuid NOT NULL,
    fs text NOT NULL COLLATE "C"
);
CREATE TABLE namespaces (
    fs text NOT NULL COLLATE "C",
    format text NOT NULL COLLATE "C",
    namespace uuid NOT NULL
);
CREATE TABLE rollup_hours (
    kind text NOT NULL COLLATE "C",
    hour timestamp with time zone NOT NULL,
    is_clean boolean NOT NULL,
    changes bigint NOT NULL
);
CREATE TABLE rollup_mdt (
    hour timestamp with time zone NOT NULL,
    sid bigint NOT NULL,
    since timestamp with time zone NOT NULL,
    "timestamp" timestamp with time zone NOT NULL,
    count bigint NOT NULL,
    missing bigint,
    missing_sum bigint,
    open bigint,
    open_sum bigint,
    close bigint,
    close_sum bigint,
    mknod bigint,
    mknod_sum bigint,
    link bigint,
    link_sum bigint,
    unlink bigint,
    unlink_sum bigint,
    mkdir bigint,
    mkdir_sum bigint,
    rmdir bigint,
    rmdir_sum bigint,
    rename bigint,
    rename_sum bigint,
    getattr bigint,
    getattr_sum bigint,
    setattr bigint,
    setattr_sum bigint,
    getxattr bigint,
    getxattr_sum bigint,
    setxattr bigint,
    setxattr_sum bigint,
    statfs bigint,
    statfs_sum bigint,
    sync bigint,
    sync_sum bigint,
    samedir_rename bigint,
    samedir_rename_sum bigint,
    crossdir_rename bigint,
    crossdir_rename_sum bigint,
    read bigint,
    read_sum bigint,
    write bigint,
    write_sum bigint,
    punch bigint,
    punch_sum bigint,
    read_bytes bigint,
    read_bytes_sum bigint,
    write_bytes bigint,
    write_bytes_sum bigint,
    part integer NOT NULL,
    flags integer NOT NULL,
    server integer
);
CREATE TABLE rollup_ost (
    hour timestamp with time zone NOT NULL,
    sid bigint NOT NULL,
    since timestamp with time zone NOT NULL,
    "timestamp" timestamp with time zone NOT NULL,
    count bigint NOT NULL,
    missing bigint,
    missing_sum bigint,
    getattr bigint,
    getattr_sum bigint,
    setattr bigint,
    setattr_sum bigint,
    statfs bigint,
    statfs_sum bigint,
    sync bigint,
    sync_sum bigint,
    read bigint,
    read_sum bigint,
    write bigint,
    write_sum bigint,
    punch bigint,
    punch_sum bigint,
    get_info bigint,
    get_info_sum bigint,
    set_info bigint,
    set_info_sum bigint,
    quotactl bigint,
    quotactl_sum bigint,
    read_bytes bigint,
    read_bytes_sum bigint,
    write_bytes bigint,
    write_bytes_sum bigint,
    "create" bigint,
    create_sum bigint,
    destroy bigint,
    destroy_sum bigint,
    prealloc bigint,
    prealloc_sum bigint,
    part integer NOT NULL,
    flags integer NOT NULL,
    server integer
);
CREATE TABLE schema_version (
    version integer NOT NULL
);
ALTER TABLE series ALTER COLUMN sid ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME series_sid_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE servers ALTER COLUMN server ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME servers_server_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE ONLY jobstats_mdt ATTACH PARTITION jobstats_mdt_20261121 FOR VALUES FROM ('2026-11-21 00:00:00+00') TO ('2026-11-22 00:00:00+00');
ALTER TABLE ONLY jobstats_ost ATTACH PARTITION jobstats_ost_20261121 FOR VALUES FROM ('2026-11-21 00:00:00+00') TO ('2026-11-22 00:00:00+00');
INSERT INTO jobstats_days VALUES ('mdt', 20261121, 120000);
INSERT INTO jobstats_days VALUES ('ost', 20261121, 120000);
INSERT INTO jobstats_mdt_20261121 VALUES ('2026-11-21 00:00:00+00', 1, '2026-11-20 23:58:00+00', '2026-11-20 23:58:00+00', 1795219199012345679, NULL, 9, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, false, NULL);
INSERT INTO jobstats_ost_20261121 VALUES ('2026-11-21 00:00:00+00', 2, '2026-11-20 23:58:00+00', '2026-11-20 23:58:00+00', 1795219199012345679, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 7, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, false, NULL);
INSERT INTO namespace_names VALUES ('2e79b8a1-c4fc-45ba-9023-d16fdce6e3fe', 'scratch');
INSERT INTO namespace_names VALUES ('f31226f0-320f-414f-a7f1-ed3c500333c2', 'scratch');
INSERT INTO namespaces VALUES ('scratch', '%j:%u:%H', '2e79b8a1-c4fc-45ba-9023-d16fdce6e3fe');
INSERT INTO namespaces VALUES ('scratch', '%e.%u', 'f31226f0-320f-414f-a7f1-ed3c500333c2');
INSERT INTO schema_version VALUES (3);
INSERT INTO series VALUES (1, '1bd6f5db-c5dd-5e95-ae31-11278e081e8c', true, 0, 'scratch', 'scratch-MDT0000', 'mdt', 'bash.0', NULL, '%e.%u', 'bash.0', '0', NULL, NULL, 'bash', NULL);
INSERT INTO series VALUES (2, 'af854063-c381-585f-b551-ce0b6c4440a3', false, 0, 'scratch', 'scratch-OST0001', 'ost', '11317854:17627127:r01c01', NULL, '%j:%u:%H', '11317854', '17627127', NULL, 'r01c01', NULL, NULL);
INSERT INTO servers VALUES (1, 'oss01');
SELECT setval('series_sid_seq', 2, true);
SELECT setval('servers_server_seq', 1, true);
ALTER TABLE ONLY batches
    ADD CONSTRAINT batches_pkey PRIMARY KEY (agent, sequence);
ALTER TABLE ONLY jobstats_days
    ADD CONSTRAINT jobstats_days_pkey PRIMARY KEY (kind, day);
ALTER TABLE ONLY jobstats_mdt
    ADD CONSTRAINT jobstats_mdt_pkey PRIMARY KEY ("timestamp", sid);
ALTER TABLE ONLY jobstats_mdt_20261121
    ADD CONSTRAINT jobstats_mdt_20261121_pkey PRIMARY KEY ("timestamp", sid);
ALTER TABLE ONLY jobstats_ost
    ADD CONSTRAINT jobstats_ost_pkey PRIMARY KEY ("timestamp", sid);
ALTER TABLE ONLY jobstats_ost_20261121
    ADD CONSTRAINT jobstats_ost_20261121_pkey PRIMARY KEY ("timestamp", sid);
ALTER TABLE ONLY namespace_names
    ADD CONSTRAINT namespace_names_pkey PRIMARY KEY (namespace, fs);
ALTER TABLE ONLY namespaces
    ADD CONSTRAINT namespaces_namespace_key UNIQUE (namespace);
ALTER TABLE ONLY namespaces
    ADD CONSTRAINT namespaces_pkey PRIMARY KEY (fs, format);
ALTER TABLE ONLY rollup_hours
    ADD CONSTRAINT rollup_hours_pkey PRIMARY KEY (kind, hour);
ALTER TABLE ONLY rollup_mdt
    ADD CONSTRAINT rollup_mdt_pkey PRIMARY KEY (hour, sid, part);
ALTER TABLE ONLY rollup_ost
    ADD CONSTRAINT rollup_ost_pkey PRIMARY KEY (hour, sid, part);
ALTER TABLE ONLY series
    ADD CONSTRAINT series_pkey PRIMARY KEY (sid);
ALTER TABLE ONLY servers
    ADD CONSTRAINT servers_name_key UNIQUE (name);
ALTER TABLE ONLY servers
    ADD CONSTRAINT servers_pkey PRIMARY KEY (server);
CREATE INDEX jobstats_mdt_sid ON ONLY jobstats_mdt USING btree (sid, "timestamp");
CREATE INDEX jobstats_mdt_20261121_sid_timestamp_idx ON jobstats_mdt_20261121 USING btree (sid, "timestamp");
CREATE INDEX jobstats_ost_sid ON ONLY jobstats_ost USING btree (sid, "timestamp");
CREATE INDEX jobstats_ost_20261121_sid_timestamp_idx ON jobstats_ost_20261121 USING btree (sid, "timestamp");
CREATE INDEX rollup_mdt_sid ON rollup_mdt USING btree (sid, hour);
CREATE INDEX rollup_ost_sid ON rollup_ost USING btree (sid, hour);
CREATE UNIQUE INDEX series_entry ON series USING btree (fs, target, entry_id);
CREATE INDEX series_id ON series USING btree (((sid >> 14)), time_series_id);
CREATE INDEX series_job ON series USING btree (job_id);
CREATE INDEX series_user ON series USING btree (user_id);
ALTER INDEX jobstats_mdt_pkey ATTACH PARTITION jobstats_mdt_20261121_pkey;
ALTER INDEX jobstats_mdt_sid ATTACH PARTITION jobstats_mdt_20261121_sid_timestamp_idx;
ALTER INDEX jobstats_ost_pkey ATTACH PARTITION jobstats_ost_20261121_pkey;
ALTER INDEX jobstats_ost_sid ATTACH PARTITION jobstats_ost_20261121_sid_timestamp_idx;
