package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"uelink/e2e/nics/guest"
)

// result is what became of a case.
type result struct {
	lane
	Bed     guest.Bed    `json:"bed"`
	Kernel  string       `json:"kernel"`
	Cells   []guest.Cell `json:"cells"`
	Console []string     `json:"console"`          // what the guest's kernel complained of
	Doctor  []string     `json:"doctor,omitempty"` // where uelink doctor says something else than what is kept
	Error   string       `json:"error,omitempty"`
	Seconds float64      `json:"seconds"` // that it took, without those before it had the lock
}

// mode is how the daemon used the NIC.
func (r *result) mode() string { return r.Bed.XDPMode + ", " + r.Bed.BindMode }

// problems are what is wrong with a case.
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

// beside adds what an earlier run has measured of faults that were not done in this one. How long the case takes is
// what that run took.
func (r *result) beside(before report) {
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

// report is what became of all cases.
type report struct {
	Cases []result `json:"cases"`
}

// earlier is the report that was written under a prefix; empty if there is none, or one of another
// layout.
func earlier(prefix string) (r report) {
	octets, err := os.ReadFile(prefix + ".json")
	if err != nil || json.Unmarshal(octets, &r) != nil {
		return report{}
	}
	return r
}

// over is the report with those cases of another one that it has not got, in the order of lanes.
func (r *report) over(other report) (merged report) {
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

// err says which cases have a problem.
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

// keep writes the tables and the figures of these cases to PREFIX.md and PREFIX.json, where there is a prefix. The
// other cases that are there stay.
func (r *report) keep(prefix string) error {
	if prefix == "" {
		return nil
	}
	all := r.over(earlier(prefix))
	octets, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		return err
	}
	return errors.Join(replace(prefix+".md", []byte(all.markdown())), replace(prefix+".json", append(octets, '\n')))
}

// replace writes a file beside its place: whoever reads it meanwhile, or after an interruption, finds a whole one.
func replace(name string, octets []byte) error {
	if err := os.WriteFile(name+".new", octets, 0o644); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}
