package machine

import (
	"bufio"
	"io"
	"net"
	"strings"
	"testing"
)

// play returns a monitor whose other end sends these lines: the first at once, each further one after a command. The
// commands are in the channel at the end.
func play(t *testing.T, lines ...string) (net.Conn, <-chan []string) {
	t.Helper()
	ours, theirs := net.Pipe()
	reported := make(chan []string, 1)
	go func() {
		defer theirs.Close()
		var commands []string
		in := bufio.NewReader(theirs)
		for i, line := range lines {
			if i > 0 {
				command, err := in.ReadString('\n')
				if err != nil {
					break
				}
				commands = append(commands, strings.TrimSpace(command))
			}
			if _, err := io.WriteString(theirs, line+"\n"); err != nil {
				break
			}
		}
		reported <- commands
	}()
	t.Cleanup(func() { ours.Close() })
	return ours, reported
}

const greeting = `{"QMP": {"version": {}, "capabilities": []}}`

func TestMonitorRunsCommands(t *testing.T) {
	link, reported := play(t, greeting, `{"return": {}}`,
		`{"event": "NIC_RX_FILTER_CHANGED", "data": {"name": "a"}}`+"\n"+`{"return": {}}`,
		`{"error": {"class": "DeviceNotFound", "desc": "Device 'c' not found"}}`)
	m, err := newMonitor(link)
	if err != nil {
		t.Fatal(err)
	}
	g := &Guest{monitor: m}
	if err := g.SetLink("a", false); err != nil {
		t.Error(err)
	}
	if err := g.SetLink("c", true); err == nil || !strings.Contains(err.Error(), "set_link: Device 'c' not found") {
		t.Errorf("%v", err)
	}
	want := []string{`{"execute":"qmp_capabilities"}`,
		`{"execute":"set_link","arguments":{"name":"a","up":false}}`, `{"execute":"set_link","arguments":{"name":"c","up":true}}`}
	if got := <-reported; strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("it was told\n%s\nnot\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A card has gone when the guest has let go of it, which an event tells.
func TestUnplugWaitsForTheGuest(t *testing.T) {
	link, _ := play(t, greeting, `{"return": {}}`,
		`{"return": {}}`+"\n"+`{"event": "DEVICE_DELETED", "data": {"path": "/other"}}`+"\n"+
			`{"event": "DEVICE_DELETED", "data": {"device": "a", "path": "/a"}}`, `{"return": {}}`)
	m, err := newMonitor(link)
	if err != nil {
		t.Fatal(err)
	}
	g := &Guest{monitor: m, config: Config{NICs: []NIC{{Name: "a", Model: "igb"}}}}
	if err := g.Unplug("a"); err != nil {
		t.Error(err)
	}
	if err := g.Plug("a"); err != nil {
		t.Error(err)
	}
	if err := g.Plug("z"); err == nil {
		t.Error("a card that is not there was plugged in")
	}
}

func TestMonitorThatDoesNotGreet(t *testing.T) {
	for _, line := range []string{`{"return": {}}`, `hello`} {
		link, _ := play(t, line)
		if _, err := newMonitor(link); err == nil {
			t.Errorf("%q was taken for a greeting", line)
		}
	}
}
