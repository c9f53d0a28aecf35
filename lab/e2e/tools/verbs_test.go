package tools

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"uelink/control/api"
	"uelink/dataplane/model"
	"uelink/lab/e2e/bed"
)

// status waits until `uelink llr interface link0` says that a key has a value.
func status(d *bed.Daemon, key string, want any) {
	d.T.Helper()
	bed.Eventually(d.T, d.Name+": "+key, func() string {
		got := d.Tool("llr", "interface", "link0").Succeeds().Objects()[0][key]
		if got != want {
			return fmt.Sprintf("it is %v, not %v", got, want)
		}
		return ""
	})
}

func TestToolSwitchesLLROffAndOn(t *testing.T) {
	top := bed.Direct(t)
	p := top.Daemons(bed.Settings{})
	numbered := func(t *testing.T) {
		t.Helper()
		c := top.Between()
		c.Frames = 5_000
		bed.Untouched(t, c)
	}
	t.Run("remote", func(t *testing.T) {
		p.A.Tool("llr", "remote", "disable", "link0").Succeeds()
		status(p.A, "tx_status", "OFF")
		status(p.A, "llr_mode_remote", false)
		before := p.A.Link().Counters.TxBare
		numbered(t) // without a number, but across a good wire
		if n := p.A.Link().Counters.TxBare - before; n < 5_000 {
			t.Errorf("only %d frames left without a number", n)
		}
		p.A.Tool("llr", "remote", "enable", "link0").Succeeds()
		status(p.A, "tx_status", "ADVANCE")
		numbered(t)
	})
	t.Run("local", func(t *testing.T) {
		p.A.Tool("llr", "local", "disable", "link0").Succeeds()
		status(p.A, "rx_status", "OFF")
		status(p.A, "llr_mode_local", false)
		p.A.Tool("llr", "local", "enable", "link0").Succeeds()
		status(p.A, "rx_status", "SEND_ACKS")
		hostA, hostB := bed.Open(t, top.HostA, "eth0", bed.ProbeType), bed.Open(t, top.HostB, "eth0", bed.ProbeType)
		bed.AwaitCrossing(hostA, hostB, bed.Patience)
		bed.AwaitCrossing(hostB, hostA, bed.Patience)
		p.Advance()
		numbered(t)
	})
	t.Run("reinit", func(t *testing.T) {
		before := p.A.LLRCounters().TxInitCtlOS
		p.A.Tool("llr", "reinit", "link0").Succeeds()
		status(p.A, "tx_status", "ADVANCE")
		if p.A.LLRCounters().TxInitCtlOS == before {
			t.Error("there was no LLR_INIT")
		}
		numbered(t)
	})
}

func TestToolClearsCounters(t *testing.T) {
	top := bed.Direct(t)
	p := top.Daemons(bed.Settings{})
	c := top.Between()
	c.Frames = 5_000
	bed.Untouched(t, c)
	ok := func(d *bed.Daemon) float64 {
		return d.Tool("llr", "counters", "link0").Succeeds().Objects()[0]["llr_rx_ok"].(float64)
	}
	if n := ok(p.A); n < 5_000 {
		t.Errorf("llr_rx_ok is %v", n)
	}
	p.A.Tool("llr", "counters", "clear", "link0").Succeeds()
	if n := ok(p.A); n != 0 {
		t.Errorf("llr_rx_ok is %v after it was cleared", n)
	}
	if n := p.A.Edge().Counters.RxFrames; n < 5_000 {
		t.Errorf("clearing link0 left %d frames at edge0", n)
	}
	p.A.Tool("llr", "counters", "clear").Succeeds()
	if e := p.A.Edge(); e.Counters != (model.PortCounters{}) {
		t.Errorf("clearing all left %+v", e.Counters)
	}
}

func TestToolSpeaksSAIsNames(t *testing.T) {
	top := bed.Direct(t)
	p := top.Daemons(bed.Settings{})
	for _, c := range []struct {
		args []string
		keys string // with the kind of the value
	}{
		{[]string{"port", "link0"}, "name:string interface:string role:string oper_status:string mtu:float64 mac:string xdp_mode:string bind_mode:string error_status:[]interface {} counters:map[string]interface {} llr:map[string]interface {}"},
		{[]string{"llr", "interface", "link0"}, "port:string llr_mode:string llr_mode_local:bool llr_mode_remote:bool llr_profile:string tx_status:string rx_status:string partner_known:bool partner_mac:string outstanding_frames:float64"},
		{[]string{"llr", "counters", "link0"}, "llr_tx_init_ctl_os:float64 llr_tx_init_echo_ctl_os:float64 llr_tx_ack_ctl_os:float64 llr_tx_nack_ctl_os:float64 " +
			"llr_tx_discard:float64 llr_tx_ok:float64 llr_tx_poisoned:float64 llr_tx_replay:float64 llr_rx_init_ctl_os:float64 llr_rx_init_echo_ctl_os:float64 " +
			"llr_rx_ack_ctl_os:float64 llr_rx_nack_ctl_os:float64 llr_rx_ack_nack_seq_error:float64 llr_rx_ok:float64 llr_rx_poisoned:float64 llr_rx_bad:float64 " +
			"llr_rx_expected_seq_good:float64 llr_rx_expected_seq_poisoned:float64 llr_rx_expected_seq_bad:float64 llr_rx_missing_seq:float64 llr_rx_duplicate_seq:float64 llr_rx_replay:float64"},
		{[]string{"llr", "profile", "e2e"}, "name:string max_outstanding_frames:float64 max_outstanding_bytes:float64 max_replay_timer:float64 max_replay_count:float64 " +
			"hold_timeout:float64 pcs_lost_timeout:float64 data_age_timeout:float64 init_action:string flush_action:string re_init_on_flush:bool ctlos_spacing_bytes:float64"},
	} {
		object := p.A.Tool(c.args...).Succeeds().Objects()[0]
		for _, want := range strings.Split(strings.ReplaceAll(c.keys, "face {}", "face{}"), " ") {
			key, kind, _ := strings.Cut(want, ":")
			if got := strings.ReplaceAll(fmt.Sprintf("%T", object[key]), " {}", "{}"); got != kind {
				t.Errorf("uelink %s: %s is a %s, not a %s", strings.Join(c.args, " "), key, got, kind)
			}
		}
	}
	for _, c := range []struct {
		args []string
		code int
	}{
		{[]string{"port", "link9"}, 1},
		{[]string{"llr", "reinit", "edge0"}, 1},
		{[]string{"llr", "flush"}, 2},
		{[]string{"--socket", "/nonexistent", "port"}, 4},
	} {
		if a := p.A.Tool(c.args...); a.Code != c.code || strings.Count(strings.TrimSpace(a.Stderr), "\n") > 0 && c.code != 2 {
			t.Errorf("uelink %s: exit %d, not %d: %s", a.Args, a.Code, c.code, a.Stderr)
		}
	}
}

func TestToolWatches(t *testing.T) {
	top := bed.Direct(t)
	p := top.Daemons(bed.Settings{})
	w := bed.Start(t, top.A, "uelink watch",
		exec.Command(bed.Program("uelink"), "--socket", p.A.Socket, "-o", "json", "watch"))
	bed.Eventually(t, "an event of LLR", func() string {
		p.A.Tool("llr", "reinit", "link0").Succeeds()
		if !strings.Contains(w.Stdout.String(), `"event":"llr_tx_status"`) {
			return "there is none"
		}
		return ""
	})
	bed.Must(t, top.A.SetLink("link0", false))
	bed.Eventually(t, "an event of the interface", func() string {
		if !strings.Contains(w.Stdout.String(), `"event":"oper_status","text":"down"`) {
			return w.Stdout.String()
		}
		return ""
	})
	w.Signal(syscall.SIGINT)
	if code := w.Wait(); code != 0 {
		t.Errorf("exit %d", code)
	}
	var kinds []string
	for line := range strings.Lines(w.Stdout.String()) {
		var e api.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.Time.IsZero() || e.Port != "link0" {
			t.Errorf("%v: %s", err, line)
		}
		kinds = append(kinds, e.Kind)
	}
	slices.Sort(kinds)
	t.Log(slices.Compact(kinds))
}
