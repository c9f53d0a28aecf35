package config

import (
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/zap/zapcore"

	"uelink/dataplane"
	"uelink/dataplane/attach"
	"uelink/dataplane/model"
	"uelink/dataplane/qos"
	"uelink/lldp"
	"uelink/lldp/station"
	"uelink/lldp/ue"
	"uelink/llr"
	"uelink/wire"
)

// contract is the example of the configuration contract, octet for octet.
const contract = `log: {level: info, format: auto}            # auto: console on a terminal, JSON otherwise
control: {socket: /run/uelink/uelink.sock, mode: "0660", group: ""}
metrics: {listen: ""}                       # host:port for Prometheus, empty = off
llr_profiles:
  default: {max_outstanding_frames: 4096, max_outstanding_bytes: 8MiB, max_replay_timer: 2ms, max_replay_count: 8,
            pcs_lost_timeout: 0, data_age_timeout: 0, init_action: best_effort, flush_action: best_effort,
            re_init_on_flush: true, ctlos_spacing_bytes: 2048}
ports:
  - {name: link0, interface: eth1, role: link, dialect: seed, fcs: true, mtu: auto,
     llr: {mode: static, local: true, remote: true, profile: default}}
  - {name: edge0, interface: veth1, role: edge}
xconnects: [{edge: edge0, link: link0}]
`

func contractProfile() llr.Profile {
	return llr.Profile{
		MaxOutstandingFrames: 4096,
		MaxOutstandingBytes:  8 << 20,
		MaxReplayTimer:       2 * time.Millisecond,
		MaxReplayCount:       8,
		HoldTimeout:          2 * time.Second,
		InitAction:           llr.BestEffort,
		FlushAction:          llr.BestEffort,
		ReInitOnFlush:        true,
		CtlOSSpacingBytes:    2048,
	}
}

// contractConfig is what the contract's example means.
func contractConfig() *Config {
	return &Config{
		Log: Log{Level: zapcore.InfoLevel, Format: LogAuto},
		Control: Control{Socket: "/run/uelink/uelink.sock", Mode: 0o660,
			Ports: ControlPorts{Interfaces: []string{}, Max: 1000}},
		Web: Web{Mode: 0o660, Hosts: []string{}},
		Settings: dataplane.Settings{
			Workers:      1,
			Spin:         50 * time.Microsecond,
			DrainTimeout: 2 * time.Second,
			Profiles:     map[string]llr.Profile{"default": contractProfile()},
			Ports: []model.PortSettings{
				{
					Name: "link0", Interface: "eth1", Role: model.RoleLink,
					Dialect: wire.DialectSeed, FCS: true, MTU: model.MTUAuto, Offloads: model.OffloadsAuto, Offload: model.OffloadAuto,
					Native: attach.NativeAuto, XDP: attach.ModeAuto, Bind: attach.BindAuto, Opener: attach.OpenerAuto, RingSize: 1024, RxRingSize: 1024, CaptureLimit: 64 << 20,
					EtherTypeData: 0x88B5, EtherTypeControl: 0x88B6,
					LLR: model.LLRSettings{Mode: model.LLRStatic, Local: true, Remote: true, Profile: "default"},
					VCs: 1,
				},
				{
					Name: "edge0", Interface: "veth1", Role: model.RoleEdge,
					MTU: model.MTUAuto, Offloads: model.OffloadsAuto, Offload: model.OffloadAuto, XDP: attach.ModeAuto, Bind: attach.BindAuto,
					Opener: attach.OpenerAuto, RingSize: 1024, RxRingSize: 4096, CaptureLimit: 64 << 20,
					QoS: qos.Map{Queue: [qos.Classes]uint8{0, 1, 2, 3, 4, 5, 6, 7}},
				},
			},
			XConnects: []dataplane.XConnect{{Edge: "edge0", Link: "link0", LinkLossDelay: 2 * time.Second}},
		},
		LLDP: LLDP{
			System: station.System{Chassis: must(lldp.ParseChassisPolicy("mac")), UEOUI: lldp.OUI{0xFA, 0x7A, 0xCB}},
			Ports: []station.Port{{
				Name: "link0", Interface: "eth1", Destinations: []wire.MAC{lldp.NearestBridge}, ID: must(lldp.ParsePortPolicy("ifname")),
				Timers: lldp.DefaultTimers(), MaxNeighbors: lldp.DefaultMaxNeighbors, UE: ue.Options{Advertise: true, LLR: true},
				Wishes: ue.Wishes{PFC: true, Willing: true},
			}},
		},
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// difference compares configurations.
func difference(want, got *Config) string {
	return cmp.Diff(want, got, cmpopts.EquateComparable(lldp.Policy{}, netip.Addr{}))
}

// parse fails the test unless text is a good configuration.
func parse(t *testing.T, text string) *Config {
	t.Helper()
	c, err := Parse("uelink.yaml", []byte(text))
	if err != nil {
		t.Fatalf("refused:\n%v", err)
	}
	return c
}

func TestContractExample(t *testing.T) {
	if diff := difference(contractConfig(), parse(t, contract)); diff != "" {
		t.Errorf("the example means something else (-want +got):\n%s", diff)
	}
}

// What the example spells out but for names, interfaces, roles and LLR modes is
// the default, so leaving it out changes nothing, with two exceptions: a window
// of 4096 frames overruns the partner's ring of 1024, and eight replays of 2 ms
// give up a partner that was without CPU for 20 ms.
func TestDefaultsAreTheContracts(t *testing.T) {
	const short = `
ports:
  - {name: link0, interface: eth1, role: link, llr: {mode: static, local: true, remote: true}}
  - {name: edge0, interface: veth1, role: edge}
xconnects: [{edge: edge0, link: link0}]
`
	want := contractConfig()
	p := want.Settings.Profiles["default"]
	p.MaxOutstandingFrames, p.MaxReplayCount = 512, 100
	want.Settings.Profiles["default"] = p
	if diff := difference(want, parse(t, short)); diff != "" {
		t.Errorf("(-contract +defaults):\n%s", diff)
	}
}
