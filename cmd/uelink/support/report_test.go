package support

import (
	"os"
	"slices"
	"strings"
	"testing"

	"uelink/control/api"
	"uelink/dataplane/ethtool"
)

// What is wrong with an interface, and what was noticed on it, stands out also when it has
// been put right.
func TestFindingsOfFaultsAndNotices(t *testing.T) {
	r := &Report{Uelinkd: &api.Status{}, Ports: []api.Port{
		{Name: "link0", Interface: "eth1", OperStatus: "up", Fault: "a fault", ErrorText: "an error", Notice: "18:00:00 opened anew"},
	}}
	want := []string{"port link0 (eth1): a fault", "port link0 (eth1): an error",
		"port link0 (eth1): noticed at 18:00:00 opened anew"}
	if list := r.Findings(); !slices.Equal(list, want) {
		t.Errorf("%q", list)
	}
}

// The troubles of the daemon itself stand out before those of its ports.
func TestFindingsOfTheDaemonItself(t *testing.T) {
	r := &Report{Uelinkd: &api.Status{Troubles: []string{"the log", "the page"}}, Ports: []api.Port{
		{Name: "link0", OperStatus: "up", Fault: "a fault"},
	}}
	if list := r.Findings(); !slices.Equal(list, []string{"the log", "the page", "port link0 (): a fault"}) {
		t.Errorf("%q", list)
	}
}

// However much is wrong, the first twenty lines have the beginning of it.
func TestFindingsAreInTheFirstTwentyLines(t *testing.T) {
	r := &Report{Uelinkd: &api.Status{}}
	for range 100 {
		r.Ports = append(r.Ports, api.Port{Name: "link0", OperStatus: "down"})
	}
	r.StandsOut = r.Findings()
	var b strings.Builder
	r.Write(&b)
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
		r := &Report{Uelinkd: &api.Status{}, Ports: []api.Port{port}, Interfaces: []interfaceFacts{facts}}
		list := r.Findings()
		if want == "" && !strings.HasPrefix(list[0], "nothing: ") || len(list) != 1 ||
			!strings.Contains(list[0], want) {
			t.Errorf("%q, want %q", list, want)
		}
	}
}

// The latest errors are told, each once.
func TestFindingsOfErrors(t *testing.T) {
	r := &Report{Uelinkd: &api.Status{}}
	for _, text := range []string{"a", "b", "c", "c", "d", "d"} {
		r.Events = append(r.Events, api.Event{Port: "link0", Kind: "error", Text: text})
	}
	r.Events = append(r.Events, api.Event{Port: "link0", Kind: "drops", Text: "e"})
	list := r.Findings()
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
