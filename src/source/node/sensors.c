/* SPDX-License-Identifier: Apache-2.0 */
/* sensors - temperatures of a node, by hwmon; found once, read in each round. */
#include "source/node/node_private.h"

#include "base/number.h"
#include "base/span.h"

#include <ctype.h>
#include <glob.h>
#include <stdio.h>

/* "coretemp" and "Package id 0" are temp_package_id_0; others have both names. */
static void sensor_name(const char *chip, const char *label, char *out, size_t size)
{
    bool is_core = strcmp(chip, "coretemp") == 0 && *label;
    (void)snprintf(out, size, "%s%s%s", is_core ? "temp_" : chip,
                   *label && !is_core && *chip ? "_" : "", label);
    for (char *c = out; *c; c++)
        *c = isalnum((unsigned char)*c) ? (char)tolower((unsigned char)*c) : '_';
    if (!strstr(out, "temp")) {
        size_t length = strnlen(out, size - 6);
        memmove(out + 5, out, length);
        memcpy(out, "temp_", 5);
        out[5 + length] = '\0';
    }
}

static void sensor_add(struct node_sources *s, const char *input)
{
    char path[512], chip[NODE_NAME_MAX], label[NODE_NAME_MAX];
    struct node_sensor sensor = { .file = { -1 } };
    const char *slash = strrchr(input, '/'), *end = strstr(slash, "_input");
    (void)snprintf(path, sizeof path, "%.*s/name", (int)(slash - input), input);
    node_text_of(s, path, chip);
    (void)snprintf(path, sizeof path, "%.*s_label", (int)(end - input), input);
    node_text_of(s, path, label);
    if (!*chip && !*label)
        return;
    sensor_name(chip, label, sensor.metric, sizeof sensor.metric);
    node_file_open(s, &sensor.file, input);
    struct node_sensor *grown =
        reallocarray(s->sensors, s->sensor_count + 1, sizeof *grown);
    if (!grown || sensor.file.fd < 0) {
        s->sensors = grown ? grown : s->sensors;
        node_file_close(&sensor.file);
        return;
    }
    s->sensors = grown;
    s->sensors[s->sensor_count++] = sensor;
}

void node_find_sensors(struct node_sources *s)
{
    char pattern[600];
    glob_t found = { 0 };
    size_t skip = strlen(s->root);
    (void)snprintf(pattern, sizeof pattern, "%s/sys/class/hwmon/*/temp*_input",
                   s->root);
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc && s->sensor_count < NODE_SENSORS_MAX;
             i++)
            sensor_add(s, found.gl_pathv[i] + skip);
    globfree(&found);
}

void node_read_sensors(struct node_sources *s)
{
    for (size_t i = 0; i < s->sensor_count; i++) {
        int64_t thousandths;
        if (number_parse_i64(span_trim(node_file_read(s, &s->sensors[i].file)),
                             &thousandths) == 0)
            node_emit(s, s->sensors[i].metric, "degC", (double)thousandths / 1000);
    }
}
