package e2e

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"uelink/control"
	"uelink/dataplane"
)

// status waits until `uelink llr interface link0` says that a key has a value.
func (d *daemon) status(key string, want any) {
	d.t.Helper()
	eventually(d.t, d.name+": "+key, func() string {
		is := d.tool("llr", "interface", "link0").succeeds().objects()[0][key]
		if is != want {
			return fmt.Sprintf("it is %v, not %v", is, want)
		}
		return ""
	})
}

func TestToolSwitchesLLROffAndOn(t *testing.T) {
	top := direct(t)
	p := top.daemons(settings{})
	numbered := func(t *testing.T) {
		t.Helper()
		c := top.between()
		c.Frames = 5_000
		untouched(t, c)
	}
	t.Run("remote", func(t *testing.T) {
		p.a.tool("llr", "remote", "disable", "link0").succeeds()
		p.a.status("tx_status", "OFF")
		p.a.status("llr_mode_remote", false)
		before := p.a.link().Counters.TxBare
		numbered(t) // without a number, but across a good wire
		if n := p.a.link().Counters.TxBare - before; n < 5_000 {
			t.Errorf("only %d frames left without a number", n)
		}
		p.a.tool("llr", "remote", "enable", "link0").succeeds()
		p.a.status("tx_status", "ADVANCE")
		numbered(t)
	})
	t.Run("local", func(t *testing.T) {
		p.a.tool("llr", "local", "disable", "link0").succeeds()
		p.a.status("rx_status", "OFF")
		p.a.status("llr_mode_local", false)
		p.a.tool("llr", "local", "enable", "link0").succeeds()
		p.a.status("rx_status", "SEND_ACKS")
		hostA, hostB := open(t, top.hostA, "eth0", probeType), open(t, top.hostB, "eth0", probeType)
		crosses(hostA, hostB, patience)
		crosses(hostB, hostA, patience)
		p.advance()
		numbered(t)
	})
	t.Run("reinit", func(t *testing.T) {
		before := p.a.llrCounters().TxInitCtlOS
		p.a.tool("llr", "reinit", "link0").succeeds()
		p.a.status("tx_status", "ADVANCE")
		if p.a.llrCounters().TxInitCtlOS == before {
			t.Error("there was no LLR_INIT")
		}
		numbered(t)
	})
}

func TestToolClearsCounters(t *testing.T) {
	top := direct(t)
	p := top.daemons(settings{})
	c := top.between()
	c.Frames = 5_000
	untouched(t, c)
	ok := func(d *daemon) float64 {
		return d.tool("llr", "counters", "link0").succeeds().objects()[0]["llr_rx_ok"].(float64)
	}
	if n := ok(p.a); n < 5_000 {
		t.Errorf("llr_rx_ok is %v", n)
	}
	p.a.tool("llr", "counters", "clear", "link0").succeeds()
	if n := ok(p.a); n != 0 {
		t.Errorf("llr_rx_ok is %v after it was cleared", n)
	}
	if n := p.a.edge().Counters.RxFrames; n < 5_000 {
		t.Errorf("clearing link0 left %d frames at edge0", n)
	}
	p.a.tool("llr", "counters", "clear").succeeds()
	if e := p.a.edge(); e.Counters != (dataplane.PortCounters{}) {
		t.Errorf("clearing all left %+v", e.Counters)
	}
}

func TestToolSpeaksSAIsNames(t *testing.T) {
	top := direct(t)
	p := top.daemons(settings{})
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
		object := p.a.tool(c.args...).succeeds().objects()[0]
		for _, want := range strings.Split(strings.ReplaceAll(c.keys, "face {}", "face{}"), " ") {
			key, kind, _ := strings.Cut(want, ":")
			if is := strings.ReplaceAll(fmt.Sprintf("%T", object[key]), " {}", "{}"); is != kind {
				t.Errorf("uelink %s: %s is a %s, not a %s", strings.Join(c.args, " "), key, is, kind)
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
		if a := p.a.tool(c.args...); a.code != c.code || strings.Count(strings.TrimSpace(a.stderr), "\n") > 0 && c.code != 2 {
			t.Errorf("uelink %s: exit %d, not %d: %s", a.args, a.code, c.code, a.stderr)
		}
	}
}

func TestToolWatches(t *testing.T) {
	top := direct(t)
	p := top.daemons(settings{})
	w := start(t, top.A, "uelink watch", exec.Command(program("uelink"), "--socket", p.a.socket, "-o", "json", "watch"))
	eventually(t, "an event of LLR", func() string {
		p.a.tool("llr", "reinit", "link0").succeeds()
		if !strings.Contains(w.stdout.String(), `"event":"llr_tx_status"`) {
			return "there is none"
		}
		return ""
	})
	must(t, top.A.SetLink("link0", false))
	eventually(t, "an event of the interface", func() string {
		if !strings.Contains(w.stdout.String(), `"event":"oper_status","text":"down"`) {
			return w.stdout.String()
		}
		return ""
	})
	w.signal(syscall.SIGINT)
	if code := w.wait(); code != 0 {
		t.Errorf("exit %d", code)
	}
	var kinds []string
	for line := range strings.Lines(w.stdout.String()) {
		var e control.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.Time.IsZero() || e.Port != "link0" {
			t.Errorf("%v: %s", err, line)
		}
		kinds = append(kinds, e.Kind)
	}
	slices.Sort(kinds)
	t.Log(slices.Compact(kinds))
}
