package main

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"uelink/cmd/uelink/view"
	"uelink/control/api"
)

// word is an argument in iproute2's style. Words come in any order, each once.
type word struct {
	names []string           // synonyms
	value string             // the value after the word, for people: "PORT", "BRIDGE" or "VID"; "" for none
	may   bool               // the value may be left out
	set   func(string) error // called with the value, or with the name of a word without a value
}

// textWord returns an argument word with synonyms names ("brport|dev"); the value that follows the word on the
// command line is stored in into.
func textWord(names, value string, into *string) word {
	return word{names: strings.Split(names, "|"), value: value, set: func(text string) error {
		*into = text
		return nil
	}}
}

// vlanWord returns an argument word that is followed by the number of a VLAN, which is stored in into.
func vlanWord(name string, into *uint16) word {
	return word{names: []string{name}, value: "VID", set: func(text string) error {
		n, err := strconv.ParseUint(text, 10, 16)
		if err != nil || n < 1 || n > api.VLANMax {
			return fmt.Errorf("%s %s: a number from 1 to %d is wanted", name, text, api.VLANMax)
		}
		*into = uint16(n)
		return nil
	}}
}

// String returns an argument word as in the help: "brport|dev PORT".
func (w word) String() string {
	s := strings.Join(w.names, "|")
	switch {
	case w.value == "":
	case w.may:
		s += " [" + w.value + "]"
	default:
		s += " " + w.value
	}
	return s
}

// wordOf returns the word with the given name or synonym; found is false for none.
func wordOf(words []word, name string) (w word, found bool) {
	i := slices.IndexFunc(words, func(w word) bool { return slices.Contains(w.names, name) })
	if i < 0 {
		return w, false
	}
	return words[i], true
}

// readWords parses args as words with values, and sets the value of each word. It returns an error for an unknown
// or repeated word.
func readWords(args []string, words []word) error {
	seen := map[string]bool{}
	for len(args) > 0 {
		w, found := wordOf(words, args[0])
		switch {
		case !found:
			return fmt.Errorf("unknown word %q: %s", args[0], wanted(words))
		case seen[w.names[0]]:
			return fmt.Errorf("%s: %s is wanted once", args[0], w)
		}
		seen[w.names[0]] = true
		value, rest, err := w.split(args, words)
		if err == nil {
			err = w.set(value)
		}
		if err != nil {
			return err
		}
		args = rest
	}
	return nil
}

// split returns the value of the word that is the first of args, and the arguments after the value. An optional
// value is missing if another word follows.
func (w word) split(args []string, words []word) (value string, rest []string, err error) {
	name, rest := args[0], args[1:]
	if w.value == "" {
		return name, rest, nil
	}
	if len(rest) > 0 {
		if _, next := wordOf(words, rest[0]); !next || !w.may {
			return rest[0], rest[1:], nil
		}
	}
	if w.may {
		return "", rest, nil
	}
	return "", nil, fmt.Errorf("%s: %s is missing", name, w.value)
}

// wanted returns the part of an error message that lists the words which a command accepts.
func wanted(words []word) string {
	var all []string
	for _, w := range words {
		all = append(all, w.String())
	}
	if len(all) == 1 {
		return all[0] + " is wanted"
	}
	return strings.Join(all[:len(all)-1], ", ") + " or " + all[len(all)-1] + " is wanted"
}

// checkMAC returns an error if text is no MAC address.
func checkMAC(text string) error {
	if mac, err := net.ParseMAC(text); err != nil || len(mac) != 6 {
		return fmt.Errorf("%q is no MAC address: one such as 02:00:00:00:00:01 is wanted", text)
	}
	return nil
}

// completeWords returns a shell completion of the words that a command has not used yet, and of the names that may
// follow a word. The first skip arguments are no words.
func (t *tool) completeWords(skip int, words []word) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) < skip {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		args = args[skip:]
		if len(args) > 0 {
			if w, found := wordOf(words, args[len(args)-1]); found && w.value != "" {
				return t.names(cmd, w.value), cobra.ShellCompDirectiveNoFileComp
			}
		}
		var names []string
		for _, w := range words {
			if !slices.ContainsFunc(w.names, func(name string) bool { return slices.Contains(args, name) }) {
				names = append(names, w.names...)
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// names returns the names of the bridges if value contains BRIDGE, and of their ports if value contains PORT; nil
// for other values, and without a daemon.
func (t *tool) names(cmd *cobra.Command, value string) (names []string) {
	c := t.client()
	defer c.Close()
	bridges, _ := c.Bridges(cmd.Context())
	for _, b := range bridges {
		if strings.Contains(value, "BRIDGE") {
			names = append(names, b.Name)
		}
		if strings.Contains(value, "PORT") {
			names = append(names, view.PortsOf(b)...)
		}
	}
	return names
}
