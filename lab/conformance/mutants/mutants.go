// Package mutants has daemons with one fault each. The test of the plans shows which case of `uelink conformance
// --plan` finds which fault. Only tests import the package: no fault is in a program that ships.
package mutants

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

//go:embed mutants.txt
var list string

// Mutant is a change to a file of the tree, by which a daemon breaks a rule of the protocol.
type Mutant struct {
	Name  string
	File  string // path in the tree
	Fault string // in words
	from  string // text of the file to replace
	to    string
}

// All returns the mutants in the order of the list.
func All() (all []Mutant) {
	for _, text := range strings.Split("\n"+list, "\n= ")[1:] {
		all = append(all, parse(text))
	}
	return all
}

// parse returns the mutant of an entry of the list, without the first characters "= ". The first line has the form
// "NAME FILE: FAULT". Lines with - are the text to replace in the file, lines with + the new text.
func parse(text string) (m Mutant) {
	head, body, _ := strings.Cut(text, "\n")
	place, fault, _ := strings.Cut(head, ": ")
	name, file, _ := strings.Cut(place, " ")
	m = Mutant{Name: name, File: file, Fault: fault}
	var from, to []string
	for _, line := range strings.Split(body, "\n") {
		if rest, ok := strings.CutPrefix(line, "-"); ok {
			from = append(from, rest)
		} else if rest, ok := strings.CutPrefix(line, "+"); ok {
			to = append(to, rest)
		}
	}
	m.from, m.to = strings.Join(from, "\n"), strings.Join(to, "\n")
	return m
}

// Text returns the text of the mutant's file with the fault. tree is the root of the tree. It returns an error unless
// the replaced text stands in the file once.
func (m Mutant) Text(tree string) (string, error) {
	octets, err := os.ReadFile(filepath.Join(tree, m.File))
	if err != nil {
		return "", err
	}
	text := string(octets)
	if n := strings.Count(text, m.from); n != 1 || m.from == "" {
		return "", fmt.Errorf("mutant %s: the text to replace in %s must stand there once, and stands there %d times: "+
			"mend lab/conformance/mutants/mutants.txt",
			m.Name, m.File, n)
	}
	return strings.Replace(text, m.from, m.to, 1), nil
}
