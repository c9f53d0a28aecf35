package config

import (
	"fmt"
	"strings"
	"unicode"

	"uelink/config/schema"
	"uelink/dataplane/model"
)

// maxLabel is the largest number of octets of a label of a port.
const maxLabel = 255

// labelsFields returns the schema of section labels of a port.
func labelsFields() schema.Section[portEntry] {
	labels := schema.Section[model.Labels]{
		schema.Value("owner", label(), "", "Program that has made the port, such as `uelink-cni`.",
			func(l *model.Labels) *string { return &l.Owner }),
		schema.Value("container", label(), "", "Id of the container at the port.",
			func(l *model.Labels) *string { return &l.Container }),
		schema.Value("ifname", label(), "", "Interface of the port inside the container.",
			func(l *model.Labels) *string { return &l.IfName }),
		schema.Value("network", label(), "", "Network to which the port belongs, in the words of the program `owner`.",
			func(l *model.Labels) *string { return &l.Network }),
	}
	return schema.Section[portEntry]{
		schema.Nested("labels", "Labels that say who uses the port. The daemon shows the labels, and does nothing else with them.", labels,
			func(p *portEntry) *model.Labels { return &p.labels }),
	}
}

// label returns the schema.Kind that parses a label: text without control characters and white space.
func label() schema.Kind[string] {
	return schema.Text("text without blanks, or empty", func(s string) error {
		switch {
		case len(s) > maxLabel:
			return fmt.Errorf("a label of %d octets: at most %d are allowed", len(s), maxLabel)
		case strings.ContainsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }):
			return fmt.Errorf("%q is no label: blanks and control characters are not allowed", s)
		}
		return nil
	})
}

// setLabels copies the labels of a port, if it has any, to Config.Labels.
func (d *document) setLabels(p *portEntry) {
	if p.labels == (model.Labels{}) {
		return
	}
	if d.Labels == nil {
		d.Labels = map[string]model.Labels{}
	}
	d.Labels[p.frames.Name] = p.labels
}
