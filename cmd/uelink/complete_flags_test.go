package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The shell completes the value of every flag: words that the command takes, a file, or nothing.
func TestEveryFlagCompletes(t *testing.T) {
	words := 0
	var each func(cmd *cobra.Command)
	each = func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			complete, has := cmd.GetFlagCompletionFunc(f.Name)
			if f.NoOptDefVal != "" || takesFile(f.Name) {
				return
			}
			if !has {
				t.Errorf("%s --%s has no completion", cmd.CommandPath(), f.Name)
				return
			}
			list, directive := complete(cmd, nil, "")
			if directive&cobra.ShellCompDirectiveNoFileComp == 0 {
				t.Errorf("%s --%s completes files", cmd.CommandPath(), f.Name)
			}
			for _, word := range list {
				words++
				if err := f.Value.Set(word); err != nil {
					t.Errorf("%s --%s %s: %v", cmd.CommandPath(), f.Name, word, err)
				}
			}
		})
		for _, below := range cmd.Commands() {
			each(below)
		}
	}
	each(newRoot())
	if words < 40 {
		t.Errorf("%d words", words)
	}
	stdout, _, _ := uelink(t.Context(), "", "__complete", "demo", "--dialect", "")
	if !strings.HasPrefix(stdout, "seed\nue1\n") {
		t.Errorf("%q", stdout)
	}
}
