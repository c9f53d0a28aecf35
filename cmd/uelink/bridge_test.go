package main

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"uelink/client"
	"uelink/cmd/uelink/view"
	"uelink/control/api"
	"uelink/control/controltest"
)

func TestBridgeOutput(t *testing.T) {
	_, socket := startBridged(t)
	for _, c := range []struct{ file, args string }{
		{"bridge.txt", "bridge"},
		{"bridge.txt", "bridge show"},
		{"fdb.txt", "fdb"},
		{"fdb.txt", "fdb show"},
		{"fdb-statistics.txt", "fdb show -s"},
		{"fdb.json", "fdb show -o json"},
		{"fdb-br0.txt", "fdb show br br0"},
		{"fdb-link0.txt", "fdb show brport link0"},
		{"fdb-link0.txt", "fdb br br0 dev link0"},
		{"fdb-static.json", "fdb show br br0 brport link0 vlan 10 static -o json"},
		{"fdb-statistics.json", "fdb show --statistics dynamic vlan 10 -o json"},
		{"vlan.txt", "vlan"},
		{"vlan.txt", "vlan show"},
		{"vlan-compressed.txt", "vlan show -c"},
		{"vlan-compressed.json", "vlan show --compressvlans -o json"},
		{"vlan-edge0.json", "vlan dev edge0 -o json"},
		{"vlan-22.txt", "vlan show vid 22 dev link0"},
	} {
		t.Run(c.args, func(t *testing.T) {
			stdout, stderr, code := uelink(t.Context(), socket, strings.Fields(c.args)...)
			if code != 0 || stderr != "" {
				t.Errorf("exit %d, %s", code, stderr)
			}
			golden(t, c.file, stdout)
		})
	}
}

// Where there is nothing to show, the tool says why; JSON is a list.
func TestNothingToShowSaysWhy(t *testing.T) {
	_, without := startDaemon(t, controltest.Ports())
	_, with := startBridged(t)
	b, silent := startBridged(t)
	b.SetFDB(nil)
	for _, c := range []struct{ socket, args, want string }{
		{without, "bridge", view.NoBridges},
		{without, "fdb", view.NoBridges},
		{without, "vlan", view.NoBridges},
		{with, "fdb show vlan 4000", "no entry matches; entries of the bridges in all: 4"},
		{silent, "fdb show br br1 static", "no entry matches; entries of the bridges in all: 4"},
		{with, "vlan show vid 24", "no port is in VLAN 24"},
		{with, "vlan show dev edge1", "no VLAN: vlan_filtering is off, so frames keep the tags that they come with"},
	} {
		for args, want := range map[string]string{c.args: c.want, c.args + " -o json": "[]"} {
			stdout, stderr, code := uelink(t.Context(), c.socket, strings.Fields(args)...)
			if stdout != want+"\n" || code != 0 {
				t.Errorf("%s: exit %d, %q, %s", args, code, stdout, stderr)
			}
		}
	}
	for want, list := range map[string][]api.Bridge{
		view.NoBridges: nil,
		"no entry: no bridge has received a frame yet, or all learned addresses have aged out": {{Name: "br0"}},
		"no entry matches; entries of the bridges in all: 1,000":                               {{Entries: 999}, {Entries: 1}},
	} {
		if got := whyNoEntry(list); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
	if got := whyNoVLAN([]api.Bridge{{VLANFiltering: true}}, api.VLANQuery{}); got != "no VLAN is configured" {
		t.Errorf("%q", got)
	}
}

func TestBridgeChanges(t *testing.T) {
	b, socket := startBridged(t)
	for _, c := range []struct{ args, stdout string }{
		{"fdb add 02:00:00:00:00:01 dev link0 vlan 10", ""},
		{"fdb add 02:00:00:00:00:02 dev link0 master static vlan 20", ""}, // as iproute2 has it
		{"fdb add 02:00:00:00:00:03 vlan 10 static dev edge0 master br0", ""},
		{"fdb add 02:00:00:00:00:04 dev edge1 master", ""},
		{"fdb del 02:00:00:00:00:aa dev link0 vlan 10", ""},
		{"fdb delete 02:00:00:00:00:aa dev link0 master br0 vlan 10", ""},
		{"fdb flush", "entries removed: 3\n"},
		{"fdb flush dev br0", "entries removed: 2\n"},
		{"fdb flush dev edge0", "entries removed: 1\n"},
		{"fdb flush brport link0 vlan 1", "entries removed: 1\n"},
		{"fdb flush dev br0 brport link0", "entries removed: 1\n"},
		{"fdb flush dev edge1 -o json", "{\n  \"removed\": 1\n}\n"},
	} {
		stdout, stderr, code := uelink(t.Context(), socket, strings.Fields(c.args)...)
		said := ""
		if !strings.HasPrefix(c.args, "fdb flush") { // the entries are static
			said = "In force until the next start of uelinkd; to keep it: uelink config save\n"
		}
		if code != 0 || stdout != c.stdout || stderr != said {
			t.Errorf("%s: exit %d, %q %q", c.args, code, stdout, stderr)
		}
	}
	want := []string{
		"AddFDB br0 link0 02:00:00:00:00:01 10", "AddFDB br0 link0 02:00:00:00:00:02 20",
		"AddFDB br0 edge0 02:00:00:00:00:03 10", "AddFDB br1 edge1 02:00:00:00:00:04 0",
		"DeleteFDB br0 link0 02:00:00:00:00:aa 10", "DeleteFDB br0 link0 02:00:00:00:00:aa 10",
		`FlushFDB "" "" 0`, `FlushFDB "br0" "" 0`, `FlushFDB "" "edge0" 0`,
		`FlushFDB "" "link0" 1`, `FlushFDB "br0" "link0" 0`, `FlushFDB "" "edge1" 0`,
	}
	if diff := cmp.Diff(want, b.Calls()); diff != "" {
		t.Error(diff)
	}
}

// What is wrong is said together with what is right.
func TestBridgeRefusals(t *testing.T) {
	b, socket := startBridged(t)
	const ports = ": the ports of bridges are edge0, edge1, link0"
	const words = ": br BRIDGE, brport|dev PORT, vlan VID or dynamic|static is wanted"
	for _, c := range []struct {
		args   string
		code   int
		stderr string
	}{
		{"bridge br9", 1, "bridge br9: no such bridge: the bridges are br0, br1"},
		{"bridge shwo x", 2, `unknown command "shwo" for "uelink bridge": did you mean "show"?`},
		{"bridge br0 br1", 2, "accepts at most 1 arg(s), received 2"},
		{"fdb show br br9", 1, "bridge br9: no such bridge: the bridges are br0, br1"},
		{"fdb show dev link9", 1, "port link9: no such port" + ports},
		{"fdb show brport link1", 1, "port link1: in no bridge" + ports},
		{"fdb show link0", 2, `unknown word "link0"` + words},
		{"fdb shwo", 2, `unknown command "shwo" for "uelink fdb": did you mean "show"?`},
		{"fdb what", 2, `unknown word "what"` + words},
		{"fdb show vlan", 2, "vlan: VID is missing"},
		{"fdb show vlan 0", 2, "vlan 0: a number from 1 to 4094 is wanted"},
		{"fdb show dynamic static", 2, "static: dynamic|static is wanted once"},
		{"fdb show dev link0 brport edge0", 2, "brport: brport|dev PORT is wanted once"},
		{"fdb add", 2, "MAC is missing"},
		{"fdb add dev link0", 2, `"dev" is no MAC address: one such as 02:00:00:00:00:01 is wanted`},
		{"fdb add 02:00:00:00:00:01", 2, "dev PORT is missing"},
		{"fdb add 02:00:00:00:00:01 dev", 2, "dev: PORT is missing"},
		{"fdb add 02:00:00:00:00:01 dev link0 self", 2,
			`unknown word "self": dev PORT, master [BRIDGE], vlan VID or static is wanted`},
		{"fdb add 02:00:00:00:00:01 dev link9 vlan 1", 1, "port link9: no such port" + ports},
		{"fdb add 02:00:00:00:00:01 dev link0 master br1 vlan 1", 1, "port link0 is in bridge br0, not in br1"},
		{"fdb add 02:00:00:00:00:01 dev link0", 1,
			"bridge br0 filters VLANs: name a VLAN of port link0: 1, 10, 20-23, 30"},
		{"fdb add 02:00:00:00:00:aa dev edge0 vlan 10", 1,
			"port edge0: 02:00:00:00:00:aa: static at another port: delete it there first"},
		{"fdb del 02:00:00:00:00:56 dev edge1", 1, "port edge1: 02:00:00:00:00:56: no such address at the port"},
		{"fdb flush dev br9 brport link0", 1, "bridge br9: no such bridge: the bridges are br0, br1"},
		{"fdb flush dev link9", 1, "port link9: no such port" + ports},
		{"fdb flush port link0", 2, `unknown word "port": dev BRIDGE|PORT, brport PORT or vlan VID is wanted`},
		{"vlan show dev link9", 1, "port link9: no such port" + ports},
		{"vlan show vlan 1", 2, `unknown word "vlan": dev PORT or vid VID is wanted`},
	} {
		stdout, stderr, code := uelink(t.Context(), socket, strings.Fields(c.args)...)
		if code != c.code || stdout != "" || !strings.HasPrefix(stderr, "uelink: "+c.stderr) {
			t.Errorf("%s: exit %d, want %d, %q %q", c.args, code, c.code, stdout, stderr)
		}
	}
	if calls := b.Calls(); len(calls) > 0 {
		t.Errorf("refused commands changed something: %v", calls)
	}
	if _, stderr, code := uelink(t.Context(), "/nowhere.sock", "fdb", "flush", "dev", "br0"); code != 4 {
		t.Errorf("no daemon: exit %d, %s", code, stderr)
	}
}

// The JSON of the tool is what the API said.
func TestBridgeJSON(t *testing.T) {
	_, socket := startBridged(t)
	c, ctx := client.NewClient(socket), t.Context()
	defer c.Close()
	bridges, err := c.Bridges(ctx)
	if diff := cmp.Diff(bridges, asJSONList[api.Bridge](t, socket, "bridge")); err != nil || diff != "" {
		t.Error(err, diff)
	}
	entries, err := c.FDB(ctx, api.FDBQuery{})
	if diff := cmp.Diff(entries, asJSONList[api.FDBEntry](t, socket, "fdb")); err != nil || diff != "" {
		t.Error(err, diff)
	}
	vlans, err := c.VLANs(ctx, api.VLANQuery{})
	if diff := cmp.Diff(vlans, asJSONList[api.PortVLANs](t, socket, "vlan")); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

// Keys without statistics are iproute2's, no more and no less.
func TestFDBKeys(t *testing.T) {
	_, socket := startBridged(t)
	stdout, _, _ := uelink(t.Context(), socket, "fdb", "show", "br", "br0", "-o", "json")
	var list []map[string]any
	if err := json.Unmarshal([]byte(stdout), &list); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"mac": "02:00:00:00:00:aa", "ifname": "link0", "vlan": 10.0, "flags": []any{}, "master": "br0", "state": "static",
	}
	if !reflect.DeepEqual(list[2], want) {
		t.Errorf("%v", list[2])
	}
}

func TestBridgeCompletion(t *testing.T) {
	_, socket := startBridged(t)
	for _, c := range []struct{ args, want string }{
		{"bridge", "show\nbr0\nbr1\n:4\n"},
		{"bridge show", "br0\nbr1\n:4\n"},
		{"bridge show br0", ":4\n"},
		{"fdb show", "br\nbrport\ndev\nvlan\ndynamic\nstatic\n:4\n"},
		{"fdb show br", "br0\nbr1\n:4\n"},
		{"fdb show dev", "edge0\nlink0\nedge1\n:4\n"},
		{"fdb show dev link0 static", "br\nvlan\n:4\n"},
		{"fdb show vlan", ":4\n"},
		{"fdb add", ":4\n"},
		{"fdb add 02:00:00:00:00:01", "dev\nmaster\nvlan\nstatic\n:4\n"},
		{"fdb flush dev", "br0\nedge0\nlink0\nbr1\nedge1\n:4\n"},
		{"vlan show dev", "edge0\nlink0\nedge1\n:4\n"},
	} {
		args := append([]string{"__completeNoDesc"}, strings.Fields(c.args)...)
		stdout, stderr, code := uelink(t.Context(), socket, append(args, "")...)
		if code != 0 || stdout != c.want {
			t.Errorf("%s: exit %d, %q, %s", c.args, code, stdout, stderr)
		}
	}
}

// A failure of the daemon while the tool looks for a reason is told as such.
func TestFDBOfDaemonInTrouble(t *testing.T) {
	b, socket := startBridged(t)
	b.Fail(errors.New("worker 0 does not answer"))
	for _, args := range []string{"fdb", "fdb flush dev br0"} {
		_, stderr, code := uelink(t.Context(), socket, strings.Fields(args)...)
		if code != 1 || !strings.Contains(stderr, "worker 0 does not answer") {
			t.Errorf("%s: exit %d, %s", args, code, stderr)
		}
	}
}
