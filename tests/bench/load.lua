-- load.lua: one operation over many requests in turn, for wrk: wrk … -s load.lua URL -- OPERATION PATH BODY_FILE
-- The file holds one request body a line; requests are built once, so that the client costs as little as it can.
-- Prints, last: requests, bytes received, duration, p50, p99 and p99.9 in microseconds, answers from 400 up, other errors.

local requests = {}
local next_request = 0

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
end

function request()
    next_request = next_request % #requests + 1
    return requests[next_request]
end

function done(summary, latency)
    local errors = summary.errors
    print(string.format("RESULT %d %d %d %d %d %d %d %d", summary.requests, summary.bytes, summary.duration,
        latency:percentile(50), latency:percentile(99), latency:percentile(99.9), errors.status,
        errors.connect + errors.read + errors.write + errors.timeout))
end
