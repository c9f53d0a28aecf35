package config

import (
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"uelink/cbfc"
	"uelink/dataplane"
	"uelink/dataplane/bridge"
	"uelink/dataplane/model"
	"uelink/dataplane/qos"
	"uelink/dataplane/sched"
)

// No text makes Parse panic; what it refuses it refuses with lines that name the
// file, and what it accepts holds what the checks promise.
func FuzzParse(f *testing.F) {
	f.Add([]byte(contract))
	for _, dir := range []string{"testdata/bad", "testdata/good", "../deploy"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	for _, text := range hostile {
		f.Add([]byte(text(200)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse("f", data)
		if err == nil {
			checkPromises(t, c)
			return
		}
		checkMessage(t, err)
		for line := range strings.SplitSeq(err.Error(), "\n") {
			if !strings.HasPrefix(line, "f:") {
				t.Errorf("a line that does not name the file: %q", line)
			}
		}
	})
}

// checkPromises checks what every accepted configuration holds.
func checkPromises(t *testing.T, c *Config) {
	t.Helper()
	if _, ok := c.Settings.Profiles["default"]; !ok {
		t.Error("no default profile")
	}
	names := map[string]bool{}
	for _, p := range c.Settings.Ports {
		if p.Name == "" || p.Interface == "" || names[p.Name] {
			t.Errorf("port %+v", p)
		}
		names[p.Name] = true
		if _, ok := c.Settings.Profiles[p.LLR.Profile]; !ok && p.Role == model.RoleLink && p.Protocol == model.LLR {
			t.Errorf("port %s has no profile", p.Name)
		}
		checkQoSPromises(t, p)
		checkCreditPromises(t, p)
		checkTrimmingPromises(t, c.Settings.Trimming, p)
	}
	for _, s := range c.Settings.Bridges {
		checkBridgePromises(t, s, names)
	}
	for _, p := range c.Settings.Profiles {
		if p.MaxOutstandingFrames < 1 || p.MaxOutstandingBytes < 1 || p.MaxReplayTimer <= 0 || p.MaxReplayCount == 0 {
			t.Errorf("profile %+v", p)
		}
	}
}

// checkQoSPromises: every class has a queue that is there, and so has every scheduler.
func checkQoSPromises(t *testing.T, p model.PortSettings) {
	t.Helper()
	queues := qos.EdgeQueues
	if p.Role == model.RoleLink {
		queues = p.VCs
	}
	if queues < 1 || int(slices.Max(p.QoS.Queue[:])) >= queues {
		t.Errorf("port %s has %d queues for the map %v", p.Name, queues, p.QoS.Queue)
	}
	if slices.Max(p.QoS.Dot1pDEI[:]) >= qos.Classes || slices.Max(p.QoS.DSCP[:]) >= qos.Classes {
		t.Errorf("port %s has the maps %v", p.Name, p.QoS)
	}
	for q := queues; q < sched.Queues; q++ {
		if p.Scheduler.Queues[q] != (sched.QueueSettings{}) {
			t.Errorf("port %s has a scheduler for queue %d of %d", p.Name, q, queues)
		}
	}
}

// checkCreditPromises: a channel with credits is there, a frame of every length can leave by what is
// granted, and the chunks for it are bounded.
func checkCreditPromises(t *testing.T, p model.PortSettings) {
	t.Helper()
	c := &p.CBFC
	if !c.On {
		if *c != (cbfc.Settings{}) || p.NoLLR != 0 || p.CBFCDynamic {
			t.Errorf("port %s has CBFC off and %+v", p.Name, c)
		}
		return
	}
	if !p.FCS || p.Role != model.RoleLink || bits.Len32(c.Lossless|p.NoLLR) > p.VCs ||
		c.CFMinSpacing > c.CFMaxSpacing {
		t.Errorf("port %+v", p)
	}
	chunks := 0
	for vc, limit := range c.Limit {
		if limit > cbfc.MaxLimit || limit > 0 && (vc >= p.VCs || c.Total > 0 && limit != c.Total) {
			t.Errorf("port %s grants VC %d of %d %d credits, of %d", p.Name, vc, p.VCs, limit, c.Total)
		}
		if limit > 0 && !p.CBFCDynamic && int(limit) < c.Size.Credits(max(p.ChunkSize, 2048)) {
			t.Errorf("port %s: %d credits carry no frame", p.Name, limit)
		}
		if c.Total == 0 {
			chunks += int(limit) / c.Size.Credits(0)
		}
	}
	if chunks > portChunks {
		t.Errorf("port %s promises %d chunks", p.Name, chunks)
	}
}

// checkBridgePromises checks that the bridge takes what it is given.
func checkBridgePromises(t *testing.T, s dataplane.BridgeSettings, ports map[string]bool) {
	t.Helper()
	if s.Name == "" || len(s.Ports) == 0 || len(s.Ports) > bridge.MaxPorts {
		t.Errorf("bridge %+v", s)
	}
	s.MaxEntries = 1 // or its memory would take most of the time
	b := bridge.New(s.Settings, 1, 0)
	for n, p := range s.Ports {
		if err := b.SetPort(n, p.PortSettings); err != nil || !ports[p.Port] {
			t.Errorf("port %+v of bridge %s: %v", p, s.Name, err)
		}
		if slices.ContainsFunc(p.Untagged, func(vlan uint16) bool { return slices.Contains(p.Tagged, vlan) }) {
			t.Errorf("port %+v of bridge %s has a VLAN with and without a tag", p, s.Name)
		}
	}
}
