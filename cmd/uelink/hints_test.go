package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// Each command of uelink that a hint names exists.
func TestHintsNameCommands(t *testing.T) {
	root := newRoot()
	for typed, meant := range habits {
		if cmd, _, err := root.Find([]string{typed}); err == nil && cmd != root {
			t.Errorf("%s is a command", typed)
		}
		for _, quoted := range regexp.MustCompile(`"[^"]+"`).FindAllString(meant, -1) {
			words := strings.Fields(strings.Trim(quoted, `"`))
			if words[0] != "uelink" {
				continue
			}
			cmd, rest, err := root.Find(words[1:])
			if err != nil || isGroup(cmd) && len(rest) > 0 {
				t.Errorf("%s: there is no %s", typed, quoted)
			}
		}
	}
}

// everyCommand calls visit for cmd and all commands below it.
func everyCommand(cmd *cobra.Command, visit func(*cobra.Command)) {
	visit(cmd)
	for _, below := range cmd.Commands() {
		everyCommand(below, visit)
	}
}

// The short text of each command says what the command does: its first word is a verb.
func TestShortTextsBeginWithAVerb(t *testing.T) {
	verbs := strings.Fields(
		"Begin Check Clear Confirm Decode Delete Disable Enable Forget Generate Have Add Help Initialise " +
			"Join Make Print Receive Remove Run Send Set Show Start Stop Take Transmit Write")
	root := newRoot()
	root.InitDefaultHelpCmd()
	everyCommand(root, func(cmd *cobra.Command) {
		if first, _, _ := strings.Cut(cmd.Short, " "); !slices.Contains(verbs, first) {
			t.Errorf("%s: %q begins with no verb that this test knows", cmd.CommandPath(), cmd.Short)
		}
	})
}

// Each command of uelink is in a section of the help.
func TestEveryCommandIsInASection(t *testing.T) {
	root := newRoot()
	root.InitDefaultHelpCmd()
	for _, cmd := range root.Commands() {
		if cmd.GroupID == "" {
			t.Errorf("%s is in no section", cmd.CommandPath())
		}
	}
}
