package e2e

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"uelink/control"
	"uelink/llr"
	"uelink/netns"
	"uelink/rig"
)

// settings are the parts of a daemon's configuration that differ between tests. The zero value is a link with LLR
// both ways and a patient profile. Each string is keys and values of YAML, as between two braces.
type settings struct {
	profile string // of the LLR profile; "" = patient
	link    string // of the link port
	edge    string // of the edge port
	llr     string // of the link port's llr; "" = both ways
	top     string // lines at the top level
}

// patient is a profile that tolerates a partner without CPU for 200 ms. With the default of 8 replays of 2 ms each,
// LLR gives the partner up, with all unacknowledged frames, after some 20 ms, which a busy machine with two cores
// exceeds.
const patient = "max_replay_count: 100"

// lossless is a link that never gives up a frame and sends none without a number, whatever delay the wire, or a
// partner without CPU, adds.
var lossless = settings{profile: "max_replay_count: 255, init_action: block, flush_action: block"}

// text returns the whole configuration.
func (s settings) text(socket string) string {
	return fmt.Sprintf(`%s  - {name: edge0, interface: edge0, role: edge%s}
xconnects: [{edge: edge0, link: link0}]
%s
`, s.head(socket), following(s.edge), s.top)
}

// head returns the configuration up to its first port, the link.
func (s settings) head(socket string) string {
	if s.llr == "" {
		s.llr = "mode: static, local: true, remote: true"
	}
	if s.profile == "" {
		s.profile = patient
	}
	return fmt.Sprintf(`log: {level: debug, format: json}
control: {socket: %q}
llr_profiles:
  e2e: {%s}
ports:
  - {name: link0, interface: link0, role: link, llr: {%s, profile: e2e}%s}
`, socket, s.profile, s.llr, following(s.link))
}

// following returns keys with a comma in front, to append to other keys.
func following(keys string) string {
	if keys == "" {
		return ""
	}
	return ", " + keys
}

// configuration makes the text of a daemon's configuration file.
type configuration interface{ text(socket string) string }

// daemon is a uelinkd, which may be started several times.
type daemon struct {
	*process
	made        *rig.Daemon
	t           testing.TB
	name        string
	ns          *netns.NS
	dir         string // of its files
	config      string // file
	socket      string
	binary      string   // of uelinkd; "" = the one under test
	environment []string // added to this process's environment
	client      *control.Client
	notify      *net.UnixConn // receives the daemon's sd_notify messages
}

// newDaemon writes a configuration; it does not start the daemon.
func newDaemon(t testing.TB, ns *netns.NS, name string, c configuration) *daemon {
	t.Helper()
	dir := t.TempDir()
	files, err := rig.NewDaemon(dir, c.text)
	must(t, err)
	t.Cleanup(files.Close)
	d := &daemon{
		made: files, t: t, name: "uelinkd " + name, ns: ns, dir: dir,
		config: files.Config, socket: files.Socket, client: files.Client,
	}
	d.notify, err = net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(dir, "notify"), Net: "unixgram"})
	must(t, err)
	t.Cleanup(func() { d.notify.Close() })
	return d
}

// write replaces the configuration file.
func (d *daemon) write(text string) {
	d.t.Helper()
	must(d.t, d.made.Write(text))
}

// start starts the daemon and waits for READY=1, whose time it returns.
func (d *daemon) start() time.Time {
	d.t.Helper()
	d.launch()
	return d.told("READY=1")
}

// launch starts the daemon without waiting.
func (d *daemon) launch() {
	d.t.Helper()
	must(d.t, d.made.Start(d.ns, d.name, d.command()))
	d.process = watched(d.t, d.made.Process)
}

// command returns the daemon's command line and environment, with the socket for notifications.
func (d *daemon) command() *exec.Cmd {
	binary := d.binary
	if binary == "" {
		binary = program("uelinkd")
	}
	cmd := d.made.Command(binary)
	cmd.Env = append(cmd.Env, "NOTIFY_SOCKET="+d.notify.LocalAddr().String())
	cmd.Env = append(cmd.Env, d.environment...)
	return cmd
}

// told waits for a line of sd_notify, such as READY=1, and returns its time.
func (d *daemon) told(what string) time.Time {
	d.t.Helper()
	message := make([]byte, 4096)
	for deadline := time.Now().Add(patience); ; {
		must(d.t, d.notify.SetReadDeadline(time.Now().Add(100*time.Millisecond)))
		n, err := d.notify.Read(message)
		if errors.Is(err, os.ErrDeadlineExceeded) && d.running() && time.Now().Before(deadline) {
			continue
		}
		if err != nil {
			d.t.Fatalf("%s did not notify %s: %v", d.name, what, err)
		}
		for line := range strings.Lines(string(message[:n])) {
			if strings.TrimSpace(line) == what {
				return time.Now()
			}
		}
	}
}

// port returns the state of a port.
func (d *daemon) port(name string) control.Port {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	p, err := d.client.Port(ctx, name)
	if err != nil {
		d.t.Fatalf("%s: port %s: %v", d.name, name, err)
	}
	return p
}

func (d *daemon) link() control.Port        { d.t.Helper(); return d.port("link0") }
func (d *daemon) edge() control.Port        { d.t.Helper(); return d.port("edge0") }
func (d *daemon) llr() *control.LLR         { d.t.Helper(); return d.link().LLR }
func (d *daemon) llrCounters() llr.Counters { d.t.Helper(); return d.llr().Counters }

// advances returns why LLR does not run both ways on the link; "" if it does.
func (d *daemon) advances() (problem string) {
	d.t.Helper()
	switch l := d.llr(); {
	case !l.Established():
		return fmt.Sprintf("%s: tx %s, rx %s, partner known %v", d.name, l.TxStatus, l.RxStatus, l.PartnerKnown)
	}
	return ""
}
