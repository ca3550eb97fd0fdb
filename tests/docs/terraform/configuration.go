// Configurations as Terraform reads them, and what a plan finds different.
package main

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
	"sort"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"
	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/hashicorp/hcl/v2/hclwrite"
)

type configuration struct {
	Provider *provider
	Tables   []table
}

// file is what a .tf file may hold here; anything else is an error of the reader.
type file struct {
	Terraform []struct {
		Body hcl.Body `hcl:",remain"`
	} `hcl:"terraform,block"`
	Providers []provider `hcl:"provider,block"`
	Resources []resource `hcl:"resource,block"`
}

type provider struct {
	Name            string    `hcl:"name,label"`
	Region          string    `hcl:"region"`
	AccessKey       string    `hcl:"access_key"`
	SecretKey       string    `hcl:"secret_key"`
	SkipCredentials bool      `hcl:"skip_credentials_validation"`
	SkipMetadata    bool      `hcl:"skip_metadata_api_check"`
	SkipAccount     bool      `hcl:"skip_requesting_account_id"`
	Endpoints       endpoints `hcl:"endpoints,block"`
}

type endpoints struct {
	DynamoDB   string `hcl:"dynamodb"`
	CloudWatch string `hcl:"cloudwatch"`
}

type resource struct {
	Type string   `hcl:"type,label"`
	Name string   `hcl:"name,label"`
	Body hcl.Body `hcl:",remain"`
}

// table is an aws_dynamodb_table, of a file or as the server describes it.
type table struct {
	Name           string            `hcl:"name"`
	BillingMode    string            `hcl:"billing_mode,optional"`
	HashKey        string            `hcl:"hash_key"`
	RangeKey       string            `hcl:"range_key,optional"`
	ReadCapacity   int64             `hcl:"read_capacity,optional"`
	WriteCapacity  int64             `hcl:"write_capacity,optional"`
	StreamEnabled  bool              `hcl:"stream_enabled,optional"`
	StreamViewType string            `hcl:"stream_view_type,optional"`
	TableClass     string            `hcl:"table_class,optional"`
	IsProtected    bool              `hcl:"deletion_protection_enabled,optional"`
	Tags           map[string]string `hcl:"tags,optional"`
	Attributes     []attribute       `hcl:"attribute,block"`
	Globals        []global          `hcl:"global_secondary_index,block"`
	Locals         []local           `hcl:"local_secondary_index,block"`
	TimeToLive     *timeToLive       `hcl:"ttl,block"`
	Recovery       *recovery         `hcl:"point_in_time_recovery,block"`
}

type attribute struct {
	Name string `hcl:"name"`
	Type string `hcl:"type"`
}

type global struct {
	Name          string   `hcl:"name"`
	HashKey       string   `hcl:"hash_key"`
	RangeKey      string   `hcl:"range_key,optional"`
	Projection    string   `hcl:"projection_type"`
	NonKey        []string `hcl:"non_key_attributes,optional"`
	ReadCapacity  int64    `hcl:"read_capacity,optional"`
	WriteCapacity int64    `hcl:"write_capacity,optional"`
}

type local struct {
	Name       string   `hcl:"name"`
	RangeKey   string   `hcl:"range_key"`
	Projection string   `hcl:"projection_type"`
	NonKey     []string `hcl:"non_key_attributes,optional"`
}

type timeToLive struct {
	Attribute string `hcl:"attribute_name,optional"`
	Enabled   bool   `hcl:"enabled,optional"`
}

type recovery struct {
	Enabled bool `hcl:"enabled"`
}

// read takes files together, as Terraform does those of a folder.
func read(paths []string) (*configuration, error) {
	var found configuration
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(hclwrite.Format(text), text) {
			return nil, fmt.Errorf("%s: not formatted as terraform fmt does it", path)
		}
		parsed, wrong := hclparse.NewParser().ParseHCL(text, path)
		if wrong.HasErrors() {
			return nil, wrong
		}
		var file file
		if wrong := gohcl.DecodeBody(parsed.Body, nil, &file); wrong.HasErrors() {
			return nil, wrong
		}
		for i := range file.Providers {
			found.Provider = &file.Providers[i]
		}
		for _, resource := range file.Resources {
			if resource.Type != "aws_dynamodb_table" {
				return nil, fmt.Errorf("%s: a resource of the type %s is not known here", path, resource.Type)
			}
			var table table
			if wrong := gohcl.DecodeBody(resource.Body, nil, &table); wrong.HasErrors() {
				return nil, wrong
			}
			found.Tables = append(found.Tables, table)
		}
	}
	if found.Provider == nil || len(found.Tables) == 0 {
		return nil, fmt.Errorf("%s: a provider and a table are wanted", strings.Join(paths, ","))
	}
	return &found, nil
}

// settled is what the provider's schema makes of a table that a file wants, beside the one that is there: defaults, what is
// computed where the file is silent, sets in an order of their own.
func settled(wanted, found table) table {
	setDefault(&wanted.BillingMode, "PROVISIONED")
	setDefault(&wanted.TableClass, "STANDARD")
	setDefault(&wanted.StreamViewType, found.StreamViewType)
	setDefault(&wanted.ReadCapacity, found.ReadCapacity)
	setDefault(&wanted.WriteCapacity, found.WriteCapacity)
	if len(wanted.Tags) == 0 {
		wanted.Tags = map[string]string{}
	}
	if wanted.TimeToLive == nil {
		wanted.TimeToLive = found.TimeToLive
	} else if !wanted.TimeToLive.Enabled && found.TimeToLive.Attribute == "" {
		wanted.TimeToLive = &timeToLive{} // the service forgets the name; the provider suppresses the difference
	}
	if wanted.Recovery == nil {
		wanted.Recovery = found.Recovery
	}
	wanted.Attributes = sorted(wanted.Attributes, func(each attribute) string { return each.Name })
	wanted.Locals = sorted(wanted.Locals, func(each local) string { return each.Name })
	wanted.Globals = sorted(wanted.Globals, func(each global) string { return each.Name })
	for i := range wanted.Globals {
		if there := find(found.Globals, wanted.Globals[i].Name); there != nil {
			setDefault(&wanted.Globals[i].ReadCapacity, there.ReadCapacity)
			setDefault(&wanted.Globals[i].WriteCapacity, there.WriteCapacity)
		}
		wanted.Globals[i].NonKey = sorted(wanted.Globals[i].NonKey, func(each string) string { return each })
	}
	return wanted
}

// differences is the plan: the attributes that are not as wanted.
func differences(wanted, found table) []string {
	var told []string
	want, is := reflect.ValueOf(settled(wanted, found)), reflect.ValueOf(settled(found, found))
	for i := 0; i < want.NumField(); i++ {
		if a, b := want.Field(i).Interface(), is.Field(i).Interface(); !reflect.DeepEqual(a, b) {
			name, _, _ := strings.Cut(want.Type().Field(i).Tag.Get("hcl"), ",")
			told = append(told, fmt.Sprintf("%s is %v, wanted %v", name, shown(b), shown(a)))
		}
	}
	return told
}

func shown(value any) any {
	if reflected := reflect.ValueOf(value); reflected.Kind() == reflect.Pointer && !reflected.IsNil() {
		return reflected.Elem().Interface()
	}
	return value
}

func setDefault[T comparable](value *T, instead T) {
	var zero T
	if *value == zero {
		*value = instead
	}
}

func sorted[T any](list []T, key func(T) string) []T {
	ordered := append([]T(nil), list...)
	sort.Slice(ordered, func(i, j int) bool { return key(ordered[i]) < key(ordered[j]) })
	return ordered
}

func find(indexes []global, name string) *global {
	for i := range indexes {
		if indexes[i].Name == name {
			return &indexes[i]
		}
	}
	return nil
}
