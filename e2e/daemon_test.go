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

// settings is what a test wants a daemon's configuration to say; the zero value
// is a link with LLR both ways that is patient with its partner. Each string is keys and
// values of YAML, as they stand between two braces.
type settings struct {
	profile string // of the LLR profile; "" = patient
	link    string // of the link port
	edge    string // of the edge port
	llr     string // of the link port's llr; "" = both ways
	top     string // lines at the top level
}

// patient is a profile that forgives a partner that gets no CPU for 200 ms. With the
// default of 8 replays of 2 ms each LLR gives the partner up after some 20 ms, which
// a busy machine with two cores exceeds, and the frames that it holds with it.
const patient = "max_replay_count: 100"

// lossless is a link that never gives up a frame and sends none without a number,
// however long the wire, or a partner that got no CPU, takes.
var lossless = settings{profile: "max_replay_count: 255, init_action: block, flush_action: block"}

// text is the whole configuration.
func (s settings) text(socket string) string {
	return fmt.Sprintf(`%s  - {name: edge0, interface: edge0, role: edge%s}
xconnects: [{edge: edge0, link: link0}]
%s
`, s.head(socket), following(s.edge), s.top)
}

// head is the configuration up to its first port, the link.
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

// following is keys that come after others.
func following(keys string) string {
	if keys == "" {
		return ""
	}
	return ", " + keys
}

// configuration is the text of a daemon's configuration file.
type configuration interface{ text(socket string) string }

// daemon is one uelinkd, which may be started several times in its life.
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
	environment []string // added to this process's
	client      *control.Client
	notify      *net.UnixConn // what it tells its service manager
}

// newDaemon writes a configuration; nothing is started yet.
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

// start starts it and waits until it says that it is ready. It returns when that
// was said.
func (d *daemon) start() time.Time {
	d.t.Helper()
	d.launch()
	return d.told("READY=1")
}

// launch starts it and waits for nothing.
func (d *daemon) launch() {
	d.t.Helper()
	must(d.t, d.made.Start(d.ns, d.name, d.command()))
	d.process = watched(d.t, d.made.Process)
}

// command is its command line and what the service manager tells it.
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

// told waits until the service manager has been told something.
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

// port is the state of one of its ports.
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

// advances says what is against LLR running both ways on the link, if anything.
func (d *daemon) advances() (problem string) {
	d.t.Helper()
	switch l := d.llr(); {
	case !l.Established():
		return fmt.Sprintf("%s: tx %s, rx %s, partner known %v", d.name, l.TxStatus, l.RxStatus, l.PartnerKnown)
	}
	return ""
}
