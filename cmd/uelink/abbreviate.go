package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// inFull writes out the commands that are abbreviated, as `uelink lldp sh neigh`. Only the
// name of a command of a group is: what is behind a command that does something may be the
// name of a port.
func inFull(root *cobra.Command, args []string) []string {
	if len(args) > 0 && strings.HasPrefix(args[0], "__") {
		return args // the shell asks for completions
	}
	for {
		cmd, _, err := root.Find(args)
		if err != nil || !isGroup(cmd) {
			return args
		}
		longer := lengthened(root, cmd, args)
		if longer == nil {
			return args
		}
		args = longer
	}
}

// lengthened is the arguments with one of them written out so that they lead to a command
// of the group; nil if none does.
func lengthened(root, group *cobra.Command, args []string) []string {
	for i, word := range args {
		name := begins(word, commandNames(group))
		if name == "" || name == word {
			continue
		}
		longer := slices.Clone(args)
		longer[i] = name
		if cmd, _, err := root.Find(longer); err == nil && cmd.Parent() == group {
			return longer
		}
	}
	return nil
}

// groupMark is the annotation of a command that only holds others.
const groupMark = "group"

func isGroup(cmd *cobra.Command) bool { return cmd.Annotations[groupMark] != "" }

// commandNames are the names of the commands of a group that are shown.
func commandNames(group *cobra.Command) (names []string) {
	for _, cmd := range group.Commands() {
		if !cmd.Hidden {
			names = append(names, cmd.Name())
		}
	}
	return names
}
