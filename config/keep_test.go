package config_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap/zapcore"

	"uelink/config"
	"uelink/dataplane/model"
	"uelink/dataplane/qos"
	"uelink/llr"
)

// file is a configuration with comments, for what is kept.
const file = `# our link
log: {level: info} # quiet
llr_profiles:
  # for the long cable
  long: {max_replay_timer: 10ms}
ports:
  - name: link0
    # the cable to B
    interface: eth1
    role: link
    llr: {mode: static, local: true, remote: false, profile: long}
  - {name: edge0, interface: eth0, role: edge}
  - {name: link1, interface: eth2, role: link}
xconnects: [{edge: edge0, link: link0}]
bridges: [{name: br0, ports: [{port: link1}]}]
`

// running returns what is in force right after a start with a file, changed.
func running(t *testing.T, text string, change func(*config.Running)) config.Running {
	t.Helper()
	c, err := config.Parse("uelink.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	now := config.Running{Level: c.Log.Level, Settings: c.Settings}
	change(&now)
	return now
}

// What commands have changed is in the text, and all else in it is as it was.
func TestKeep(t *testing.T) {
	now := running(t, file, func(now *config.Running) {
		now.Level = zapcore.DebugLevel
		now.Settings.Ports[0].LLR.Remote = true
		now.Settings.Ports[2].LLR = model.LLRSettings{Mode: model.LLRStatic, Local: true, Profile: "oid:0x1c1"}
		now.Settings.Profiles["oid:0x1c1"] = llr.Profile{
			MaxOutstandingFrames: 100, MaxOutstandingBytes: 1 << 20, MaxReplayTimer: 100 * time.Microsecond, TimerFloor: true,
			MaxReplayCount: 1, PCSLostTimeout: time.Second, CtlOSSpacingBytes: 2048,
		}
		long := now.Settings.Profiles["long"]
		long.MaxReplayTimer, long.FlushAction = 20*time.Millisecond, llr.Block
		now.Settings.Profiles["long"] = long
	})
	kept, err := config.Keep(config.Texts{File: "uelink.yaml", Main: []byte(file)}, now)
	if err != nil {
		t.Fatal(err)
	}
	if kept.Lost != nil {
		t.Errorf("lost: %q", kept.Lost)
	}
	const want = `# our link
log: {level: debug} # quiet
llr_profiles:
  oid-0x1c1: {max_outstanding_frames: 100, max_outstanding_bytes: 1048576, max_replay_timer: auto, ` +
		`max_replay_count: 1, hold_timeout: 0s, pcs_lost_timeout: 1s, data_age_timeout: 0s, init_action: discard, ` +
		`flush_action: discard, re_init_on_flush: false, replay: go_back_n, ctlos_spacing_bytes: 2048}
  # for the long cable
  long: {flush_action: block, max_replay_timer: 20ms}
ports:
  - name: link0
    # the cable to B
    interface: eth1
    role: link
    llr: {mode: static, local: true, remote: true, profile: long}
  - {name: edge0, interface: eth0, role: edge}
  - {name: link1, llr: {mode: static, local: true, profile: oid-0x1c1}, interface: eth2, role: link}
xconnects: [{edge: edge0, link: link0}]
bridges: [{name: br0, ports: [{port: link1}]}]
`
	if diff := cmp.Diff(want, kept.Text); diff != "" {
		t.Error(diff)
	}
	c, err := config.Parse("kept", []byte(kept.Text))
	if err != nil {
		t.Fatal(err)
	}
	if p := c.Settings.Ports[2].LLR; p.Profile != "oid-0x1c1" || !p.Local || p.Remote {
		t.Errorf("%+v", p)
	}
}

// Without a change the text is the file's, octet for octet.
func TestKeepNothing(t *testing.T) {
	kept, err := config.Keep(config.Texts{File: "uelink.yaml", Main: []byte(file)}, running(t, file,
		func(*config.Running) {}))
	if err != nil || kept.Text != file || kept.Lost != nil {
		t.Errorf("%v, %q\n%s", err, kept.Lost, kept.Text)
	}
}

// Channels that need credits are kept with their limits.
func TestKeepCredits(t *testing.T) {
	const text = "bridges: [{name: br0, ports: [{port: link0}]}]\n" +
		"ports:\n  - {name: link0, interface: eth1, role: link, fcs: true, llr: {mode: static}}\n"
	on := strings.Replace(text, "fcs: true", "fcs: true, cbfc: {mode: static, credit_size: 512, "+
		"vcs: [{index: 0, lossless: true, limit: 77}, {index: 2, lossless: true, limit: 90}]}", 1)
	now := running(t, text, func(now *config.Running) {
		c, err := config.Parse("on", []byte(on))
		if err != nil {
			t.Fatal(err)
		}
		now.Settings.Ports[0] = c.Settings.Ports[0]
	})
	kept, err := config.Keep(config.Texts{File: "uelink.yaml", Main: []byte(text)}, now)
	if err != nil || kept.Lost != nil {
		t.Fatalf("%v, %q", err, kept.Lost)
	}
	c, err := config.Parse("kept", []byte(kept.Text))
	if err != nil || !reflect.DeepEqual(c.Settings, now.Settings) {
		t.Errorf("%v\n%s", err, kept.Text)
	}
}

// Maps of SAI's get names of their own, and are changed in place when they are saved again.
func TestKeepMaps(t *testing.T) {
	text := []byte(file)
	for _, last := range []uint8{3, 0} {
		now := running(t, string(text), func(now *config.Running) {
			p := &now.Settings.Ports[0]
			p.VCs = 1
			p.QoS.Trust = qos.TrustDSCP
			p.QoS.DSCP = [64]uint8{}
			p.QoS.DSCP[46], p.QoS.DSCP[63] = 5, last
			p.QoS.Dot1pDEI = [16]uint8{}
			p.QoS.Dot1pDEI[2], p.QoS.Dot1pDEI[3], p.QoS.Dot1pDEI[4] = 1, 1, 2
		})
		kept, err := config.Keep(config.Texts{File: "uelink.yaml", Main: text}, now)
		if err != nil || kept.Lost != nil {
			t.Fatalf("%v, %q", err, kept.Lost)
		}
		c, err := config.Parse("kept", []byte(kept.Text))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(now.Settings.Ports[0].QoS, c.Settings.Ports[0].QoS); diff != "" {
			t.Errorf("%s\n%s", diff, kept.Text)
		}
		text = []byte(kept.Text)
	}
}

// Priorities with PFC that SAI has set are kept: the first ones, others, and none.
func TestKeepPriorities(t *testing.T) {
	text := []byte(file)
	read, err := config.Parse("file", text)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(read.Settings.Ports, func(p model.PortSettings) bool { return p.Role == model.RoleEdge })
	for _, want := range []model.PFCSettings{
		{Priorities: 1<<3 | 1<<7, XOff: 256, XOn: 128, Headroom: 256, Rate: 10e9},
		{Priorities: 1, XOff: 256, XOn: 128, Headroom: 256, Rate: 10e9}, {},
	} {
		kept, err := config.Keep(config.Texts{File: "uelink.yaml", Main: text},
			running(t, string(text), func(now *config.Running) { now.Settings.Ports[i].PFC = want }))
		if err != nil || kept.Lost != nil {
			t.Fatalf("%v, %q", err, kept.Lost)
		}
		c, err := config.Parse("kept", []byte(kept.Text))
		if err != nil || c.Settings.Ports[i].PFC != want {
			t.Errorf("%v: %+v, want %+v\n%s", err, c.Settings.Ports[i].PFC, want, kept.Text)
		}
		text = []byte(kept.Text)
	}
}

// What the text cannot have is named with the reason, and nothing of it is in the text.
func TestKeepNamesWhatIsLost(t *testing.T) {
	for _, c := range []struct {
		name, text string
		change     func(*config.Running)
		want       string
	}{
		{"a shared section", `ports:
  - {name: link0, interface: eth1, role: link, llr: &both {mode: static, local: true}}
  - {name: link1, interface: eth2, role: link, llr: *both}
bridges: [{name: br0, ports: [{port: link0}, {port: link1}]}]
`, func(now *config.Running) { now.Settings.Ports[0].LLR.Remote = true },
			"LLR of port link0: ports.name=link0.llr.remote: ports.name=link0.llr: the value has the anchor &both"},
		{"one direction of a channel", `ports:
  - {name: link0, interface: eth1, role: link, fcs: true, cbfc: {mode: static, vcs: [{index: 1, lossless: true}]}}
bridges: [{name: br0, ports: [{port: link0}]}]
`, func(now *config.Running) { now.Settings.Ports[0].CBFC.Lossless = 0 },
			"CBFC and QoS maps of port link0: no value of the configuration has the effect of the present settings"},
		{"an interface by SAI", file, func(now *config.Running) { now.Settings.Ports[0].Managed.MTU = 2000 },
			"MTU and ADMIN_STATE of port link0: "},
		{"a pool of SAI's", file, func(now *config.Running) { now.Settings.Ports[0].CBFC.Pool = 9 }, "CBFC of port link0: "},
	} {
		kept, err := config.Keep(config.Texts{File: "uelink.yaml", Main: []byte(c.text)}, running(t, c.text, c.change))
		if err != nil || kept.Text != c.text || len(kept.Lost) != 1 || !strings.HasPrefix(kept.Lost[0], c.want) {
			t.Errorf("%s: %v, %q\n%s", c.name, err, kept.Lost, kept.Text)
		}
	}
}

// Every key of a profile is kept.
func TestKeepEveryKeyOfAProfile(t *testing.T) {
	now := running(t, file, func(now *config.Running) {
		p := now.Settings.Profiles["long"]
		v := reflect.ValueOf(&p).Elem()
		for i := range v.NumField() {
			switch f := v.Field(i); {
			case v.Type().Field(i).Name == "TimerFloor": // no key
			case f.Kind() == reflect.Bool:
				f.SetBool(!f.Bool())
			case f.CanInt():
				f.SetInt(f.Int() + 1)
			case v.Type().Field(i).Name == "Replay":
				f.SetUint(uint64(llr.Selective))
			default:
				f.SetUint(f.Uint() - 1)
			}
		}
		p.MaxReplayTimer, p.HoldTimeout = 3*time.Millisecond, 5*time.Second
		now.Settings.Profiles["long"] = p
	})
	kept, err := config.Keep(config.Texts{File: "uelink.yaml", Main: []byte(file)}, now)
	if err != nil || kept.Lost != nil {
		t.Fatalf("%v, %q", err, kept.Lost)
	}
	c, err := config.Parse("kept", []byte(kept.Text))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(now.Settings.Profiles["long"], c.Settings.Profiles["long"]); diff != "" {
		t.Error(diff)
	}
}

// Two configurations differ by their values, not by the way they are written, and each difference has its cost.
func TestDiff(t *testing.T) {
	const other = `log: {level: info, format: json}
llr_profiles:
  long:
    max_replay_timer: 20ms
    max_replay_count: 100
  short: {max_replay_count: 3}
ports:
  - {name: link1, interface: eth2, role: link, ring_size: 2048}
  - {name: edge0, interface: eth0, role: edge, queues: [0, 1]}
  - {name: link0, interface: eth1, role: link, llr: {mode: static, local: true, profile: long}}
xconnects: [{edge: edge0, link: link0}]
bridges: [{name: br0, ports: [{port: link1}]}]
`
	got, err := config.Diff([]byte(file), []byte(other))
	if err != nil {
		t.Fatal(err)
	}
	want := []config.Difference{
		{"llr_profiles.long.max_replay_timer", "10ms", "20ms", "none"},
		{"llr_profiles.short.max_replay_count", "100", "3", "none"},
		{"log.format", "auto", "json", "next start"},
		{"ports[edge0].queues", "0", "[0, 1]", "sockets"},
		{"ports[link1].ring_size", "1024", "2048", "sockets"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got, err := config.Diff([]byte(file), []byte(file)); err != nil || got != nil {
		t.Errorf("%v, %v", got, err)
	}
}
