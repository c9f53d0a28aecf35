package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"uelink/client"
	"uelink/control/api"
	"uelink/control/controltest"
	"uelink/dataplane/ethtool"
	"uelink/dataplane/model"
)

// The file has everything, and its owner alone may read it.
func TestSupport(t *testing.T) {
	b, socket := startWith(t, controltest.Ports(), controltest.NewLLDP())
	happened := model.Event{Time: time.Now(), Port: "link0", Kind: model.EventOperStatus, Text: "the event of old"}
	b.Emit(happened, 0)
	name := filepath.Join(t.TempDir(), "report.txt")
	stdout, stderr, code := uelink(t.Context(), socket, "support", name)
	if code != 0 || !strings.HasPrefix(stdout, name+": ") ||
		!strings.Contains(stdout, "look through it before you send it") {
		t.Fatalf("exit %d, %s %s", code, stdout, stderr)
	}
	info, err := os.Stat(name)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	octets, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"uelink support, made ", ", uelinkd v1.2.3, process 7, since 2026-11-21T08:00:00Z", "Linux ", "What stands out:",
		"===== Host =====", "===== Configuration /etc/uelink.yaml =====", "the event of old", "llr_tx_ok ....",
		"LLR Profile: careful", noBridges, "SysName:      hostb", "DCBX of port link0 (eth1)",
		"total_discarded_frames", "LLDP interfaces:",
		"===== States of the protocol machines =====\nport link1\nuelink-state 1 port\n",
	} {
		if !strings.Contains(string(octets), want) {
			t.Errorf("no %q", want)
		}
	}
}

// Nothing is replaced, no link is followed, and a file that cannot be is refused with what
// to do.
func TestSupportReplacesNothing(t *testing.T) {
	_, socket := startWith(t, nil, &controltest.LLDP{})
	dir := t.TempDir()
	there, target, link := filepath.Join(dir, "there"), filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := os.WriteFile(there, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		there: "is there already", link: "is there already", filepath.Join(dir, "none", "f"): "name a file in a directory",
	} {
		_, stderr, code := uelink(t.Context(), socket, "support", name)
		if code != 1 || !strings.Contains(stderr, want) || !strings.Contains(stderr, "or - for standard output") {
			t.Errorf("%s: exit %d, %s", name, code, stderr)
		}
	}
	if octets, _ := os.ReadFile(there); string(octets) != "mine" {
		t.Errorf("it was replaced by %q", octets)
	}
	if _, err := os.Stat(target); err == nil {
		t.Error("the link was followed")
	}
}

// A full disk is said at once, and no half a file stays.
func TestSupportOnAFullDisk(t *testing.T) {
	_, socket := startWith(t, nil, &controltest.LLDP{})
	var stderr bytes.Buffer
	if code := run(t.Context(), []string{"--socket", socket, "support", "-"}, errorWriter{}, &stderr); code != 1 ||
		!strings.Contains(stderr.String(), "disk full") {
		t.Errorf("exit %d, %s", code, &stderr)
	}
}

// Without a daemon there is a report too, which begins with why there is none.
func TestSupportWithoutADaemon(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none.sock")
	stdout, stderr, code := uelink(t.Context(), none, "support", "-")
	top := strings.Join(strings.Split(stdout, "\n")[:7], "\n")
	if code != 0 || !strings.Contains(top, "no daemon: there is no socket "+none) || !strings.Contains(top, "no uelinkd") {
		t.Errorf("exit %d, %s %s", code, top, stderr)
	}
	var r report
	stdout, _, code = uelink(t.Context(), none, "support", "-", "-o", "json")
	err := json.Unmarshal([]byte(stdout), &r)
	if err != nil || code != 0 || r.Uelinkd != nil || r.Ports == nil || r.Host.Kernel == "" {
		t.Errorf("exit %d, %v, %s", code, err, stdout)
	}
}

// What stands out of ports and peers on which something is the matter.
func TestFindings(t *testing.T) {
	var text strings.Builder
	for _, c := range []struct {
		title string
		ports []model.PortState
		lldp  *controltest.LLDP
	}{
		{"three ports", controltest.Ports(), controltest.NewLLDP()},
		{"peers", nil, controltest.NewTroubled()},
		{"nothing", controltest.Ports()[2:], &controltest.LLDP{}},
	} {
		_, socket := startWith(t, c.ports, c.lldp)
		client := client.NewClient(socket)
		r := gather(t.Context(), client, time.Now())
		client.Close()
		r.Interfaces = nil // of this host
		text.WriteString(c.title + "\n")
		for _, line := range r.findings() {
			text.WriteString("- " + line + "\n")
		}
	}
	golden(t, "support-findings.txt", text.String())
}

// What is wrong with an interface, and what was noticed on it, stands out also when it has
// been put right.
func TestFindingsOfFaultsAndNotices(t *testing.T) {
	r := &report{Uelinkd: &api.Status{}, Ports: []api.Port{
		{Name: "link0", Interface: "eth1", OperStatus: "up", Fault: "a fault", ErrorText: "an error", Notice: "18:00:00 opened anew"},
	}}
	want := []string{"port link0 (eth1): a fault", "port link0 (eth1): an error",
		"port link0 (eth1): noticed at 18:00:00 opened anew"}
	if list := r.findings(); !slices.Equal(list, want) {
		t.Errorf("%q", list)
	}
}

// However much is wrong, the first twenty lines have the beginning of it.
func TestFindingsAreInTheFirstTwentyLines(t *testing.T) {
	r := &report{Uelinkd: &api.Status{}}
	for range 100 {
		r.Ports = append(r.Ports, api.Port{Name: "link0", OperStatus: "down"})
	}
	r.StandsOut = r.findings()
	var b strings.Builder
	r.write(&b)
	lines := strings.Split(b.String(), "\n")
	if !strings.Contains(lines[18], "and 87 more") || len(r.StandsOut) != findingsMax {
		t.Errorf("%q", lines[:22])
	}
}

// What the kernel says of an interface and the daemon does not expect.
func TestFindingsAboutInterfaces(t *testing.T) {
	port := api.Port{Name: "link0", Interface: "eth1", Role: "link", OperStatus: "up", XDPMode: "driver", Queues: 1}
	good := interfaceFacts{Name: "eth1", XDPProgram: 5, RxQueues: 1}
	for want, change := range map[string]func(*interfaceFacts){
		"":                              func(*interfaceFacts) {},
		"no XDP program is attached":    func(f *interfaceFacts) { f.XDPProgram = 0 },
		"port link0 (eth1): no XDP":     func(f *interfaceFacts) { f.XDPProgram = 0 },
		"4 RX queues and 1 have a sock": func(f *interfaceFacts) { f.RxQueues = 4 },
	} {
		facts := good
		change(&facts)
		r := &report{Uelinkd: &api.Status{}, Ports: []api.Port{port}, Interfaces: []interfaceFacts{facts}}
		list := r.findings()
		if want == "" && !strings.HasPrefix(list[0], "nothing: ") || len(list) != 1 || !strings.Contains(list[0], want) {
			t.Errorf("%q, want %q", list, want)
		}
	}
}

// The latest errors are told, each once.
func TestFindingsOfErrors(t *testing.T) {
	r := &report{Uelinkd: &api.Status{}}
	for _, text := range []string{"a", "b", "c", "c", "d", "d"} {
		r.Events = append(r.Events, api.Event{Port: "link0", Kind: "error", Text: text})
	}
	r.Events = append(r.Events, api.Event{Port: "link0", Kind: "drops", Text: "e"})
	list := r.findings()
	for i, want := range []string{"d", "c", "b"} {
		if len(list) != 3 || !strings.HasSuffix(list[i], want) {
			t.Fatalf("%q", list)
		}
	}
}

func TestConfigurationWithoutSecrets(t *testing.T) {
	const text = `# written by root, password is hunter2
log: {level: info} # the token: abc
control: {socket: /run/a#b, group: "x # y"}
metrics: {listen: "user:hunter2@host:1"}
api_token: hunter2
snmp: {community: hunter2, port: 161}
database: {Password: "hunter, 2", name: it's} # hunter2
proxy: https://me:hunter2@proxy/
keys: {private_key: [hunter2, hunter2], public: 1}
'secret-name': hunter2 and more
`
	const want = `log: {level: info}
control: {socket: /run/a#b, group: "x # y"}
metrics: {listen: "user:hunter2@host:1"}
api_token: (removed)
snmp: {community: (removed), port: 161}
database: {Password: (removed), name: it's}
proxy: https://(removed)@proxy/
keys: {private_key: (removed), public: 1}
'secret-name': (removed)
`
	if got := withoutSecrets(text); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// The facts of an interface that every host has.
func TestInterfaceFacts(t *testing.T) {
	f, err := newInterfaceFacts("lo")
	if err != nil || f.Index == 0 || f.XDP != "none" || f.MTU == 0 || f.Statistics == nil || f.Offloads == nil {
		t.Errorf("%+v, %v", f, err)
	}
	if f.Driver == (ethtool.Driver{}) {
		t.Error("nothing is said of the driver")
	}
	if _, err := newInterfaceFacts("none0"); err == nil {
		t.Error("there is an interface none0")
	}
}

func TestHostFacts(t *testing.T) {
	f := newHostFacts(os.Getpid())
	if !strings.HasPrefix(f.Kernel, "Linux ") || f.CPUs < 1 || f.Memory == "" || f.Process["threads"] == "" ||
		f.Process["max_open_files"] == "" || f.Process["open_files"] == "" {
		t.Errorf("%+v", f)
	}
}
