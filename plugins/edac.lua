-- SPDX-License-Identifier: Apache-2.0
-- edac: corrected and uncorrected errors of memory, by module.

plugin {
    name = "edac",
    version = "1.0",
    period = 1,
    reads = {
        "/sys/devices/system/edac/mc/mc*/dimm*/dimm_ce_count",
        "/sys/devices/system/edac/mc/mc*/dimm*/dimm_ue_count",
        "/sys/devices/system/edac/mc/mc*/dimm*/dimm_label",
    },
    metrics = {
        { "edac_corrected", "errors", "counter" },
        { "edac_uncorrected", "errors", "counter" },
    },
    events = {
        { "memory_corrected", "warning" },
        { "memory_uncorrected", "error" },
    },
    health = { "memory" },
}

local before = {}

-- What grew is an event, once; the first reading is the baseline.
local function count(path, metric, event_name)
    local now = tonumber(read(path) or "")
    if not now then return false end
    local place = path:match("/(mc%d+/%w+)/")
    local label = (read(path:gsub("[^/]*$", "dimm_label")) or ""):match("%g+") or place
    sample(metric, now, { type = "dimm", id = place })
    local grew = before[path] and now > before[path]
    if grew then
        event(event_name, label .. ": " .. (now - before[path]) .. " more, " .. now .. " in all")
    end
    before[path] = now
    return grew
end

function source()
    local is_bad = false
    for _, path in ipairs(files("*/dimm_ce_count")) do
        count(path, "edac_corrected", "memory_corrected")
    end
    for _, path in ipairs(files("*/dimm_ue_count")) do
        is_bad = count(path, "edac_uncorrected", "memory_uncorrected") or is_bad
    end
    if is_bad then
        health("memory", "degraded", "uncorrected errors")
    end
end
