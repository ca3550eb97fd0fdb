// The provider's client: what its block says of endpoint, region and key, and what came back.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

type client struct {
	*dynamodb.Client
	recorder *recorder
}

// recorder keeps the latest answer, for members that are younger than Debian's SDK, and counts the calls.
type recorder struct {
	answer []byte
	calls  map[string]int // by operation
}

func (recorder *recorder) Do(request *http.Request) (*http.Response, error) {
	_, operation, _ := strings.Cut(request.Header.Get("X-Amz-Target"), ".")
	recorder.calls[operation]++
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if recorder.answer, err = io.ReadAll(answer.Body); err != nil {
		return nil, err
	}
	answer.Body = io.NopCloser(bytes.NewReader(recorder.answer))
	return answer, nil
}

func connect(from *provider, calls map[string]int) (*client, error) {
	if from.Name != "aws" || !from.SkipCredentials || !from.SkipMetadata || !from.SkipAccount {
		return nil, errors.New("the provider would ask AWS for the caller, the machine or the account")
	}
	recorder := &recorder{calls: calls}
	return &client{recorder: recorder, Client: dynamodb.New(dynamodb.Options{
		Region:           from.Region,
		Credentials:      credentials.NewStaticCredentialsProvider(from.AccessKey, from.SecretKey, ""),
		EndpointResolver: dynamodb.EndpointResolverFromURL(from.Endpoints.DynamoDB),
		HTTPClient:       recorder,
	})}, nil
}

// younger is what a description of a table holds that Debian's SDK does not know.
type younger struct {
	DeletionProtectionEnabled bool
	WarmThroughput            struct{ Status string }
	GlobalSecondaryIndexes    []struct {
		IndexName      string
		WarmThroughput struct{ Status string }
	}
}

// describe answers nil when there is no such table (findTableByName).
func (client *client) describe(ctx context.Context, name string) (*types.TableDescription, *younger, error) {
	output, err := client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &name})
	var missing *types.ResourceNotFoundException
	if errors.As(err, &missing) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	var answer struct{ Table younger }
	return output.Table, &answer.Table, json.Unmarshal(client.recorder.answer, &answer)
}

// await polls; the provider does it every some seconds.
func await(ctx context.Context, is func() (bool, error)) error {
	for {
		if done, err := is(); done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// awaitTable is waitTableActive and waitTableWarmThroughputActive.
func (client *client) awaitTable(ctx context.Context, name string) error {
	return await(ctx, func() (bool, error) {
		table, younger, err := client.describe(ctx, name)
		return table != nil && table.TableStatus == types.TableStatusActive && younger.WarmThroughput.Status == "ACTIVE", err
	})
}

// awaitIndex is waitGSIActive and waitGSIWarmThroughputActive.
func (client *client) awaitIndex(ctx context.Context, name, index string) error {
	return await(ctx, func() (bool, error) {
		table, younger, err := client.describe(ctx, name)
		if err != nil || table == nil {
			return false, err
		}
		for i, each := range table.GlobalSecondaryIndexes {
			if aws.ToString(each.IndexName) == index {
				warm := younger.GlobalSecondaryIndexes[i].WarmThroughput.Status
				return each.IndexStatus == types.IndexStatusActive && warm == "ACTIVE", nil
			}
		}
		return false, nil
	})
}

// awaitNoIndex is waitGSIDeleted.
func (client *client) awaitNoIndex(ctx context.Context, name, index string) error {
	return await(ctx, func() (bool, error) {
		found, err := client.refresh(ctx, name)
		return err == nil && found != nil && find(found.Globals, index) == nil, err
	})
}
