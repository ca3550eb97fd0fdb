// The AWS SDK for Go v2, as Debian packages it, doing what its users do, against the server at $ENDPOINT.
// This file runs the claims of claims.go in their order and prints, last, "N passed, N failed".
package main

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// A claim is a sentence about the server and the check of it; nil says that it holds.
type claim struct {
	text  string
	check func(context.Context, *dynamodb.Client) error
}

func main() {
	endpoint := os.Getenv("ENDPOINT")
	settings, err := config.LoadDefaultConfig(context.Background(),
		config.WithRegion("us-east-1"),
		config.WithRetryer(func() aws.Retryer { return aws.NopRetryer{} }))
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	client := dynamodb.NewFromConfig(settings, func(options *dynamodb.Options) {
		options.EndpointResolver = dynamodb.EndpointResolverFromURL(endpoint)
	})

	passed, failed := 0, 0
	for _, claim := range claims {
		if err := hold(claim, client); err != nil {
			failed++
			fmt.Printf("FAIL %s\n  %v\n", claim.text, err)
		} else {
			passed++
		}
	}
	fmt.Printf("%d passed, %d failed\n", passed, failed)
	if failed > 0 {
		os.Exit(1)
	}
}

func hold(claim claim, client *dynamodb.Client) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	return claim.check(ctx, client)
}

// same is nil when got is as wanted, else an error that shows both.
func same(got, wanted interface{}) error {
	if reflect.DeepEqual(got, wanted) {
		return nil
	}
	return fmt.Errorf("got %#v, wanted %#v", got, wanted)
}

// first is the first error among those given.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
