-- load.lua: one operation over many requests, for wrk: wrk … -s load.lua URL -- OPERATION PATH BODY_FILE [once]
-- The file holds one request body a line; requests are built once, so that the client costs as little as it can. They
-- are sent in turn, over and over; or once each, and then the load ends.
-- Prints, last: requests, bytes received, duration, p50, p99 and p99.9 in microseconds, answers from 400 up, other
-- errors.

local ffi = require("ffi")
ffi.cdef("typedef struct { long s, ns; } bench_time; int clock_gettime(int clock, bench_time *now);")

local requests = {}
local next_request = 0
local is_once
local the_thread -- of wrk's main state; the others belong to its one thread

function setup(thread)
    the_thread = thread
end

local function now_us()
    local now = ffi.new("bench_time")
    ffi.C.clock_gettime(1, now)
    return tonumber(now.s) * 1e6 + tonumber(now.ns) / 1e3
end

function init(args)
    local operation, path = args[1], args[2]
    local headers = {
        ["Content-Type"] = "application/x-amz-json-1.0",
        ["X-Amz-Target"] = "DynamoDB_20120810." .. operation,
        ["X-Amz-Date"] = "20260101T000000Z",
        ["Authorization"] = "AWS4-HMAC-SHA256 Credential=AKIDBENCH/20260101/us-east-1/dynamodb/aws4_request, "
            .. "SignedHeaders=content-type;host;x-amz-date;x-amz-target, Signature=" .. string.rep("0", 64),
    }
    for body in io.lines(args[3]) do
        requests[#requests + 1] = wrk.format("POST", path, headers, body)
    end
    is_once = args[4] == "once"
    started_us = now_us()
end

function request()
    next_request = next_request + 1
    if next_request > #requests then
        if is_once then
            ended_us = ended_us or now_us()
            wrk.thread:stop()
        end
        next_request = 1
    end
    return requests[next_request]
end

function done(summary, latency)
    local errors = summary.errors
    local ended = the_thread:get("ended_us")
    local duration = ended and ended - the_thread:get("started_us") or summary.duration
    print(string.format("RESULT %d %d %d %d %d %d %d %d", summary.requests, summary.bytes, duration,
        latency:percentile(50), latency:percentile(99), latency:percentile(99.9), errors.status,
        errors.connect + errors.read + errors.write + errors.timeout))
end
