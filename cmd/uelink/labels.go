package main

import (
	"fmt"
	"slices"
	"strings"

	"uelink/control/api"
	"uelink/dataplane/model"
)

// labelsFlag is labels of ports on the command line, as KEY=VALUE.
type labelsFlag struct{ model.Labels }

func (f *labelsFlag) Type() string   { return "KEY=VALUE" }
func (f *labelsFlag) String() string { return "" }

// Set adds a label, KEY=VALUE, to those that a port must have.
func (f *labelsFlag) Set(s string) error {
	key, value, _ := strings.Cut(s, "=")
	label := map[string]*string{
		"owner": &f.Owner, "container": &f.Container, "ifname": &f.IfName, "network": &f.Network,
	}[key]
	if label == nil || value == "" {
		return fmt.Errorf("%q: owner=, container=, ifname= or network= is wanted, with a value", s)
	}
	*label = value
	return nil
}

// having returns the ports that have the labels of the flag.
func (f *labelsFlag) having(ports []api.Port) []api.Port {
	if f.Labels == (model.Labels{}) {
		return ports
	}
	return slices.DeleteFunc(ports, func(p api.Port) bool { return p.Labels == nil || !p.Labels.Match(f.Labels) })
}
