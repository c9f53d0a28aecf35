package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"uelink/cmd/uelink/view"
)

// Words of a view of LLDP. Each may be abbreviated.
const (
	wordDetails = "details"
	wordSummary = "summary"
	wordPorts   = "ports"
)

var viewWordNames = []string{wordDetails, wordPorts, wordSummary}

// viewWords has the arguments of a view of LLDP, in lldpcli's words.
type viewWords struct {
	ports   []string // none: all
	flag    bool     // --details
	details bool
	summary bool
}

// detail returns how much the view prints of each port: a summary, the usual columns, or every value.
func (v *viewWords) detail() view.Detail {
	switch {
	case v.flag || v.details:
		return view.Full
	case v.summary:
		return view.Summary
	}
	return view.Usual
}

// read parses the arguments of an LLDP view: "details", "summary", "ports X,Y" and names of ports, in any order. A
// port whose name is also a word, or the beginning of a word, must follow "ports".
func (v *viewWords) read(args []string) error {
	v.ports, v.details, v.summary = nil, false, false
	for i := 0; i < len(args); i++ {
		switch begins(args[i], viewWordNames) {
		case wordDetails:
			v.details = true
		case wordSummary:
			v.summary = true
		case wordPorts:
			if i++; i == len(args) {
				return errors.New("ports: PORT is missing: name one, or several with commas")
			}
			v.ports = append(v.ports, strings.Split(args[i], ",")...)
		default:
			v.ports = append(v.ports, args[i])
		}
	}
	if v.summary && (v.details || v.flag) {
		return errors.New("details or summary is wanted, not both")
	}
	if slices.Contains(v.ports, "") {
		return errors.New("a name of a port is empty")
	}
	return nil
}

// readNoPorts checks the arguments of a view that takes "details" or "summary" but no ports.
func readNoPorts(_ *cobra.Command, args []string) error {
	var v viewWords
	if err := v.read(args); err != nil {
		return err
	}
	if len(v.ports) > 0 {
		return fmt.Errorf("unknown word %q: details or summary is wanted", v.ports[0])
	}
	return nil
}

// begins returns the only one of names that word abbreviates or equals; "" for none or several.
func begins(word string, names []string) string {
	list := beginning(word, names)
	if len(list) != 1 {
		return ""
	}
	return list[0]
}

// beginning returns the names that begin with word; only the name itself if word equals a name.
func beginning(word string, names []string) (list []string) {
	for _, name := range names {
		if name == word {
			return []string{name}
		}
		if word != "" && strings.HasPrefix(name, word) {
			list = append(list, name)
		}
	}
	return list
}

// completeView returns a shell completion of the names of ports and of the words "details", "summary" and "ports",
// without those that are in the arguments already. Behind the word "ports" it has names only.
func completeView(t *tool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		ports := lldpPorts(t, cmd)
		if len(args) > 0 && begins(args[len(args)-1], viewWordNames) == wordPorts {
			return ports, cobra.ShellCompDirectiveNoFileComp
		}
		var words []string
		for _, name := range viewWordNames {
			if !slices.Contains(args, name) {
				words = append(words, name)
			}
		}
		if len(args) > 0 {
			ports = slices.DeleteFunc(ports, func(p string) bool { return slices.Contains(args, p) })
		}
		return append(ports, words...), cobra.ShellCompDirectiveNoFileComp
	}
}
