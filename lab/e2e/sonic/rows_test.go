package sonic

import (
	"fmt"
	"strings"
	"testing"

	"uelink/lab/e2e/bed"
	"uelink/sonic"
)

// linked starts a daemon at each end of a cable without losses, LLR of A off, and a redis-server beside A.
func linked(t *testing.T) (p bed.Pair, s *server) {
	t.Helper()
	top := bed.Direct(t)
	p = bed.Pair{A: bed.NewDaemon(t, top.A, "A", off), B: bed.NewDaemon(t, top.B, "B", on)}
	p.A.Start()
	p.B.Start()
	return p, newServer(t, top.A)
}

// lookup is a lookup table for the speed of a veth.
const lookup = `# a comment
speed cable outstanding_frames outstanding_bytes replay_count flush_action unheard_of
10000 5m    100                50000             255          block        -
10000 40m   200                100000            255          -            1
`

// TestWrongRowsChangeNothing: a wrong row is logged with its key and field, and LLR goes on as it was. A row that is
// right again acts.
func TestWrongRowsChangeNothing(t *testing.T) {
	t.Parallel()
	p, s := linked(t)
	j := join(t, p.A, configuration(t, s, lookup))
	s.load()
	p.Advance()
	j.says("llr_profile_lookup.ini:2", "unheard_of")
	before := p.A.LLRCounters()
	for _, wrong := range []struct{ key, field, value string }{
		{"LLR_PROFILE|fast", "max_outstanding_frames", "600000"},
		{"LLR_PROFILE|fast", "max_replay_count", "0"},
		{"LLR_PROFILE|fast", "flush_action", "burn"},
		{"LLR_PORT|Ethernet0", "llr_local", "off"},
		{"LLR_PORT|Ethernet0", "llr_mode", "dynamic"},
		{"LLR_PORT|Ethernet0", "llr_mode", "automatic"},
		{"FLEX_COUNTER_TABLE|LLR", "POLL_INTERVAL", "-1"},
		{"FLEX_COUNTER_TABLE|LLR", "FLEX_COUNTER_STATUS", "on"},
		{"PORT|Ethernet0", "mtu", "20000"},
		{"PORT|Ethernet0", "admin_status", "sleeping"},
		{"CABLE_LENGTH|AZURE", "Ethernet0", "far"},
		{"LLR_CONFIG|GLOBAL", "mode", "never"},
	} {
		old := s.row(sonic.ConfigDB, wrong.key)[wrong.field]
		s.config(wrong.key, wrong.field, wrong.value)
		j.says("CONFIG_DB "+wrong.key, `"field":"`+wrong.field+`"`, wrong.value)
		s.checkRows(t, p.A)
		if old == "" {
			bed.Must(t, s.db[sonic.ConfigDB].HDel(t.Context(), wrong.key, wrong.field).Err())
			continue
		}
		s.config(wrong.key, wrong.field, old)
	}
	if c := p.A.LLRCounters(); c.TxReinit != before.TxReinit || c.TxFlush != before.TxFlush {
		t.Errorf("LLR began again: %+v, before %+v", c, before)
	}
	bed.Must(t, s.db[sonic.ConfigDB].Set(t.Context(), "LLR_PROFILE|text", "no hash", 0).Err())
	j.says("CONFIG_DB LLR_PROFILE|text", "the key is no hash")
	s.config("LLR_PROFILE|fast", "max_replay_count", "200")
	s.hasField(sonic.ApplDB, "LLR_PROFILE_TABLE:fast", "max_replay_count", "200")
	p.Advance()
	if strings.Contains(j.Stderr.String(), "waiting for") {
		t.Error("a session ended")
	}
}

// profile waits until the daemon's LLR runs by a profile with this number of outstanding frames.
func profile(d *bed.Daemon, frames int) {
	d.T.Helper()
	bed.Eventually(d.T, fmt.Sprintf("a profile of %d frames", frames), func() string {
		got := d.LLR()
		profile, err := d.Client.LLRProfile(d.T.Context(), got.Profile)
		if err != nil || profile.MaxOutstandingFrames != frames {
			return fmt.Sprintf("it is %+v, %v", profile, err)
		}
		return d.Advances()
	})
}

// TestProfileOfAPort: the user's profile, then those of the lookup table by the cable and the speed, and none; and
// what nobody uses is gone, at the daemon too.
func TestProfileOfAPort(t *testing.T) {
	t.Parallel()
	p, s := linked(t)
	j := join(t, p.A, configuration(t, s, lookup))
	s.load()
	profile(p.A, 264)
	s.config("LLR_PROFILE|fast", "max_outstanding_frames", "300") // set when it is made, so it is made again
	profile(p.A, 300)
	if text := p.A.ToolText("sai", "objects"); strings.Count(text, "made by sai") != 1 {
		t.Errorf("uelink sai objects:\n%s", text)
	}
	bed.Must(t, s.db[sonic.ConfigDB].HDel(t.Context(), "LLR_PORT|Ethernet0", "llr_profile").Err())
	j.says("CONFIG_DB LLR_PORT|Ethernet0", "no cable length")
	s.becomes(sonic.ApplDB, "LLR_PORT_TABLE:Ethernet0", pairs())
	s.becomes(sonic.ApplDB, "LLR_PROFILE_TABLE:fast", pairs())
	s.hasField(sonic.StateDB, "LLR_PORT_STATE|Ethernet0", "tx_status", "OFF")
	s.config("CABLE_LENGTH|AZURE", "Ethernet0", "40m")
	profile(p.A, 200)
	s.becomes(sonic.ApplDB, "LLR_PROFILE_TABLE:llr_10000_40m_profile", pairs("max_outstanding_frames", "200",
		"max_outstanding_bytes", "100000", "max_replay_count", "255"))
	s.hasField(sonic.ApplDB, "LLR_PORT_TABLE:Ethernet0", "llr_profile", "llr_10000_40m_profile")
	s.config("CABLE_LENGTH|AZURE", "Ethernet0", "5m")
	profile(p.A, 100)
	s.becomes(sonic.ApplDB, "LLR_PROFILE_TABLE:llr_10000_40m_profile", pairs())
	s.set(sonic.StateDB, "PORT_TABLE|Ethernet0", "speed", "200000")
	j.says("CONFIG_DB LLR_PORT|Ethernet0", "no line for speed 200000 and cable 5m")
	s.becomes(sonic.ApplDB, "LLR_PORT_TABLE:Ethernet0", pairs())
	s.set(sonic.StateDB, "PORT_TABLE|Ethernet0", "speed", "10000")
	profile(p.A, 100)
	s.config("LLR_PORT|Ethernet0", "llr_remote", "disabled")
	s.becomes(sonic.ApplDB, "LLR_PORT_TABLE:Ethernet0", pairs())
	s.hasField(sonic.StateDB, "LLR_PORT_STATE|Ethernet0", "tx_status", "OFF")
	bed.Must(t, s.db[sonic.ConfigDB].Del(t.Context(), "LLR_PORT|Ethernet0").Err())
	s.becomes(sonic.ApplDB, "LLR_PORT_TABLE:Ethernet0", pairs())
	s.hasField(sonic.StateDB, "LLR_PORT_STATE|Ethernet0", "rx_status", "OFF")
	bed.Eventually(t, "APPL_DB is empty, without the sets for consumers, too", func() string {
		if keys := s.keys(sonic.ApplDB, "*"); len(keys) > 0 {
			return fmt.Sprint(keys)
		}
		return ""
	})
	bed.Eventually(t, "the daemon's profile is gone", func() string {
		if text := p.A.ToolText("sai", "objects"); strings.Contains(text, "made by sai") {
			return text
		}
		return ""
	})
}

// TestPortRow: of PORT, admin_status and mtu are obeyed.
func TestPortRow(t *testing.T) {
	t.Parallel()
	p, s := linked(t)
	join(t, p.A, configuration(t, s, ""))
	s.config("PORT|Ethernet0", "admin_status", "down", "mtu", "3000")
	p.A.OperStatus("link0", "down")
	s.hasField(sonic.StateDB, "PORT_TABLE|Ethernet0", "netdev_oper_status", "down")
	s.hasField(sonic.StateDB, "PORT_TABLE|Ethernet0", "mtu", "3000")
	s.config("PORT|Ethernet0", "admin_status", "up", "mtu", "2000")
	p.A.OperStatus("link0", "up")
	s.hasField(sonic.StateDB, "PORT_TABLE|Ethernet0", "netdev_oper_status", "up")
	s.hasField(sonic.StateDB, "PORT_TABLE|Ethernet0", "mtu", "2000")
}

// TestCountersAreRead: FLEX_COUNTER_TABLE switches the counters on and off, and their values never go back.
func TestCountersAreRead(t *testing.T) {
	t.Parallel()
	p, s := linked(t)
	j := join(t, p.A, configuration(t, s, ""))
	j.says("FLEX_COUNTER_TABLE|LLR", "counters are written once")
	s.hasField(sonic.StateDB, "SWITCH_CAPABILITY|switch", "LLR_CAPABLE", "true")
	oid := s.row(sonic.CountersDB, "COUNTERS_PORT_NAME_MAP")["Ethernet0"]
	s.becomes(sonic.CountersDB, "COUNTERS:"+oid, pairs())
	s.becomes(sonic.FlexCounterDB, "FLEX_COUNTER_TABLE:LLR_PORT_STAT_COUNTER:"+oid, pairs())
	s.load()
	p.Advance()
	s.agrees(t, p.A)
	sent := s.row(sonic.CountersDB, "COUNTERS:"+oid)["SAI_PORT_STAT_LLR_TX_INIT_CTL_OS"]
	p.A.Tool("llr", "counters", "clear").Succeeds()
	bed.Eventually(t, "LLR_INIT is counted on", func() string {
		s.config("LLR_PORT|Ethernet0", "llr_remote", "disabled")
		s.hasField(sonic.StateDB, "LLR_PORT_STATE|Ethernet0", "tx_status", "OFF")
		s.config("LLR_PORT|Ethernet0", "llr_remote", "enabled")
		s.hasField(sonic.StateDB, "LLR_PORT_STATE|Ethernet0", "tx_status", "ADVANCE")
		var old, got int
		_, err := fmt.Sscan(sent, &old)
		bed.Must(t, err)
		_, err = fmt.Sscan(s.row(sonic.CountersDB, "COUNTERS:"+oid)["SAI_PORT_STAT_LLR_TX_INIT_CTL_OS"], &got)
		bed.Must(t, err)
		if got <= old {
			return fmt.Sprintf("it is %d, and was %d before the clear", got, old)
		}
		return ""
	})
	s.config("FLEX_COUNTER_TABLE|LLR", "FLEX_COUNTER_STATUS", "disable")
	s.becomes(sonic.FlexCounterDB, "FLEX_COUNTER_TABLE:LLR_PORT_STAT_COUNTER:"+oid, pairs())
}
