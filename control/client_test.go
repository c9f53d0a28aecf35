package control_test

import (
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"uelink/client"
	"uelink/control/api"
	"uelink/control/controltest"
)

func byName(t *testing.T, name string) api.Port {
	t.Helper()
	for _, p := range controltest.Ports() {
		if p.Name == name {
			return api.NewPort(p)
		}
	}
	t.Fatalf("no port %s", name)
	return api.Port{}
}

// read compares an answer with what is wanted.
func read[T any](t *testing.T, got T, err error, want T) {
	t.Helper()
	if err != nil {
		t.Error(err)
	} else if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestReads(t *testing.T) {
	c, ctx := start(t, controltest.Ports()).client, t.Context()
	link0, link1, edge0 := byName(t, "link0"), byName(t, "link1"), byName(t, "edge0")
	face := func(p api.Port) api.LLRInterface {
		note := map[string]string{"link1": "flushed: replay count, no acknowledgement for a frame of " +
			"1514 octets from 02:00:00:00:00:21 to 02:00:00:00:00:22; partner: silent; " +
			"partner takes no frames now, because no frames leave by its edge; partner restarts: " +
			"frames for the partner wait at this end; interface down"}
		return api.LLRInterface{Port: p.Name, Interface: p.Interface, OperStatus: p.OperStatus,
			ErrorStatus: p.ErrorStatus, LLR: *p.LLR, Note: note[p.Name]}
	}
	count := func(p api.Port) api.LLRCounters {
		return api.LLRCounters{Port: p.Name, Interface: p.Interface,
			TxStatus: p.LLR.TxStatus, RxStatus: p.LLR.RxStatus, TxSeq: p.LLR.TxSeq, RxNextSeq: p.LLR.RxNextSeq,
			TxBare: p.Counters.TxBare, RxBare: p.Counters.RxBare, StateTimes: p.LLR.StateTimes,
			TxAckSpacing: p.LLR.TxAckSpacing, RxAckSpacing: p.LLR.RxAckSpacing, Counters: p.LLR.Counters}
	}

	ports, err := c.Ports(ctx)
	read(t, ports, err, []api.Port{edge0, link0, link1})
	port, err := c.Port(ctx, "link1")
	read(t, port, err, link1)
	faces, err := c.LLRInterfaces(ctx)
	read(t, faces, err, []api.LLRInterface{face(link0), face(link1)})
	one, err := c.LLRInterface(ctx, "link0")
	read(t, one, err, face(link0))
	counters, err := c.LLRCounters(ctx)
	read(t, counters, err, []api.LLRCounters{count(link0), count(link1)})
	of, err := c.LLRCountersOf(ctx, "link1")
	read(t, of, err, count(link1))
	level, err := c.LogLevel(ctx)
	read(t, level, err, api.LogLevel{Level: "info"})
	status, err := c.Status(ctx)
	read(t, status, err, api.Status{Version: "v1", PID: 7, Started: started, Config: "/etc/uelink.yaml",
		Troubles: []string{}, Unmet: []api.Unmet{}, Lines: status.Lines})
	if len(status.Lines) == 0 || status.Lines[0].State != "error" || status.Lines[0].Port != "link1" {
		t.Errorf("the lines of the status: %+v", status.Lines)
	}
}

func TestProfiles(t *testing.T) {
	d := start(t, nil)
	careful := api.LLRProfile{
		Name: "careful", MaxOutstandingFrames: 264, MaxOutstandingBytes: 135000, MaxReplayTimer: 500_000,
		MaxReplayCount: 255, PCSLostTimeout: 50_000_000, DataAgeTimeout: 1_000_000_000,
		InitAction: "block", FlushAction: "discard", Replay: "go_back_n", CtlOSSpacingBytes: 400,
	}
	one, err := d.client.LLRProfile(t.Context(), "careful")
	read(t, one, err, careful)
	all, err := d.client.LLRProfiles(t.Context())
	if err != nil || len(all) != 2 || all[0].Name != "careful" || all[1].InitAction != "best_effort" {
		t.Errorf("%+v, %v", all, err)
	}
	// Numbers are numbers, under SONiC's names.
	_, body := d.request(t, http.MethodGet, "/v1/llr/profiles/careful", "")
	var raw map[string]any
	if err := json.Unmarshal([]byte(body), &raw); err != nil {
		t.Fatal(err)
	}
	if raw["max_replay_timer"] != 500000.0 || raw["max_outstanding_bytes"] != 135000.0 ||
		raw["re_init_on_flush"] != false {
		t.Errorf("%v", raw)
	}
}

// SAI names are the keys, also through the embedded structs.
func TestCounterKeysAreFlat(t *testing.T) {
	_, body := start(t, controltest.Ports()).request(t, http.MethodGet, "/v1/llr/counters/link0", "")
	var raw map[string]any
	if err := json.Unmarshal([]byte(body), &raw); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]any{"port": "link0", "tx_status": "ADVANCE", "llr_tx_ok": 7650079.0,
		"llr_rx_missing_seq": 0.0, "partner_restart": 0.0} {
		if raw[key] != want {
			t.Errorf("%s is %v, want %v", key, raw[key], want)
		}
	}
}

func TestRefusalIsAnErrorWithExitCode1(t *testing.T) {
	_, err := start(t, nil).client.Port(t.Context(), "link0")
	var refused *api.Error
	if !errors.As(err, &refused) {
		t.Fatalf("%T: %v", err, err)
	}
	want := api.Error{Status: 404, Message: "port link0: no such port: there are no ports", Field: "port"}
	if *refused != want || refused.ExitCode() != 1 {
		t.Errorf("%+v", refused)
	}
}

func TestNoDaemon(t *testing.T) {
	dir := t.TempDir()
	stale := filepath.Join(dir, "stale.sock")
	leaveBehind(t, stale)
	for _, c := range []struct{ name, socket, next string }{
		{"no socket", filepath.Join(dir, "none.sock"), "start uelinkd"},
		{"left behind", stale, "start uelinkd again"},
		{"not a directory", filepath.Join(stale, "x.sock"), "see whether uelinkd runs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := client.NewClient(c.socket).Ports(t.Context())
			var none *client.NoDaemonError
			if !errors.As(err, &none) || none.ExitCode() != 4 {
				t.Fatalf("%T: %v", err, err)
			}
			if !strings.Contains(err.Error(), c.socket) || !strings.Contains(err.Error(), c.next) {
				t.Errorf("%v", err)
			}
		})
	}
	denied := &client.NoDaemonError{Socket: "/s", Err: os.ErrPermission}
	if !strings.Contains(denied.Error(), "use sudo") {
		t.Errorf("%v", denied)
	}
}

// Something else on the socket is told apart from a daemon.
func TestNotUelinkd(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "other.sock")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	answer := "nonsense"
	status := http.StatusTeapot
	other := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(answer))
	})}
	done := make(chan error)
	go func() { done <- other.Serve(l) }()
	t.Cleanup(func() { other.Close(); <-done })
	c := client.NewClient(socket)
	t.Cleanup(c.Close)

	if _, err := c.Ports(t.Context()); err == nil || !strings.Contains(err.Error(), "is that uelinkd?") {
		t.Errorf("%v", err)
	}
	status = http.StatusOK
	if _, err := c.Ports(t.Context()); err == nil || !strings.Contains(err.Error(), "answer of the daemon") {
		t.Errorf("%v", err)
	}
}
