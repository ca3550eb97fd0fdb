// What Terraform makes of a recipe, without Terraform, whose AWS provider is a download: the files are read by Terraform's
// own reader, and the calls that the provider makes of what they say are made with its SDK. What follows the provider names
// its function; its source: hashicorp/terraform-provider-aws, internal/service/dynamodb, of 2025 and 2026.
//
// usage: terraform FILE[,FILE…]…
//
// Each argument is a configuration. They are applied one after the other, with a plan after each that must be empty, and at
// the end all is destroyed.
package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	calls := map[string]int{}
	if err := run(ctx, os.Args[1:], calls); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(calls)
}

func run(ctx context.Context, arguments []string, calls map[string]int) error {
	var made []table
	var client *client
	for _, argument := range arguments {
		configuration, err := read(strings.Split(argument, ","))
		if err != nil {
			return err
		}
		if client, err = connect(configuration.Provider, calls); err != nil {
			return err
		}
		for _, wanted := range configuration.Tables {
			if err := client.apply(ctx, wanted); err != nil {
				return fmt.Errorf("%s: table %s: %w", argument, wanted.Name, err)
			}
		}
		made = configuration.Tables
	}
	for _, each := range made {
		if err := client.destroy(ctx, each.Name); err != nil {
			return fmt.Errorf("destroy: table %s: %w", each.Name, err)
		}
	}
	return nil
}

// apply refreshes, makes or changes the table, and plans again.
func (client *client) apply(ctx context.Context, wanted table) error {
	found, err := client.refresh(ctx, wanted.Name)
	if err != nil {
		return err
	}
	if found == nil {
		err = client.create(ctx, wanted)
	} else if changes := differences(wanted, *found); len(changes) > 0 {
		err = client.update(ctx, *found, settled(wanted, *found))
	}
	if err != nil {
		return err
	}
	if found, err = client.refresh(ctx, wanted.Name); err != nil {
		return err
	}
	if found == nil {
		return fmt.Errorf("it is not there after it was made")
	}
	if changes := differences(wanted, *found); len(changes) > 0 {
		return fmt.Errorf("a second plan is not empty: %s", strings.Join(changes, "; "))
	}
	return nil
}
