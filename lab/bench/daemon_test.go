package main

import (
	"fmt"
	"testing"

	"uelink/config"
	"uelink/dataplane"
	"uelink/dataplane/model"
)

// parsed is the settings that a daemon makes of a configuration.
func parsed(t *testing.T, c daemonConfig) dataplane.Settings {
	t.Helper()
	read, err := config.Parse("bench", []byte(c.text("/run/bench")))
	if err != nil {
		t.Fatal(err)
	}
	return read.Settings
}

// TestDaemonsAreConfigured: every configuration of the tables is one.
func TestDaemonsAreConfigured(t *testing.T) {
	list := []daemonConfig{reliable(eager), bulkDaemon(), {hippi: true, profile: patient}}
	for i, c := range list {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			if s := parsed(t, c); len(s.XConnects) != 1 || len(s.Ports) != 2 || len(s.Bridges) != 0 {
				t.Errorf("%+v", s)
			}
		})
	}
}

// TestBridgeIsConfigured: all its ports are edges, and stations stay known.
func TestBridgeIsConfigured(t *testing.T) {
	for _, links := range []int{1, 32} {
		s := parsed(t, daemonConfig{links: links, bridge: true})
		if len(s.Bridges) != 1 || len(s.XConnects) != 0 {
			t.Fatalf("%d links: %+v", links, s)
		}
		if b := s.Bridges[0]; len(b.Ports) != 2*links || b.Ageing != 0 {
			t.Errorf("%d links: %+v", links, b)
		}
		for _, p := range s.Ports {
			if p.Role != model.RoleEdge {
				t.Errorf("%s is a %s", p.Name, p.Role)
			}
		}
	}
}
