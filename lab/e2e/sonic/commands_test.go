package sonic

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"uelink/lab/e2e/bed"
	"uelink/sonic"
)

// TestCommandsOfSONiC makes, one after the other, the changes of CONFIG_DB that SONiC's commands make, each of a single
// field, and demands after each what its commands read then: show llr interface, llrstat, show llr profile.
func TestCommandsOfSONiC(t *testing.T) {
	t.Parallel()
	p, s := linked(t)
	join(t, p.A, configuration(t, s, ""))
	s.config("PORT|Ethernet0", "admin_status", "up")
	s.config("LLR_PROFILE|fast", "max_outstanding_frames", "264", "max_outstanding_bytes", "135000")
	s.config("LLR_PORT|Ethernet0", "llr_profile", "fast")
	s.hasField(sonic.StateDB, "SWITCH_CAPABILITY|switch", "LLR_CAPABLE", "true") // else every command refuses
	s.shows(t, "Ethernet0 N/A disabled disabled -")
	for _, step := range []struct{ command, key, field, value, shown string }{
		{"counterpoll llr enable", "FLEX_COUNTER_TABLE|LLR", "FLEX_COUNTER_STATUS", "enable",
			"Ethernet0 N/A disabled disabled -"},
		{"counterpoll llr interval 100", "FLEX_COUNTER_TABLE|LLR", "POLL_INTERVAL", "100",
			"Ethernet0 N/A disabled disabled -"},
		{"config llr interface mode Ethernet0 static", "LLR_PORT|Ethernet0", "llr_mode", "static",
			"Ethernet0 static disabled disabled -"},
		{"config llr interface local Ethernet0 enabled", "LLR_PORT|Ethernet0", "llr_local", "enabled",
			"Ethernet0 static enabled disabled -"},
		{"config llr interface remote Ethernet0 enabled", "LLR_PORT|Ethernet0", "llr_remote", "enabled",
			"Ethernet0 static enabled enabled fast"},
	} {
		s.config(step.key, step.field, step.value)
		s.shows(t, step.shown, step.command)
	}
	p.Advance()
	s.counts(t, "Ethernet0")
	s.becomes(sonic.ApplDB, "LLR_PROFILE_TABLE:fast", pairs("max_outstanding_frames", "264", "max_outstanding_bytes",
		"135000"))
	s.config("FLEX_COUNTER_TABLE|LLR", "FLEX_COUNTER_STATUS", "disable") // the counters stay as they were
	s.counts(t, "Ethernet0")
	s.config("LLR_PORT|Ethernet0", "llr_remote", "disabled")
	s.shows(t, "Ethernet0 static enabled disabled -")
	s.becomes(sonic.ApplDB, "LLR_PROFILE_TABLE:fast", pairs())
}

// shows waits until the rows that `show llr interface` reads are these lines: port, mode, local, remote, profile. Ports
// of APPL_DB have its fields; other ports those of CONFIG_DB, and no profile.
func (s *server) shows(t *testing.T, want ...string) {
	t.Helper()
	command := strings.Join(want[1:], "")
	bed.Eventually(t, "show llr interface "+command, func() string {
		if lines := s.interfaces(); !slices.Equal(lines, want[:1]) {
			return fmt.Sprintf("it prints %q, want %q", lines, want[:1])
		}
		return ""
	})
}

// interfaces returns the lines of `show llr interface`.
func (s *server) interfaces() (lines []string) {
	or := func(row map[string]string, field, without string) string {
		if value := row[field]; value != "" {
			return value
		}
		return without
	}
	published := map[string]bool{}
	add := func(port, profile string, row map[string]string) {
		lines = append(lines, fmt.Sprintln(port, or(row, "llr_mode", "N/A"), or(row, "llr_local", "disabled"),
			or(row, "llr_remote", "disabled"), profile))
	}
	for _, key := range s.keys(sonic.ApplDB, "LLR_PORT_TABLE:*") {
		port, row := strings.TrimPrefix(key, "LLR_PORT_TABLE:"), s.row(sonic.ApplDB, key)
		published[port] = true
		add(port, or(row, "llr_profile", "N/A"), row)
	}
	for _, key := range s.keys(sonic.ConfigDB, "LLR_PORT|*") {
		if port := strings.TrimPrefix(key, "LLR_PORT|"); !published[port] {
			add(port, "-", s.row(sonic.ConfigDB, key))
		}
	}
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return lines
}

// counts waits until llrstat has a number for each counter of a published port: by COUNTERS_PORT_NAME_MAP, where
// PORT_COUNTER_CAPABILITIES says true.
func (s *server) counts(t *testing.T, port string) {
	t.Helper()
	bed.Eventually(t, "llrstat -i "+port, func() string {
		if s.db[sonic.ApplDB].Exists(context.Background(), "LLR_PORT_TABLE:"+port).Val() == 0 {
			return "the port is not published"
		}
		oid := s.row(sonic.CountersDB, "COUNTERS_PORT_NAME_MAP")[port]
		counters, capable := s.row(sonic.CountersDB, "COUNTERS:"+oid), s.row(sonic.StateDB, "PORT_COUNTER_CAPABILITIES|LLR")
		for _, name := range llrStats {
			var n uint64
			if _, err := fmt.Sscan(counters["SAI_PORT_STAT_"+name], &n); err != nil || capable[name] != "true" {
				return fmt.Sprintf("%s is N/A: %q, capable %q", name, counters["SAI_PORT_STAT_"+name], capable[name])
			}
		}
		return ""
	})
}
