package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
	Doctor  []string     `json:"doctor,omitempty"` // differences of the output of uelink doctor from the stored file
	Error   string       `json:"error,omitempty"`
	Seconds float64      `json:"seconds"` // duration, without the wait for the lock
}

// mode returns the XDP mode and the bind mode of the case's link as text, such as "driver, copy".
func (r *result) mode() string { return r.Bed.XDPMode + ", " + r.Bed.BindMode }

// problems returns what failed in a case, as a line for each: an error, a wrong mode, changed output of doctor, and
// failed faults.
func (r *result) problems() (list []string) {
	if r.Error != "" {
		list = append(list, r.Error)
	} else if r.mode() != r.Mode {
		list = append(list, fmt.Sprintf("the link's XDP and bind mode are %s, not %s", r.mode(), r.Mode))
	}
	list = append(list, r.Doctor...)
	for _, c := range r.Cells {
		if c.Bad() {
			list = append(list, c.Fault+": "+c.Why)
		}
	}
	return list
}

// addEarlier adds, from the report of an earlier run, the results of faults that this run of the case left out. The
// case's duration becomes that of the earlier run.
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

// dataFile returns the path of a report's data in a folder of documents.
func dataFile(dir string) string { return filepath.Join(dir, "data", "nics.json") }

// readReport reads the report in a folder; the report is empty if the file is missing or has another layout.
func readReport(dir string) (r report) {
	octets, err := os.ReadFile(dataFile(dir))
	if err != nil || json.Unmarshal(octets, &r) != nil {
		return report{}
	}
	return r
}

// merge returns a report with the cases of r and those cases of other that r lacks, in the order in which all cases
// are listed.
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

// err returns the problems of all cases as one error; nil if there are none.
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

// write writes the report as tables to nics.md and as data to data/nics.json of a folder, merged with other cases that
// are already in these files. Without a folder it writes nothing.
func (r *report) write(dir string) error {
	if dir == "" {
		return nil
	}
	all := r.merge(readReport(dir))
	octets, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		return err
	}
	return errors.Join(replace(filepath.Join(dir, "nics.md"), []byte(all.markdown())),
		replace(dataFile(dir), append(octets, '\n')))
}

// replace writes octets to a file by way of a temporary file that it renames, so that the file is never seen half
// written.
func replace(name string, octets []byte) error {
	if err := os.WriteFile(name+".new", octets, 0o644); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}
