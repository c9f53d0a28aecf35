package config

import (
	"strings"
	"testing"
)

// parseError is the message about text, which must be refused with code 2.
func parseError(t *testing.T, text string) string {
	t.Helper()
	c, err := Parse("f", []byte(text))
	if err == nil {
		t.Fatalf("accepted: %+v", c)
	}
	coded, ok := err.(interface{ ExitCode() int })
	if !ok || coded.ExitCode() != 2 {
		t.Errorf("%T is not an error with exit code 2", err)
	}
	return err.Error()
}

// port puts keys into an otherwise right link port whose values start in line 1
// at column 49.
func port(keys string) string {
	return "ports: [{name: link0, interface: eth1, role: link, " + keys + "}, " + edge0
}

// edge0 is the other port of a document, and what ties link0 to it.
const edge0 = "{name: edge0, interface: veth1, role: edge}]\nxconnects: [{edge: edge0, link: link0}]"

func profile(keys string) string { return "llr_profiles: {fast: {" + keys + "}}" }

func TestBadValues(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"log level", "log: {level: loud}", `f:1:14: log.level: "loud" is not one of debug, info, warn, error`},
		{"log format", "log: {format: xml}", `f:1:15: log.format: "xml" is not one of auto, console, json`},
		{"log is text", "log: debug", `f:1:6: log: keys with values are expected here, not text`},
		{"log is a list", "log: [debug]", `f:1:6: log: keys with values are expected here, not a list`},
		{"level is a mapping", "log: {level: {a: 1}}",
			`f:1:14: log.level: a single value is expected here, not keys with values`},
		{"level is a list", "log:\n  level:\n    - info", `f:3:5: log.level: a single value is expected here, not a list`},
		{"level without value", "log:\n  level:\n", `f:2:9: log.level: a value is missing`},

		{"socket relative", "control: {socket: run/x.sock}", `f:1:19: control.socket: "run/x.sock" is not an absolute path`},
		{"socket empty", `control: {socket: ""}`, `f:1:19: control.socket: "" is not an absolute path`},
		{"socket number", "control: {socket: 5}", `f:1:19: control.socket: 5 is a number here: put it in quotes`},
		{"socket with a zero octet", `control: {socket: "/a\0b"}`, `f:1:19: control.socket: "/a\x00b" is not a path`},
		{"socket long", "control: {socket: /" + strings.Repeat("x", 107) + "}",
			`f:1:19: control.socket: "/` + strings.Repeat("x", 107) + `" is longer than the 107 octets of a socket path`},
		{"mode word", "control: {mode: rw}",
			`f:1:17: control.mode: "rw" is not a mode: write three octal digits behind a 0, such as "0660"`},
		{"mode not octal", "control: {mode: 0680}",
			`f:1:17: control.mode: "0680" is not a mode: write three octal digits behind a 0, such as "0660"`},
		{"mode sticky", `control: {mode: "1777"}`,
			`f:1:17: control.mode: "1777" is not a mode: write three octal digits behind a 0, such as "0660"`},
		{"mode short", `control: {mode: "66"}`,
			`f:1:17: control.mode: "66" is not a mode: write three octal digits behind a 0, such as "0660"`},
		{"mode long", `control: {mode: "00660"}`,
			`f:1:17: control.mode: "00660" is not a mode: write three octal digits behind a 0, such as "0660"`},
		{"group", `control: {group: "a b"}`, `f:1:18: control.group: "a b" is not the name of a group`},
		{"group number", `control: {group: 1000}`, `f:1:18: control.group: 1000 is a number here: put it in quotes`},
		{"listen without port", "metrics: {listen: localhost}",
			`f:1:19: metrics.listen: "localhost" is not host:port, such as 127.0.0.1:9464`},
		{"listen port", `metrics: {listen: "localhost:99999"}`,
			`f:1:19: metrics.listen: "localhost:99999" is not host:port, such as 127.0.0.1:9464`},
		{"listen host", `metrics: {listen: "127.0.0.256:9464"}`, `f:1:19: metrics.listen: "127.0.0.256" is neither ` +
			`an IP address nor the name of a host, as in 127.0.0.1:9464`},
		{"listen words", `metrics: {listen: "the host:9464"}`, `f:1:19: metrics.listen: "the host" is neither ` +
			`an IP address nor the name of a host, as in 127.0.0.1:9464`},
		{"listen boolean", `metrics: {listen: true}`, `f:1:19: metrics.listen: true is a boolean here: put it in quotes`},

		{"page without host", `web: {listen: "8470"}`, `f:1:15: web.listen: "8470" is not host:port, such as 127.0.0.1:9464`},
		{"page without unix", `web: {listen: /run/web.sock}`, `f:1:15: web.listen: "/run/web.sock" has no unix: in front`},
		{"page at no path", `web: {listen: "unix:web.sock"}`, `f:1:15: web.listen: "web.sock" is not an absolute path`},
		{"page for all", `web: {listen: ":8470"}`, `f:1:15: web.listen: ":8470" is reached from other hosts, and the page ` +
			`has no password: listen on a unix socket or 127.0.0.1, and reach it by ssh -L, or set web.allow_remote: true ` +
			`and web.hosts`},
		{"page for no host", `web: {listen: "192.0.2.1:80", allow_remote: true}`, `f:1:45: web.allow_remote: web.hosts is ` +
			`missing: list the names by which browsers reach the page; others are refused`},
		{"page for a host with port", `web: {hosts: ["a.example:80"]}`, `f:1:15: web.hosts[0]: "a.example:80" is neither an ` +
			`IP address nor the name of a host: write it without port and brackets`},
		{"page for an empty host", `web: {hosts: [""]}`, `f:1:15: web.hosts[0]: the name of a host is missing`},
		{"page with mode", `web: {listen: "localhost:1", mode: "0600"}`, `f:1:36: web.mode: only a unix socket has this key: ` +
			`every user of this host may connect to localhost:1`},
		{"page with group", `web: {group: adm, listen: "127.0.0.1:1"}`, `f:1:14: web.group: only a unix socket has this ` +
			`key: every user of this host may connect to 127.0.0.1:1`},

		{"workers word", "workers: many", `f:1:10: workers: "many" is not a whole number`},
		{"workers quoted", `workers: "2"`, `f:1:10: workers: "2" is text, not a number: remove the quotes`},
		{"workers fraction", "workers: 1.5", `f:1:10: workers: "1.5" is not a whole number`},
		{"workers none", "workers: 0", `f:1:10: workers: 0 is out of range: 1 to 256`},
		{"workers many", "workers: 257", `f:1:10: workers: 257 is out of range: 1 to 256`},
		{"workers boolean", "workers: true", `f:1:10: workers: "true" is not a whole number`},
		{"workers beyond int64", "workers: 99999999999999999999",
			`f:1:10: workers: 99999999999999999999 is out of range: 1 to 256`},
		{"spin without unit", "spin: 50",
			`f:1:7: spin: "50" is not a duration: write a number and a unit, such as 50us, 2ms or 1s`},
		{"spin word", "spin: long",
			`f:1:7: spin: "long" is not a duration: write a number and a unit, such as 50us, 2ms or 1s`},
		{"spin negative", "spin: -1us", `f:1:7: spin: -1us is out of range: 0 to 1s`},
		{"spin long", "spin: 1001ms", `f:1:7: spin: 1001ms is out of range: 0 to 1s`},
		{"spin beyond int64", "spin: 10000000h",
			`f:1:7: spin: "10000000h" is not a duration: write a number and a unit, such as 50us, 2ms or 1s`},
		{"drain_timeout long", "drain_timeout: 11m", `f:1:16: drain_timeout: 11m is out of range: 0 to 10m`},

		{"window empty", profile("max_outstanding_frames: 0"),
			`f:1:47: llr_profiles.fast.max_outstanding_frames: 0 is out of range: 1 to 524288, and not auto`},
		{"window beyond a quarter of it, and selective", profile("max_outstanding_frames: 262145, replay: selective"),
			"f:1:63: llr_profiles.fast.replay: selective replay allows 262144 outstanding frames, and max_outstanding_frames is " +
				"262145: lower max_outstanding_frames, or set replay: auto, which then uses go-back-N"},
		{"window beyond half the sequence space", profile("max_outstanding_frames: 524289"),
			`f:1:47: llr_profiles.fast.max_outstanding_frames: 524289 is out of range: 1 to 524288, and not auto`},
		{"octets none", profile("max_outstanding_bytes: 0"),
			`f:1:46: llr_profiles.fast.max_outstanding_bytes: 0 is out of range: 1 to 4294967295 octets`},
		{"octets beyond 32 bits", profile("max_outstanding_bytes: 4GiB"),
			`f:1:46: llr_profiles.fast.max_outstanding_bytes: 4GiB is out of range: 1 to 4294967295 octets`},
		{"octets unit", profile("max_outstanding_bytes: 8Mi"),
			`f:1:46: llr_profiles.fast.max_outstanding_bytes: "8Mi" is not a size: write octets, or a number and a unit, ` +
				`such as 135000, 64KiB or 8MiB`},
		{"octets negative", profile("max_outstanding_bytes: -5"),
			`f:1:46: llr_profiles.fast.max_outstanding_bytes: "-5" is not a size: write octets, or a number and a unit, ` +
				`such as 135000, 64KiB or 8MiB`},
		{"octets not whole", profile("max_outstanding_bytes: 0.3KiB"),
			`f:1:46: llr_profiles.fast.max_outstanding_bytes: "0.3KiB" is not a size: write octets, or a number and a ` +
				`unit, such as 135000, 64KiB or 8MiB`},
		{"octets unit alone", profile("max_outstanding_bytes: MiB"),
			`f:1:46: llr_profiles.fast.max_outstanding_bytes: "MiB" is not a size: write octets, or a number and a unit, ` +
				`such as 135000, 64KiB or 8MiB`},
		{"replay timer off", profile("max_replay_timer: 0"),
			`f:1:41: llr_profiles.fast.max_replay_timer: 0 is out of range: 1ns to 1m, and not auto`},
		{"replay timer negative", profile("max_replay_timer: -2ms"),
			`f:1:41: llr_profiles.fast.max_replay_timer: -2ms is out of range: 1ns to 1m, and not auto`},
		{"replay count none", profile("max_replay_count: 0"),
			`f:1:41: llr_profiles.fast.max_replay_count: 0 is out of range: 1 to 255`},
		{"replay count large", profile("max_replay_count: 256"),
			`f:1:41: llr_profiles.fast.max_replay_count: 256 is out of range: 1 to 255`},
		{"hold", profile("hold_timeout: 61s"),
			`f:1:37: llr_profiles.fast.hold_timeout: 61s is out of range: 0 to 1m`},
		{"pcs lost", profile("pcs_lost_timeout: 61m"),
			`f:1:41: llr_profiles.fast.pcs_lost_timeout: 61m is out of range: 0 to 1h`},
		{"data age", profile("data_age_timeout: -1s"),
			`f:1:41: llr_profiles.fast.data_age_timeout: -1s is out of range: 0 to 1h`},
		{"init action", profile("init_action: drop"),
			`f:1:36: llr_profiles.fast.init_action: "drop" is not one of discard, block, best_effort`},
		{"flush action", profile("flush_action: BLOCK"),
			`f:1:37: llr_profiles.fast.flush_action: "BLOCK" is not one of discard, block, best_effort`},
		{"re-init", profile("re_init_on_flush: yes"),
			`f:1:41: llr_profiles.fast.re_init_on_flush: "yes" is not true or false`},
		{"spacing small", profile("ctlos_spacing_bytes: 399"),
			`f:1:44: llr_profiles.fast.ctlos_spacing_bytes: 399 is out of range: 400 to 16384`},
		{"spacing large", profile("ctlos_spacing_bytes: 16385"),
			`f:1:44: llr_profiles.fast.ctlos_spacing_bytes: 16385 is out of range: 400 to 16384`},
		{"profile name", "llr_profiles: {a b: {}}",
			`f:1:16: llr_profiles."a b": "a b" is not a name: letters, digits, '-', '_' and '.', with a letter, digit or ` +
				`'_' first`},
		{"profile is text", "llr_profiles: {fast: 1}",
			`f:1:22: llr_profiles.fast: keys with values are expected here, not a number`},
		{"profiles are a list", "llr_profiles: [fast]",
			`f:1:15: llr_profiles: keys with values are expected here, not a list`},

		{"port name empty", `ports: [{name: "", interface: eth1, role: edge}]`, `f:1:16: ports[0].name: a name is missing`},
		{"port name", `ports: [{name: -a, interface: eth1, role: edge}]`,
			`f:1:16: ports[0].name: "-a" is not a name: letters, digits, '-', '_' and '.', with a letter, digit or '_' first`},
		{"port name long", `ports: [{name: ` + strings.Repeat("n", 64) + `, interface: eth1, role: edge}]`,
			`f:1:16: ports[0].name: "` + strings.Repeat("n", 64) + `" is longer than 63 characters`},
		{"port name number", `ports: [{name: 7, interface: eth1, role: edge}]`,
			`f:1:16: ports[0].name: 7 is a number here: put it in quotes`},
		{"interface empty", `ports: [{name: a, interface: "", role: edge}]`,
			`f:1:30: ports[0].interface: the name of an interface is missing`},
		{"interface long", `ports: [{name: a, interface: ` + strings.Repeat("n", 128) + `, role: edge}]`,
			`f:1:30: ports[0].interface: "` + strings.Repeat("n", 128) + `" is longer than the 127 octets of an interface name`},
		{"interface with its other end", `ports: [{name: a, interface: veth1@if5, role: edge}]`,
			`f:1:30: ports[0].interface: "veth1@if5": leave out @if5, which ip link shows for the other end: veth1`},
		{"interface to create, long", `ports: [{name: a, interface: abcdefghijklmnop, role: edge, create: true, host_interface: h}]`,
			`f:1:30: ports[0].interface: "abcdefghijklmnop" is longer than the 15 octets of the name of a new interface ` +
				`(create: true)`},
		{"interface slash", `ports: [{name: a, interface: a/b, role: edge}]`,
			`f:1:30: ports[0].interface: "a/b" is not the name of an interface`},
		{"role", `ports: [{name: a, interface: eth1, role: bridge}]`,
			`f:1:42: ports[0].role: "bridge" is not one of link, edge, host`},
		{"port is text", `ports: [eth1]`, `f:1:9: ports[0]: keys with values are expected here, not text`},
		{"ports are text", `ports: eth1`, `f:1:8: ports: a list is expected here, not text`},
		{"ports are a mapping", "ports:\n  name: a", `f:2:3: ports: a list is expected here, not keys with values`},

		{"dialect", port("dialect: ue2"), `f:1:61: ports[0].dialect: "ue2" is not one of seed, ue1`},
		{"fcs", port("fcs: 1"), `f:1:57: ports[0].fcs: "1" is not true or false`},
		{"mtu", port("mtu: 1500"), `f:1:57: ports[0].mtu: "1500" is not one of auto, check, set`},
		{"offloads", port("offloads: some"), `f:1:62: ports[0].offloads: "some" is not one of auto, off, leave`},
		{"promiscuous", port("promiscuous: yes"), `f:1:65: ports[0].promiscuous: "yes" is not one of auto, true, false`},
		{"native", port("native: kernel"), `f:1:60: ports[0].native: "kernel" is not one of auto, socket, pass, drop`},
		{"xdp", port("xdp: skb"), `f:1:57: ports[0].xdp: "skb" is not one of auto, driver, generic`},
		{"bind", port("bind: zc"), `f:1:58: ports[0].bind: "zc" is not one of auto, copy, zerocopy`},
		{"opener", port("opener: libxdp"), `f:1:60: ports[0].opener: "libxdp" is not one of auto, asavie, native`},
		{"queues", port("queues: -1"), `f:1:60: ports[0].queues: -1 is out of range: 0 to 1024`},
		{"queues", port("queues: [4-2]"),
			`f:1:61: ports[0].queues[0]: "4-2" is not an RX queue: write 0 to 1023, or a range such as 4-7`},
		{"queues", port("tx_queue: 1024"), `f:1:62: ports[0].tx_queue: 1024 is out of range: 0 to 1023, and not auto`},
		{"ring size", port("ring_size: 1000"), `f:1:63: ports[0].ring_size: 1000 is not a power of two, 64 to 65536`},
		{"ring size small", port("ring_size: 32"), `f:1:63: ports[0].ring_size: 32 is not a power of two, 64 to 65536`},
		{"ring size large", port("ring_size: 131072"),
			`f:1:63: ports[0].ring_size: 131072 is not a power of two, 64 to 65536`},
		{"RX ring size", port("rx_ring_size: 1000"),
			`f:1:66: ports[0].rx_ring_size: 1000 is not a power of two, 64 to 65536, and not auto`},
		{"chunk size", port("chunk_size: 1024"), `f:1:64: ports[0].chunk_size: 1024 is not one of 2048, 4096, and not auto`},
		{"EtherType is a length", port("ethertypes: {data: 0x05FF}"),
			`f:1:71: ports[0].ethertypes.data: 0x05FF is taken: values below 0x0600 are lengths`},
		{"EtherType of LLDP", port("ethertypes: {data: 0x88CC}"), `f:1:71: ports[0].ethertypes.data: 0x88CC is taken: LLDP`},
		{"EtherType of a VLAN tag", port("ethertypes: {control: 0x8100}"),
			`f:1:74: ports[0].ethertypes.control: 0x8100 is taken: VLAN tag`},
		{"EtherType of IPv4", port("ethertypes: {control: 2048}"),
			`f:1:74: ports[0].ethertypes.control: 2048 is taken: IPv4`},
		{"EtherType reserved", port("ethertypes: {control: 0xFFFF}"),
			`f:1:74: ports[0].ethertypes.control: 0xFFFF is taken: reserved`},
		{"EtherType too wide", port("ethertypes: {data: 0x10000}"),
			`f:1:71: ports[0].ethertypes.data: 0x10000 is not an EtherType: 0x0600 to 0xFFFE`},
		{"EtherType quoted", port(`ethertypes: {data: "0x88B7"}`),
			`f:1:71: ports[0].ethertypes.data: "0x88B7" is text, not a number: remove the quotes`},
		{"LLR mode", port("llr: {mode: on}"), `f:1:64: ports[0].llr.mode: "on" is not one of static, dynamic, off`},
		{"LLR local", port("llr: {local: maybe}"), `f:1:65: ports[0].llr.local: "maybe" is not true or false`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := parseError(t, c.text); got != c.want {
				t.Errorf("%s\n got %s\nwant %s", c.text, got, c.want)
			}
		})
	}
}

// goodValues is documents with values at the edges of their ranges.
func goodValues() []string {
	return []string{
		"log: {level: debug, format: json}",
		"log:\nports:\nxconnects:\nllr_profiles:\nmetrics: {}",
		"control: {mode: 0600}", `control: {mode: "640"}`, "control: {mode: 0777}", `control: {group: "1000"}`,
		`metrics: {listen: ":9464"}`, `metrics: {listen: "[::1]:0"}`, `metrics: {listen: "[fe80::1%eth0]:0"}`, `metrics: {listen: "my-host_1.example:9464"}`,
		`web: {listen: "unix:/run/web.sock", mode: "0600", group: adm}`, `web: {listen: "localhost:0", allow_remote: true}`,
		`web: {listen: "[::1]:8470"}`, `web: {listen: "127.9.9.9:8470", hosts: [a.example, "2001:db8::1"]}`,
		`web: {listen: ":8470", allow_remote: true, hosts: [192.0.2.1]}`, "web: {group: adm, allow_remote: true}",
		"workers: 256", "spin: 0", "spin: 1s", "spin: 0s", "drain_timeout: 10m",
		profile("max_outstanding_frames: 1"), profile("max_outstanding_frames: 524288"),
		profile("max_outstanding_bytes: 1"), profile("max_outstanding_bytes: 4294967295"),
		profile("max_replay_timer: 1ns"), profile("max_replay_timer: 1m"),
		profile("max_outstanding_frames: auto, max_replay_timer: auto"),
		profile("max_outstanding_frames: 262144, replay: selective"),
		profile("max_outstanding_frames: 262145, replay: auto"),
		profile("max_replay_count: 1"), profile("max_replay_count: 255"),
		profile("hold_timeout: 1m"), profile("hold_timeout: 0"),
		profile("pcs_lost_timeout: 1h, data_age_timeout: 1h"),
		profile("ctlos_spacing_bytes: 400"), profile("ctlos_spacing_bytes: 16384"),
		port("queues: 1024"), port("queues: [1023, 0-3]"), port("tx_queue: 1023"), port("queues: [2, 4-7], tx_queue: 7"),
		port("queues: 0, tx_queue: 1023"), port("queues: 4, tx_queue: 3"),
		port("ring_size: 64"), port("ring_size: 65536"),
		port("rx_ring_size: 64"), port("rx_ring_size: 65536"), port("rx_ring_size: auto"), port("chunk_size: 2048"),
		port("ethertypes: {data: 0x0600, control: 0xFFFE}"), port("llr: {mode: off}"), port("llr:"),
	}
}

// What is at the edges of the ranges is accepted.
func TestGoodValues(t *testing.T) {
	for _, text := range goodValues() {
		if _, err := Parse("f", []byte(text)); err != nil {
			t.Errorf("%s\nrefused: %v", text, err)
		}
	}
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]int64{
		"135000": 135000, "1B": 1, "2KB": 2000, "2kB": 2000, "64KiB": 65536, "3MB": 3e6, "8MiB": 8 << 20,
		"1GB": 1e9, "1GiB": 1 << 30, "1.5KiB": 1536, `"4096"`: 4096, "8 MiB": 8 << 20,
	} {
		c := parse(t, profile("max_outstanding_bytes: "+text))
		if got := c.Settings.Profiles["fast"].MaxOutstandingBytes; got != want {
			t.Errorf("%s is %d octets, want %d", text, got, want)
		}
	}
}

// The mode is octal with quotes and without, as chmod takes it.
func TestControlMode(t *testing.T) {
	for _, text := range []string{`"0640"`, "0640", `"640"`, "640"} {
		if got := parse(t, "control: {mode: "+text+"}").Control.Mode; got != 0o640 {
			t.Errorf("mode %s is %v, want %v", text, got, 0o640)
		}
	}
}
