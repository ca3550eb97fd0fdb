// hcl: whether a file is HCL, as Terraform reads it, and formatted as `terraform fmt` does it: hcl FILE…
package main

import (
	"bytes"
	"fmt"
	"os"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclwrite"
)

func main() {
	failed := false
	for _, path := range os.Args[1:] {
		text, err := os.ReadFile(path)
		if err != nil {
			fmt.Println(err)
			failed = true
			continue
		}
		if _, wrong := hclwrite.ParseConfig(text, path, hcl.InitialPos); wrong.HasErrors() {
			fmt.Println(wrong)
			failed = true
		} else if !bytes.Equal(hclwrite.Format(text), text) {
			fmt.Printf("%s: not formatted as terraform fmt does it\n", path)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}
