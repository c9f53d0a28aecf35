package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"uelink/lab/e2e/nics/guest"
)

// result is the result of a case.
type result struct {
	lane
	Bed     guest.Bed    `json:"bed"`
	Kernel  string       `json:"kernel"`
	Cells   []guest.Cell `json:"cells"`
	Console []string     `json:"console"`          // complaints of the guest's kernel
	Doctor  []string     `json:"doctor,omitempty"` // differences of the output of uelink doctor from the kept file
	Error   string       `json:"error,omitempty"`
	Seconds float64      `json:"seconds"` // duration, without the wait for the lock
}

// mode returns the XDP mode and the bind mode of the link.
func (r *result) mode() string { return r.Bed.XDPMode + ", " + r.Bed.BindMode }

// problems returns the failures of a case.
func (r *result) problems() (list []string) {
	if r.Error != "" {
		list = append(list, r.Error)
	} else if r.mode() != r.Mode {
		list = append(list, fmt.Sprintf("it runs with %s, not %s", r.mode(), r.Mode))
	}
	list = append(list, r.Doctor...)
	for _, c := range r.Cells {
		if c.Bad() {
			list = append(list, c.Fault+": "+c.Why)
		}
	}
	return list
}

// addEarlier adds the cells of an earlier run for faults that this run left out. The duration is then that of the
// earlier run.
func (r *result) addEarlier(before report) {
	i := slices.IndexFunc(before.Cases, func(c result) bool { return c.Name == r.Name })
	if i < 0 {
		return
	}
	now := r.Cells
	r.Cells, r.Seconds = nil, before.Cases[i].Seconds
	for _, fault := range rows() {
		for _, cells := range [][]guest.Cell{now, before.Cases[i].Cells} {
			at := slices.IndexFunc(cells, func(c guest.Cell) bool { return c.Fault == fault })
			if at >= 0 {
				r.Cells = append(r.Cells, cells[at])
				break
			}
		}
	}
}

// report is the results of all cases.
type report struct {
	Cases []result `json:"cases"`
}

// readReport reads the report written under a prefix; empty if there is none, or if its layout differs.
func readReport(prefix string) (r report) {
	octets, err := os.ReadFile(prefix + ".json")
	if err != nil || json.Unmarshal(octets, &r) != nil {
		return report{}
	}
	return r
}

// merge returns the cases of r, and of other where r lacks a case, in the order of lanes.
func (r *report) merge(other report) (merged report) {
	for _, l := range lanes {
		for _, from := range []*report{r, &other} {
			i := slices.IndexFunc(from.Cases, func(c result) bool { return c.Name == l.Name })
			if i >= 0 {
				merged.Cases = append(merged.Cases, from.Cases[i])
				break
			}
		}
	}
	return merged
}

// err returns the problems of all cases as one error, or nil.
func (r *report) err() error {
	var all []string
	for i := range r.Cases {
		for _, p := range r.Cases[i].problems() {
			all = append(all, r.Cases[i].Name+": "+p)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return fmt.Errorf("%d problems:\n%s", len(all), strings.Join(all, "\n"))
}

// write writes the tables and the figures to PREFIX.md and PREFIX.json, merged with the other cases already there. An
// empty prefix writes nothing.
func (r *report) write(prefix string) error {
	if prefix == "" {
		return nil
	}
	all := r.merge(readReport(prefix))
	octets, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		return err
	}
	return errors.Join(replace(prefix+".md", []byte(all.markdown())), replace(prefix+".json", append(octets, '\n')))
}

// replace writes a file under another name and renames it, so that a reader, or an interruption, never leaves half a
// file.
func replace(name string, octets []byte) error {
	if err := os.WriteFile(name+".new", octets, 0o644); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}
