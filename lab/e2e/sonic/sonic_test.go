package sonic

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"uelink/lab/e2e/bed"
	"uelink/sonic"
)

// The ends of the link: LLR of A is off by its configuration.
var (
	off = bed.Settings{Profile: bed.Lossless.Profile, LLR: "mode: off"}
	on  = bed.Lossless
)

func writeFile(t testing.TB, name, text string) {
	t.Helper()
	bed.Must(t, os.WriteFile(name, []byte(text), 0o644))
}

// configuration returns the configuration of uelink sonic: Ethernet0 is link0. lookup is the text of a lookup table.
func configuration(t testing.TB, s *server, lookup string) string {
	t.Helper()
	text := fmt.Sprintf("redis: {socket: %q}\nports:\n  - {name: Ethernet0, port: link0}\n", s.Socket)
	if lookup != "" {
		file := filepath.Join(t.TempDir(), "llr_profile_lookup.ini")
		writeFile(t, file, lookup)
		text += "profile_lookup: " + file + "\n"
	}
	return text
}

// fast is the fields of an LLR profile as SONiC has them, which in software would flush for ever without floors.
var fast = []string{"max_outstanding_frames", "264", "max_outstanding_bytes", "135000", "max_replay_count", "255",
	"max_replay_timer", "5000", "pcs_lost_timeout", "50000", "data_age_timeout", "20000", "ctlos_spacing_bytes", "2048",
	"init_action", "best_effort", "flush_action", "block"}

// pairs returns fields as a map.
func pairs(fields ...string) map[string]string {
	out := map[string]string{}
	for i := 0; i < len(fields); i += 2 {
		out[fields[i]] = fields[i+1]
	}
	return out
}

// portsyncd writes a field of a row that uelink sonic writes, too, as another process of SONiC's does.
func (s *server) portsyncd() { s.set(sonic.StateDB, "PORT_TABLE|Ethernet0", "admin_status", "up") }

// load writes CONFIG_DB, as SONiC does from config_db.json.
func (s *server) load() {
	s.portsyncd()
	s.config("PORT|Ethernet0", "admin_status", "up", "mtu", "1600", "lanes", "0", "speed", "10000")
	s.config("FLEX_COUNTER_TABLE|LLR", "FLEX_COUNTER_STATUS", "enable", "FLEX_COUNTER_DELAY_STATUS", "false",
		"POLL_INTERVAL", "100")
	s.config("LLR_PROFILE|fast", fast...)
	s.config("LLR_PORT|Ethernet0", "llr_mode", "static", "llr_local", "enabled", "llr_remote", "enabled", "llr_profile",
		"fast")
}

// TestSONiC: rows of CONFIG_DB bring LLR up on a bad wire, and every row that SONiC's commands read is there and right;
// also after a restart of Redis in the middle, and after one of the daemon. At the end the rows are gone.
func TestSONiC(t *testing.T) {
	top := bed.Cabled(t)
	top.Cable(bed.BadWire...)
	p := bed.Pair{A: bed.NewDaemon(t, top.A, "A", off), B: bed.NewDaemon(t, top.B, "B", on)}
	p.A.Start()
	p.B.Start()
	s := newServer(t, top.A)
	s.portsyncd()
	before := s.rows()
	j := join(t, p.A, configuration(t, s, ""))
	s.load()
	p.Advance()
	traffic := top.Between()
	traffic.Frames, traffic.Size = 10_000, "imix"
	bed.Untouched(t, traffic)
	s.agrees(t, p.A)
	s.checkRows(t, p.A)
	s.checkCLI(t)
	j.says("CONFIG_DB PORT|Ethernet0", `"lanes"`, "is ignored")
	p.NoFlush(t)

	t.Run("redis is restarted", func(t *testing.T) {
		reinit := p.A.LLRCounters().TxReinit
		s.Signal(syscall.SIGKILL)
		s.Wait()
		j.says("waiting for Redis")
		s.start()
		s.hasField(sonic.StateDB, "SWITCH_CAPABILITY|switch", "LLR_CAPABLE", "true")
		s.hasField(sonic.StateDB, "LLR_PORT_STATE|Ethernet0", "tx_status", "ADVANCE") // CONFIG_DB is empty, and LLR goes on
		s.load()
		s.agrees(t, p.A)
		s.checkRows(t, p.A)
		if c := p.A.LLRCounters(); c.TxReinit != reinit {
			t.Errorf("LLR began again: %+v", c)
		}
	})
	t.Run("the daemon is restarted", func(t *testing.T) {
		p.A.Terminate()
		j.says("waiting for uelinkd")
		s.becomes(sonic.StateDB, "LLR_PORT_STATE|Ethernet0", map[string]string{})
		p.A.Start()
		p.Advance()
		s.hasField(sonic.StateDB, "LLR_PORT_STATE|Ethernet0", "tx_status", "ADVANCE")
		s.checkRows(t, p.A)
	})
	if code := j.Terminate(); code != 0 {
		t.Errorf("exit %d", code)
	}
	var left strings.Builder
	for line := range strings.Lines(s.rows()) {
		if !strings.HasPrefix(line, "CONFIG_DB") {
			left.WriteString(line)
		}
	}
	if left.String() != before {
		t.Errorf("at the end there are\n%s, want\n%s", left.String(), before)
	}
	if got := p.A.LLR(); !got.Established() {
		t.Errorf("LLR ended with uelink sonic: %+v", got)
	}
}

// agrees waits until COUNTERS_DB has the counters of `uelink llr counters`, on a link at rest.
func (s *server) agrees(t *testing.T, d *bed.Daemon) {
	t.Helper()
	bed.Eventually(t, "COUNTERS_DB agrees with uelink", func() string {
		oid := s.row(sonic.CountersDB, "COUNTERS_PORT_NAME_MAP")["Ethernet0"]
		counters := s.row(sonic.CountersDB, "COUNTERS:"+oid)
		var want []map[string]any
		answer := d.Tool("llr", "counters", "link0").Succeeds()
		decoder := json.NewDecoder(strings.NewReader(answer.Stdout))
		decoder.UseNumber()
		bed.Must(t, decoder.Decode(&want))
		n := 0
		for key, value := range want[0] {
			if !strings.HasPrefix(key, "llr_") {
				continue
			}
			n++
			got, wanted := counters["SAI_PORT_STAT_"+strings.ToUpper(key)], fmt.Sprint(value)
			if got != wanted {
				return fmt.Sprintf("%s is %q, uelink says %v", key, got, value)
			}
		}
		if n != len(llrStats) || len(counters) != n {
			t.Fatalf("%d counters of uelink, %d of SONiC: %v", n, len(counters), counters)
		}
		return ""
	})
}

// checkRows demands every row and every field, all of one port.
func (s *server) checkRows(t *testing.T, d *bed.Daemon) {
	t.Helper()
	s.becomes(sonic.ApplDB, "LLR_PORT_TABLE:Ethernet0", pairs("llr_mode", "static", "llr_local", "enabled", "llr_remote",
		"enabled", "llr_profile", "fast"))
	s.becomes(sonic.ApplDB, "LLR_PROFILE_TABLE:fast", pairs(fast...))
	s.becomes(sonic.ApplDB, "_LLR_PROFILE_TABLE:fast", pairs(fast...))
	s.becomes(sonic.StateDB, "SWITCH_CAPABILITY|switch", pairs("LLR_CAPABLE", "true", "LLR_SUPPORTED_PROFILE_ATTRIBUTES",
		"OUTSTANDING_FRAMES_MAX,OUTSTANDING_BYTES_MAX,REPLAY_TIMER_MAX,REPLAY_COUNT_MAX,PCS_LOST_TIMEOUT,DATA_AGE_TIMEOUT,"+
			"INIT_LLR_FRAME_ACTION,FLUSH_LLR_FRAME_ACTION,RE_INIT_ON_FLUSH,CTLOS_TARGET_SPACING"))
	capabilities, names := map[string]string{}, []string{}
	for _, name := range llrStats {
		capabilities[name] = "true"
		names = append(names, "SAI_PORT_STAT_"+name)
	}
	s.becomes(sonic.StateDB, "PORT_COUNTER_CAPABILITIES|LLR", capabilities)
	s.becomes(sonic.StateDB, "PORT_TABLE|Ethernet0", pairs("admin_status", "up", "speed", "10000", "mtu", "1600",
		"netdev_oper_status", "up"))
	s.becomes(sonic.StateDB, "LLR_PORT_STATE|Ethernet0", pairs("tx_status", "ADVANCE", "rx_status", "SEND_ACKS"))
	oid := s.row(sonic.CountersDB, "COUNTERS_PORT_NAME_MAP")["Ethernet0"]
	if !strings.HasPrefix(oid, "oid:0x1") {
		t.Errorf("the object of Ethernet0 is %q", oid)
	}
	s.becomes(sonic.FlexCounterDB, "FLEX_COUNTER_TABLE:LLR_PORT_STAT_COUNTER:"+oid,
		pairs("PORT_COUNTER_ID_LIST", strings.Join(names, ",")))
	for set, want := range map[string]string{"LLR_PORT_TABLE_KEY_SET": "Ethernet0", "LLR_PROFILE_TABLE_KEY_SET": "fast"} {
		if got, err := s.db[sonic.ApplDB].SMembers(t.Context(), set).Result(); err != nil || len(got) != 1 || got[0] != want {
			t.Errorf("%s has %v, %v", set, got, err)
		}
	}
	profile, err := d.Client.LLRProfile(t.Context(), d.LLR().Profile)
	if err != nil || profile.MaxOutstandingFrames != 264 || profile.MaxOutstandingBytes != 135000 ||
		profile.MaxReplayCount != 255 || profile.FlushAction != "block" || !profile.ReInitOnFlush {
		t.Errorf("the daemon's profile is %+v, %v", profile, err)
	}
	if mtu := d.Link().MTU; mtu != 1600 {
		t.Errorf("the MTU is %d", mtu)
	}
}

// llrStats is SAI's LLR statistics of a port, in SAI's order.
var llrStats = []string{"LLR_TX_INIT_CTL_OS", "LLR_TX_INIT_ECHO_CTL_OS", "LLR_TX_ACK_CTL_OS", "LLR_TX_NACK_CTL_OS",
	"LLR_TX_DISCARD", "LLR_TX_OK", "LLR_TX_POISONED", "LLR_TX_REPLAY", "LLR_RX_INIT_CTL_OS", "LLR_RX_INIT_ECHO_CTL_OS",
	"LLR_RX_ACK_CTL_OS", "LLR_RX_NACK_CTL_OS", "LLR_RX_ACK_NACK_SEQ_ERROR", "LLR_RX_OK", "LLR_RX_POISONED", "LLR_RX_BAD",
	"LLR_RX_EXPECTED_SEQ_GOOD", "LLR_RX_EXPECTED_SEQ_POISONED", "LLR_RX_EXPECTED_SEQ_BAD", "LLR_RX_MISSING_SEQ",
	"LLR_RX_DUPLICATE_SEQ", "LLR_RX_REPLAY"}

// checkCLI reads key by key what SONiC's commands read.
func (s *server) checkCLI(t *testing.T) {
	t.Helper()
	if capable := s.row(sonic.StateDB, "SWITCH_CAPABILITY|switch")["LLR_CAPABLE"]; capable != "true" {
		t.Fatalf("config llr and show llr refuse: LLR_CAPABLE is %q", capable)
	}
	// show llr interface
	for _, key := range s.keys(sonic.ApplDB, "LLR_PORT_TABLE:*") {
		row := s.row(sonic.ApplDB, key)
		if key != "LLR_PORT_TABLE:Ethernet0" || row["llr_mode"] != "static" || row["llr_local"] != "enabled" ||
			row["llr_remote"] != "enabled" || row["llr_profile"] != "fast" {
			t.Errorf("%s: %v", key, row)
		}
	}
	// show llr profile
	for _, key := range s.keys(sonic.ApplDB, "LLR_PROFILE_TABLE:*") {
		for _, field := range []string{"max_outstanding_frames", "max_outstanding_bytes", "max_replay_count",
			"max_replay_timer", "pcs_lost_timeout", "data_age_timeout", "ctlos_spacing_bytes", "init_action", "flush_action"} {
			if s.row(sonic.ApplDB, key)[field] == "" {
				t.Errorf("%s has no %s", key, field)
			}
		}
	}
	// show llr counters
	for port, oid := range s.row(sonic.CountersDB, "COUNTERS_PORT_NAME_MAP") {
		counters := s.row(sonic.CountersDB, "COUNTERS:"+oid)
		for name, supported := range s.row(sonic.StateDB, "PORT_COUNTER_CAPABILITIES|LLR") {
			if counters["SAI_PORT_STAT_"+name] == "" || supported != "true" {
				t.Errorf("%s has no %s: %v", port, name, supported)
			}
		}
	}
	// config llr interface: the port has to be there
	if len(s.row(sonic.ConfigDB, "PORT|Ethernet0")) == 0 || len(s.row(sonic.ConfigDB, "LLR_PORT|Ethernet0")) == 0 {
		t.Error("CONFIG_DB has lost a row")
	}
}
