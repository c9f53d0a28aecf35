package top

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"uelink/control/api"
	"uelink/dataplane/model"
	"uelink/hippi"
	"uelink/llr"
)

// link returns a link after a number of seconds under load.
func link(name string, seconds uint64) api.Port {
	return api.Port{
		Name: name, Role: "link", OperStatus: "up", QueuedFrames: 3, Worker: 1, RxDropped: 2 * seconds, TxDropped: seconds,
		Counters: model.PortCounters{
			TxFrames: 1000 * seconds, TxOctets: 1_000_000 * seconds, RxFrames: 10 * seconds, RxOctets: 600 * seconds,
		},
		LLR: &model.LLRState{
			TxStatus: llr.TxAdvance, OutstandingFrames: 12, MaxOutstandingFrames: 512,
			Counters: llr.Counters{TxReplay: 7 * seconds},
		},
		CBFC: &api.CBFC{VCs: []api.VirtualChannel{
			{VC: 0, CreditsUsed: 90, SenderCreditLimit: 1000}, {VC: 1, CreditsUsed: 50, SenderCreditLimit: 100},
			{VC: 2, CreditsUsed: 4},
		}},
	}
}

// samples returns two samples two seconds apart.
func samples(before, after []api.Port) (a, b Sample) {
	at := time.Date(2026, 11, 26, 8, 0, 0, 0, time.UTC)
	return Sample{at, before, []api.Worker{{Worker: 0, CPU: time.Second}, {Worker: 1, CPU: time.Minute}}},
		Sample{at.Add(2 * time.Second), after,
			[]api.Worker{{Worker: 0, CPU: 2 * time.Second}, {Worker: 1, CPU: time.Second}}}
}

// Rates are per second, and the virtual channel with the largest part in use is shown. A worker that has run for less
// time than before is a worker of another process.
func TestBetween(t *testing.T) {
	got := Between(samples([]api.Port{link("link0", 4)}, []api.Port{link("link0", 6)}))
	want := Load{Seconds: 2, Workers: []Worker{{0, 50}, {1, 0}}, Ports: []Port{{
		Port: "link0", Role: "link", State: "ADVANCE", TxFrames: 1000, TxBits: 8e6, RxFrames: 10, RxBits: 4800, Replays: 7,
		Outstanding: 12, Window: 512, CreditsUsed: 50, CreditLimit: 100, QueuedFrames: 3, Drops: 3, Worker: 1,
	}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Counters that were cleared, a new port, and two samples of the same time give rates of 0.
func TestRatesThatAreNotKnown(t *testing.T) {
	before, after := samples([]api.Port{link("link0", 4)}, []api.Port{link("link0", 1), link("link1", 1)})
	for name, l := range map[string]Load{"cleared": Between(before, after), "at once": Between(after, after)} {
		for _, p := range l.Ports {
			if p.TxFrames != 0 || p.Replays != 0 || p.Drops != 0 || p.Outstanding != 12 {
				t.Errorf("%s: %+v", name, p)
			}
		}
	}
}

// A link of HIPPI-6400-PH has its window of micropackets, a port that is down its own state, and an edge no window.
func TestOtherPorts(t *testing.T) {
	down := link("down", 1)
	down.OperStatus = "down"
	h := api.Port{Name: "h", Role: "link", OperStatus: "up", HIPPI: &model.HIPPIState{Outstanding: 9}}
	other := h
	other.HIPPI = &model.HIPPIState{Outstanding: 9, Counters: hippi.Counters{TxRetransmitted: 8}}
	got := Between(samples([]api.Port{down, h, {Name: "e", OperStatus: "up"}},
		[]api.Port{down, other, {Name: "e", OperStatus: "up"}})).Ports
	down0, hippi1, edge := got[0], got[1], got[2]
	if down0.State != "down" || hippi1.Replays != 4 || hippi1.Window != 254 || edge.Window+edge.CreditLimit != 0 {
		t.Errorf("%+v", got)
	}
}

// Ports are sorted by name, or by the largest number first.
func TestSort(t *testing.T) {
	ports := []Port{{Port: "c", TxBits: 5}, {Port: "a", TxBits: 9}, {Port: "b", TxBits: 5}}
	for by, want := range map[string]string{"port": "abc", "tx-bit": "abc", "none": "abc", "drops": "abc"} {
		Sort(ports, by)
		if got := ports[0].Port + ports[1].Port + ports[2].Port; got != want {
			t.Errorf("by %s: %s", by, got)
		}
	}
	ports[2].TxBits = 10
	if Sort(ports, "tx-bit"); ports[0].Port != "c" {
		t.Errorf("%+v", ports)
	}
}

// The table has every column.
func TestWrite(t *testing.T) {
	var b bytes.Buffer
	Write(&b, Between(samples([]api.Port{link("link0", 4)}, []api.Port{link("link0", 6)})))
	want := `CPU of workers:  0: 50 %  1: 0 %

Port   State    TX fps  TX bit/s  RX fps  RX bit/s  Replays  Window  Credits  Queued  Drops
-----  -------  ------  --------  ------  --------  -------  ------  -------  ------  -----
link0  ADVANCE    1.0k      8.0M      10      4.8k        7  12/512   50/100       3      3
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
	if words := strings.Join(Columns(), " "); words !=
		"port state tx-fps tx-bit rx-fps rx-bit replays window credits queued drops" {
		t.Error(words)
	}
}
