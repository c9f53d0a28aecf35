package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"uelink/internal/spelling"
)

// unknownFlag adds to the error of an unknown flag the flag that was perhaps meant.
func unknownFlag(cmd *cobra.Command, err error) error {
	name, is := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !is {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := spelling.Nearest(name, names); near != "" {
		return fmt.Errorf("%w: did you mean --%s?", err, near)
	}
	return err
}
