package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"uelink/internal/spelling"
)

// unknownFlag extends the error of an unknown flag by a suggestion, "did you mean --x?", if a flag with a similar
// name exists. It returns any other error as it is.
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

// dscpsFlag is a set of DSCPs on the command line: bit n is DSCP n.
type dscpsFlag uint64

func (f *dscpsFlag) Type() string { return "dscps" }
func (f *dscpsFlag) String() string {
	var list []string
	for dscp := range 64 {
		if *f>>dscp&1 != 0 {
			list = append(list, strconv.Itoa(dscp))
		}
	}
	return strings.Join(list, ",")
}

func (f *dscpsFlag) Set(s string) error {
	for word := range strings.SplitSeq(s, ",") {
		dscp, err := strconv.ParseUint(word, 10, 8)
		if err != nil || dscp > 63 {
			return fmt.Errorf("%q is no DSCP: 0 to 63 are", word)
		}
		*f |= 1 << dscp
	}
	return nil
}
