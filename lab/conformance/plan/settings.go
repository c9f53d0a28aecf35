package plan

import (
	"fmt"
	"time"
)

// settings is what a case needs of both ends.
type settings struct {
	frames  int           // OUTSTANDING_FRAMES_MAX
	octets  int           // OUTSTANDING_BYTES_MAX
	timer   time.Duration // REPLAY_TIMER_MAX
	count   int           // REPLAY_COUNT_MAX, 255: no limit
	flush   string        // FLUSH_LLR_FRAME_ACTION
	reInit  bool          // RE_INIT_ON_FLUSH
	off     bool          // LLR is off both ways
	spares  bool          // the links besides link0 are in use
	credits string        // the section cbfc of the link, without braces; empty: none
	edge    string        // further keys of the edge
}

// common returns the settings of most cases: a timer above the pauses of a busy machine, and no limit of replays.
func common() settings {
	return settings{frames: 512, octets: 8 << 20, timer: 200 * time.Millisecond, count: 255, flush: "block", reInit: true}
}

// several returns the settings with the spare links.
func (s settings) several() settings {
	s.spares = true
	return s
}

// withTimer returns the settings with another replay timer.
func (s settings) withTimer(timer time.Duration) settings {
	s.timer = timer
	return s
}

// configuration is the text of a daemon's configuration file, with verbs for what the method text fills in.
const configuration = `log: {level: warn, format: json}
control: {socket: %q, mode: "0600"}
llr_profiles:
  plan: {max_outstanding_frames: %d, max_outstanding_bytes: %d, max_replay_timer: %v, max_replay_count: %d,
    hold_timeout: 0, init_action: block, flush_action: %s, re_init_on_flush: %t, replay: %s}
ports:
  - {name: link0, interface: link0, role: link, fcs: true, mtu: check,
    llr: {mode: static, local: %t, remote: %t, profile: plan}%s}
%s  - {name: edge0, interface: edge0, role: edge%s}
xconnects: [{edge: edge0, link: link0}%s]
`

// spares is the number of links besides link0, which crosses the wire. Spare links join A and B directly.
const spares = 3

// text returns the configuration of an end. socket is the path of its API.
func (s settings) text(socket, replay string) string {
	credits, edge, ports, xconnects := "", "", "", ""
	if s.credits != "" {
		credits = ", cbfc: {" + s.credits + "}"
	}
	if s.edge != "" {
		edge = ", " + s.edge
	}
	for i := 1; s.spares && i <= spares; i++ {
		ports += fmt.Sprintf("  - {name: link%d, interface: link%[1]d, role: link, fcs: true, mtu: check, "+
			"llr: {mode: static, local: true, remote: true, profile: plan}}\n"+
			"  - {name: edge%[1]d, interface: edge%[1]d, role: edge}\n", i)
		xconnects += fmt.Sprintf(", {edge: edge%d, link: link%[1]d}", i)
	}
	return fmt.Sprintf(configuration, socket, s.frames, s.octets, s.timer, s.count, s.flush, s.reInit, replay, !s.off,
		!s.off, credits, ports, edge, xconnects)
}
