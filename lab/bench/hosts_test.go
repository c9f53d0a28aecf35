package main

import (
	"io"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/dataplane/fault"
	"uelink/lab/bench/report"
)

// joined returns the two ends of a connection, of which host B answers one.
func joined(t *testing.T) (a stream, ended chan error) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	a, b := stream(fds[0]), stream(fds[1])
	t.Cleanup(func() { _ = a.close() })
	ended = make(chan error, 1)
	go func() {
		ended <- answerOn(b, make([]byte, blockOctets))
		_ = b.close()
	}()
	return a, ended
}

func write(t *testing.T, s stream, c call, octets int) {
	t.Helper()
	b := make([]byte, octets)
	c.put(b)
	if _, err := s.Write(b); err != nil {
		t.Fatal(err)
	}
}

// TestAnswersHaveTheirLength: each request gets as many octets as it asks for, one after the other, on one connection.
func TestAnswersHaveTheirLength(t *testing.T) {
	a, ended := joined(t)
	for _, l := range hostLoads() {
		if l.call.kind != callExchange {
			continue
		}
		write(t, a, l.call, int(l.call.request))
		if _, err := io.ReadFull(a, make([]byte, l.call.answer)); err != nil {
			t.Errorf("%s: %v", l.name, err)
		}
	}
	if err := unix.Shutdown(int(a), unix.SHUT_WR); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != io.EOF {
		t.Errorf("host B ends with %v, want the end of the connection", err)
	}
	if n, err := a.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("%d octets more than asked for (%v)", n, err)
	}
}

// TestRanksOfARingExchangePieces: pieces larger than all buffers go both ways at once.
func TestRanksOfARingExchangePieces(t *testing.T) {
	a, _ := joined(t)
	const piece, steps = 4 << 20, 5
	write(t, a, call{callRing, callOctets, piece}, callOctets)
	n := 0
	if err := inRing(a, a, piece, func() bool { n++; return n <= steps }); err != nil {
		t.Errorf("step %d: %v", n, err)
	}
}

func TestUnknownRequestEndsTheConnection(t *testing.T) {
	a, ended := joined(t)
	write(t, a, call{kind: 77}, callOctets)
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "77") {
		t.Errorf("host B ends with %v", err)
	}
}

func TestLossesOfWires(t *testing.T) {
	for _, c := range []struct {
		text string
		want []fault.Config // nil: an error
	}{
		{"0", []fault.Config{{Burst: 1}}},
		{"0,1e-3,1e-2x8", []fault.Config{{Burst: 1}, {Loss: 1e-3, Burst: 1}, {Loss: 1e-2, Burst: 8}}},
		{"", nil}, {"0,", nil}, {"2", nil}, {"1e-3x", nil}, {"1e-3x0.5", nil}, {"x8", nil},
	} {
		got, err := parseLosses(c.text)
		if (err == nil) != (c.want != nil) || len(got) != len(c.want) {
			t.Errorf("%q: %v, %v, want %v", c.text, got, err, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%q: wire %d is %+v, want %+v", c.text, i, got[i], c.want[i])
			}
		}
	}
}

// TestTablesOfHosts: each row has a cell for each column, and is compared with the plain wire and with the first
// daemon in the same round.
func TestTablesOfHosts(t *testing.T) {
	for _, uelinkds := range [][]string{{"old"}, {"old", "new"}} {
		s := &session{cores: newCores(true), options: options{uelinkds: uelinkds, losses: []fault.Config{{Burst: 1}}}}
		s.cores.windows[oneCore] = 1
		paths := []*hostsPath{{name: "plain wire"}}
		for _, name := range uelinkds {
			paths = append(paths, &hostsPath{name: name})
		}
		measured := make(turns[[]hosted], len(paths))
		for p := range paths {
			for range 3 {
				did := make([]hosted, len(hostLoads()))
				for i := range did {
					did[i] = hosted{asked: asked{P50: float64(10 + 10*p), Octets: 1e9, BPS: 6e9 / float64(1+p)},
						hosts: 1, daemons: float64(p)}
				}
				measured[p] = append(measured[p], turn[[]hosted]{did, oneCore})
			}
		}
		s.reportHosts(paths, []string{"cubic"}, measured)
		for _, table := range s.report.Tables {
			for _, row := range table.Rows {
				if len(row) != len(table.Columns) {
					t.Fatalf("%s: %d cells in %d columns: %v", table.Name, len(row), len(table.Columns), row)
				}
			}
		}
		if got := cell(t, s.report.Tables[0], 1, "paired ratio of p50 to plain wire"); got != 2.0 {
			t.Errorf("p50 is %v times that of the plain wire, want 2", got)
		}
		if got := cell(t, s.report.Tables[1], 1, "CPU s per GB, all"); got != 2.0 {
			t.Errorf("%v CPU seconds a GB, want 2", got)
		}
		if len(uelinkds) > 1 {
			if got := cell(t, s.report.Tables[1], 2, "paired ratio of Gbit/s to old"); got != 2.0/3 {
				t.Errorf("the second daemon carries %v of the first, want 2/3", got)
			}
		}
	}
}

// cell returns the cell of a row in the column of a name.
func cell(t *testing.T, table report.Table, row int, column string) any {
	t.Helper()
	for i, c := range table.Columns {
		if c.Name == column {
			return table.Rows[row][i]
		}
	}
	t.Fatalf("%s has no column %q", table.Name, column)
	return nil
}
