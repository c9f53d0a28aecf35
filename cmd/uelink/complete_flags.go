package main

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagWords returns the words that may be the value of a flag of this name; nil for other flags.
func flagWords(name string) []string {
	switch name {
	case "dialect", "uet-dialect":
		return []string{"seed", "ue1"}
	case "protocol":
		return []string{"llr", "hippi6400"}
	case "role":
		return []string{"link", "edge"}
	case "mode":
		return []string{"auto", "kernel", "user"}
	case "ends":
		return []string{"memory", "veth", "all"}
	case "size":
		return []string{"60", "1514", "imix"}
	case "only":
		return []string{"ack", "nack", "init", "echo", "data", "control", "station", "lldp", "uet"}
	case "type":
		return []string{"0x800", "0x806", "0x86dd", "0x88b5", "0x88b6"}
	case "since":
		return []string{"10m", "1h", "24h"}
	}
	return nil
}

// takesFile reports whether the value of a flag of this name is the path of a file.
func takesFile(name string) bool {
	return slices.Contains([]string{"socket", "config", "uelinkd", "binary", "capture", "plot", "report", "write"},
		name)
}

// completeFlags gives each flag with a value, of a command and of the commands below it, its completion: words, files,
// or nothing. A flag that has a completion of its own keeps it.
func completeFlags(cmd *cobra.Command) {
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if _, ok := cmd.GetFlagCompletionFunc(f.Name); ok || f.NoOptDefVal != "" || takesFile(f.Name) {
			return
		}
		words := cobra.FixedCompletions(flagWords(f.Name), cobra.ShellCompDirectiveNoFileComp)
		_ = cmd.RegisterFlagCompletionFunc(f.Name, words) // an error is ignored: the flag exists
	})
	for _, below := range cmd.Commands() {
		completeFlags(below)
	}
}
