package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// inFull returns args with abbreviated commands completed, as in `uelink lldp sh neigh`. It completes only the
// names of commands in a group: the argument of any other command may be the name of a port.
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

// lengthened returns args with the first argument completed that abbreviates the name of a command in the group and
// stands where that command may stand: root must find the command in the completed args. It returns nil if no argument
// does. So the value of a flag, which may look like an abbreviation, stays as it is.
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

// groupMark is the annotation of a command without an action of its own, which holds other commands.
const groupMark = "group"

func isGroup(cmd *cobra.Command) bool { return cmd.Annotations[groupMark] != "" }

// commandNames returns the names of a group's commands, without hidden commands.
func commandNames(group *cobra.Command) (names []string) {
	for _, cmd := range group.Commands() {
		if !cmd.Hidden {
			names = append(names, cmd.Name())
		}
	}
	return names
}
