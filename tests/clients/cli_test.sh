#!/usr/bin/env bash
# What people type: the AWS CLI against the server at $ENDPOINT. Last line: "N passed, N failed".
set -u
unset AWS_MAX_ATTEMPTS # the CLI mentions it in its errors
passed=0
failed=0
db() { /usr/bin/aws dynamodb --endpoint-url "$ENDPOINT" --no-cli-pager --output text "$@" 2>&1; }

# expect CLAIM WANTED COMMAND…: the command's output has the wanted text.
expect() {
    local claim=$1 wanted=$2 got
    shift 2
    got=$("$@")
    if [[ $got == *"$wanted"* ]]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAIL %s\n  expected: %s\n  got:      %s\n' "$claim" "$wanted" "$got"
    fi
}

expect "create-table answers CREATING" CREATING db create-table --table-name Music \
    --attribute-definitions AttributeName=Artist,AttributeType=S AttributeName=Song,AttributeType=S \
    --key-schema AttributeName=Artist,KeyType=HASH AttributeName=Song,KeyType=RANGE \
    --billing-mode PAY_PER_REQUEST --query TableDescription.TableStatus
expect "wait table-exists returns at once" "" db wait table-exists --table-name Music
expect "put-item tells what it consumed" 1.0 db put-item --table-name Music --return-consumed-capacity TOTAL \
    --item '{"Artist":{"S":"Björk"},"Song":{"S":"Jóga"},"Year":{"N":"1997"}}' --query ConsumedCapacity.CapacityUnits
expect "get-item answers the item" 1997 db get-item --table-name Music \
    --key '{"Artist":{"S":"Björk"},"Song":{"S":"Jóga"}}' --query Item.Year.N
expect "update-item computes" 1998 db update-item --table-name Music \
    --key '{"Artist":{"S":"Björk"},"Song":{"S":"Jóga"}}' --update-expression 'SET #y = #y + :one' \
    --expression-attribute-names '{"#y":"Year"}' --expression-attribute-values '{":one":{"N":"1"}}' \
    --return-values ALL_NEW --query Attributes.Year.N
expect "query finds by prefix" 1 db query --table-name Music \
    --key-condition-expression 'Artist = :a AND begins_with(Song, :s)' \
    --expression-attribute-values '{":a":{"S":"Björk"},":s":{"S":"J"}}' --query Count
expect "scan counts" 1 db scan --table-name Music --query Count
expect "a failed condition has the service's words" \
    "An error occurred (ConditionalCheckFailedException) when calling the PutItem operation: The conditional request failed" \
    db put-item --table-name Music --item '{"Artist":{"S":"Björk"},"Song":{"S":"Jóga"}}' \
    --condition-expression 'attribute_not_exists(Artist)'
expect "a missing table has the service's words" \
    "An error occurred (ResourceNotFoundException) when calling the DescribeTable operation: Requested resource not found: Table: Nothing not found" \
    db describe-table --table-name Nothing
expect "list-tables lists" Music db list-tables --query 'TableNames[0]'
expect "delete-table answers DELETING" DELETING db delete-table --table-name Music \
    --query TableDescription.TableStatus
printf '%d passed, %d failed\n' "$passed" "$failed"
((failed == 0))
