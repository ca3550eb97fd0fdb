-- growth.lua: one operation on random items of random tables, for wrk: wrk … -s growth.lua URL -- OPERATION FILE TABLES ITEMS
-- Each line of the file is a request body with the places of three numbers: table, partition key and sort key, always of
-- the same widths. They are filled in at each request: a fixed set of requests would show the processor's caches instead.
-- Prints, last: requests, answers that were no success or did not come.

local items_per_key = 10
local templates = {}
local tables, items

function init(args)
    tables, items = tonumber(args[3]), tonumber(args[4])
    local headers = {
        ["Content-Type"] = "application/x-amz-json-1.0",
        ["X-Amz-Target"] = "DynamoDB_20120810." .. args[1],
        ["X-Amz-Date"] = "20260101T000000Z",
        ["Authorization"] = "AWS4-HMAC-SHA256 Credential=AKIDBENCH/20260101/us-east-1/dynamodb/aws4_request, "
            .. "SignedHeaders=content-type;host;x-amz-date;x-amz-target, Signature=" .. string.rep("0", 64),
    }
    math.randomseed(1)
    for body in io.lines(args[2]) do
        local whole = wrk.format("POST", "/", headers, string.format(body, 0, 0, 0))
        local head = whole:sub(1, whole:find("\r\n\r\n", 1, true) + 3)
        templates[#templates + 1] = head .. body
    end
end

function request()
    local item = math.random(items) - 1
    return string.format(templates[math.random(#templates)], math.random(tables) - 1,
        math.floor(item / items_per_key), item % items_per_key)
end

function done(summary)
    local errors = summary.errors
    print(string.format("RESULT %d %d", summary.requests,
        errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
