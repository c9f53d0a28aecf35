package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"uelink/lab/bench/report"
)

// raced makes a race of lanes. frames are the frames in a second of CPU time, for each window; all windows are of
// regime farApart.
func raced(names []string, frames ...[]uint64) *race {
	r := &race{octets: 100, turns: make(turns[stretch], len(names))}
	for i, name := range names {
		r.lanes = append(r.lanes, &lane{oneWay: oneWay{name: name}})
		for _, n := range frames[i] {
			r.turns[i] = append(r.turns[i], turn[stretch]{stretch{frames: n, cpu: 1e9}, farApart})
		}
	}
	return r
}

// TestRatiosArePaired: that of a row is the median of the ratios of its rounds, whatever the
// medians are, and windows of another regime count nowhere.
func TestRatiosArePaired(t *testing.T) {
	r := raced([]string{"a", "b"}, []uint64{1e6, 2e6, 3e6, 4e6, 9e6}, []uint64{2e6, 4e6, 6e6, 2e6, 9e6})
	r.turns[1][4].in = neighbours
	got := r.row(farApart, effort{}, 1)
	want := []any{100, "b", 4.0, 3.2, 250.0, nil, 2.0, "2.00–2.00", 4}
	if !slices.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	if got := r.medians(farApart); !slices.Equal(got, []float64{3e6, 4e6}) {
		t.Errorf("medians: %v", got)
	}
}

// TestRowsHaveTheirColumns: with and without the rates without loss. A figure of another
// regime is marked, but for programs that read it.
func TestRowsHaveTheirColumns(t *testing.T) {
	r := raced([]string{"a"}, []uint64{1e6})
	r.lossless = []turn[float64]{{5e5, neighbours}}
	for _, e := range []effort{{}, {search: true}} {
		table := report.Table{Columns: raceColumns(e, "a")}
		table.Add(r.row(farApart, e, 0)...)
		if len(table.Rows[0]) != len(table.Columns) {
			t.Errorf("%d cells in %d columns", len(table.Rows[0]), len(table.Columns))
		}
		var b strings.Builder
		if err := table.WriteMarkdown(&b); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.String(), "0.50 *") != e.search || strings.Contains(b.String(), "%!") {
			t.Error(b.String())
		}
		if text, err := json.Marshal(table.Rows); err != nil || strings.Contains(string(text), "*") {
			t.Errorf("%s, %v", text, err)
		}
	}
}

// TestScaling: each forwarder is compared with the first of its name.
func TestScaling(t *testing.T) {
	r := raced([]string{"a", "a", "b", "b"}, []uint64{1e6}, []uint64{5e5}, []uint64{2e6}, []uint64{2e6})
	s := &session{cores: placed(far)}
	s.rounds = 1
	s.cores.windows[farApart] = 4
	s.scalingTable("t", "T", "ports", []scaling{{"all", r, []int{2, 4, 2, 4}}}, "what")
	table := s.report.Tables[0]
	var got []any
	for _, row := range table.Rows {
		if len(row) != len(table.Columns) {
			t.Errorf("%d cells in %d columns", len(row), len(table.Columns))
		}
		got = append(got, row[5])
	}
	if !slices.Equal(got, []any{1.0, 2.0, 1.0, 1.0}) {
		t.Errorf("%v", got)
	}
}

func TestFlowsOfOpenVSwitch(t *testing.T) {
	if got := learning.flows(4); !slices.Equal(got, []string{"actions=NORMAL"}) {
		t.Errorf("%v", got)
	}
	want := []string{
		"in_port=1,actions=output:2", "in_port=2,actions=output:1",
		"in_port=3,actions=output:4", "in_port=4,actions=output:3",
	}
	if got := byPort.flows(4); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}
