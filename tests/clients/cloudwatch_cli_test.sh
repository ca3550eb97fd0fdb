#!/usr/bin/env bash
# The diagnosis of a hot key with the AWS CLI against the server at $ENDPOINT: Contributor Insights are switched on, a key
# is written until it throttles, and CloudWatch is asked who it was. The clock stands still meanwhile, so that every
# figure is exact. Last line: "N passed, N failed".
set -u
export AWS_MAX_ATTEMPTS=1
passed=0
failed=0
db() { /usr/bin/aws dynamodb --endpoint-url "$ENDPOINT" --no-cli-pager --output text "$@" 2>&1; }
watch() { /usr/bin/aws cloudwatch --endpoint-url "$ENDPOINT" --no-cli-pager --output text "$@" 2>&1; }
control() { curl -sS -X "$1" "$ENDPOINT/_thermodyn$2" -d "$3"; }

# expect CLAIM WANTED COMMAND…: the command's output is the wanted text, tabs being blanks.
expect() {
    local claim=$1 wanted=$2 got
    shift 2
    got=$("$@" | tr '\t\n' '  ' | sed 's/ *$//')
    if [[ $got == "$wanted" ]]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAIL %s\n  expected: %s\n  got:      %s\n' "$claim" "$wanted" "$got"
    fi
}

# By curl, which starts in no time: the writes are not what is tested.
write() {
    local times=$1 i
    for ((i = 0; i < times; i++)); do
        curl -sS "$ENDPOINT" -H 'X-Amz-Target: DynamoDB_20120810.PutItem' -H 'X-Amz-Date: 20260101T000000Z' \
            -H 'Content-Type: application/x-amz-json-1.0' \
            -H 'Authorization: AWS4-HMAC-SHA256 Credential=x/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=y' \
            -d "{\"TableName\":\"Sessions\",\"Item\":{\"tenant\":{\"S\":\"$2\"},\"session\":{\"S\":\"$3\"}}}" >/dev/null
    done
}

control PUT /clock '{"mode":"manual"}' >/dev/null
control POST /clock/advance '{"ms":60000}' >/dev/null
db create-table --table-name Sessions --billing-mode PAY_PER_REQUEST \
    --attribute-definitions AttributeName=tenant,AttributeType=S AttributeName=session,AttributeType=S \
    --key-schema AttributeName=tenant,KeyType=HASH AttributeName=session,KeyType=RANGE >/dev/null
control PATCH /capacity '{"table":"Sessions","partition_write_cap":3}' >/dev/null
control POST /tables/Sessions/capacity/reset '' >/dev/null

expect "insights are switched on" ENABLING db update-contributor-insights --table-name Sessions \
    --contributor-insights-action ENABLE --query ContributorInsightsStatus
expect "and are on" ENABLED db describe-contributor-insights --table-name Sessions --query ContributorInsightsStatus
rules=$(db describe-contributor-insights --table-name Sessions --query ContributorInsightsRuleList)
read -r pkc pkt skc skt <<<"$rules"
expect "the rules are four" "PKC PKT SKC SKT" \
    sed -E 's/DynamoDBContributorInsights-(...)-Sessions-[0-9]+/\1/g' <<<"$rules"

write 5 acme one
write 1 acme two
write 1 initech one
now=$(($(control GET /clock '' | sed -E 's/.*"now":([0-9]+).*/\1/') / 1000))
window=(--start-time $((now - 300)) --end-time $((now + 60)) --period 60)
report() {
    watch get-insight-rule-report --rule-name "$1" "${window[@]}" \
        --query "Contributors[].[join('/', Keys), to_string(ApproximateAggregateValue)]"
}
statistics() {
    watch get-metric-statistics --namespace AWS/DynamoDB --metric-name "$1" --dimensions "${@:2}" "${window[@]}" \
        --statistics Sum --query 'sum(Datapoints[].Sum)'
}
expect "the hot key has consumed most, writes three times" "acme 9.0 initech 3.0" report "$pkc"
expect "the hot key was throttled" "acme 3.0" report "$pkt"
expect "its items are told apart" "acme/one 9.0 initech/one 3.0" report "$skc"
expect "so are their throttles" "acme/one 2.0 acme/two 1.0" report "$skt"
expect "the labels are the key's attributes" "tenant session" watch get-insight-rule-report --rule-name "$skt" \
    "${window[@]}" --query KeyLabels
expect "the table's throttles are as many" 3.0 statistics WriteThrottleEvents Name=TableName,Value=Sessions
expect "a partition was too hot, not the table" 3.0 \
    statistics WriteKeyRangeThroughputThrottleEvents Name=TableName,Value=Sessions
expect "requests were throttled" 3.0 statistics ThrottledRequests Name=TableName,Value=Sessions \
    Name=Operation,Value=PutItem
expect "what passed was consumed" 4.0 statistics ConsumedWriteCapacityUnits Name=TableName,Value=Sessions
# shellcheck disable=SC2016 # the back ticks are JMESPath's
expect "percentiles are of all samples" "1.0 100.0" watch get-metric-statistics --namespace AWS/DynamoDB \
    --metric-name ConsumedWriteCapacityUnits --dimensions Name=TableName,Value=Sessions "${window[@]}" \
    --extended-statistics p99.9 'PR(:1)' --query 'Datapoints[?ExtendedStatistics."p99.9" > `0`].ExtendedStatistics.["p99.9", "PR(:1)"]'
unset AWS_MAX_ATTEMPTS # the CLI mentions it in its errors
expect "an unknown rule is not found" \
    " An error occurred (ResourceNotFoundException) when calling the GetInsightRuleReport operation: Insight rule nobody's does not exist." \
    watch get-insight-rule-report --rule-name "nobody's" "${window[@]}"
expect "too many points have the service's words" \
    " An error occurred (InvalidParameterCombination) when calling the GetMetricStatistics operation: You have requested up to 1,608 datapoints, which exceeds the limit of 1,440. You may reduce the datapoints requested by increasing Period, or decreasing the time range." \
    watch get-metric-statistics --namespace AWS/DynamoDB --metric-name ConsumedWriteCapacityUnits \
    --start-time 2026-11-01T00:00:00Z --end-time 2026-11-02T02:48:00Z --period 60 --statistics Sum
expect "metrics are listed with their dimensions" "Sessions PutItem" watch list-metrics --metric-name ThrottledRequests \
    --query 'Metrics[].Dimensions[].Value'
expect "there are no alarms" "" watch describe-alarms --query 'MetricAlarms[]'
expect "insights are switched off" DISABLING db update-contributor-insights --table-name Sessions \
    --contributor-insights-action DISABLE --query ContributorInsightsStatus
expect "with them, their rules" "" watch describe-insight-rules --query 'InsightRules[]'
printf '%d passed, %d failed\n' "$passed" "$failed"
((failed == 0))
