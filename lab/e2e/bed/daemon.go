package bed

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"uelink/client"
	"uelink/control/api"
	"uelink/internal/netns"
	"uelink/lab/rig"
	"uelink/llr"
)

// Settings are the parts of a daemon's configuration that differ between tests. The zero value is a link with LLR
// both ways and a patient profile. Each string is keys and values of YAML, as between two braces.
type Settings struct {
	Control string // keys of the section control
	Profile string // keys of the LLR profile; "" = those of Patient
	Link    string // keys of the link port
	Edge    string // keys of the edge port
	LLR     string // keys of the link port's llr; "" = LLR both ways
	Top     string // lines at the top level
}

// Patient is a profile that tolerates a partner without CPU for 200 ms. With the default of 8 replays of 2 ms each,
// LLR gives the partner up, with all unacknowledged frames, after some 20 ms, which a busy machine with two cores
// exceeds.
const Patient = "max_replay_count: 100"

// Lossless is a link that never gives up a frame and sends none without a number, whatever delay the wire, or a
// partner without CPU, adds.
var Lossless = Settings{Profile: "max_replay_count: 255, init_action: block, flush_action: block"}

// ByFrame returns a copy of the settings whose edge takes and gives each frame by its AF_XDP socket (offload: off): for
// tests that fill the rings and chunks of an edge. The packet socket of super-frames has 64 MB and does not fill.
func (s Settings) ByFrame() Settings {
	s.Edge = "offload: off" + AppendKeys(s.Edge)
	return s
}

// InSuperFrames returns a copy of the settings whose edge takes super-frames.
func (s Settings) InSuperFrames() Settings {
	s.Edge = "offload: on" + AppendKeys(s.Edge)
	return s
}

// Text returns the daemon's whole configuration. socket is the path of its API.
func (s Settings) Text(socket string) string {
	return fmt.Sprintf(`%s  - {name: edge0, interface: edge0, role: edge%s}
xconnects: [{edge: edge0, link: link0}]
%s
`, s.head(socket), AppendKeys(s.Edge), s.Top)
}

// head returns the beginning of the daemon's configuration, up to and including the link port. socket is the path
// of its API. Without settings of LLR or of its profile, LLR is on both ways with the profile Patient.
func (s Settings) head(socket string) string {
	if s.LLR == "" {
		s.LLR = "mode: static, local: true, remote: true"
	}
	if s.Profile == "" {
		s.Profile = Patient
	}
	return fmt.Sprintf(`log: {level: debug, format: json}
control: {socket: %q%s}
llr_profiles:
  e2e: {%s}
ports:
  - {name: link0, interface: link0, role: link, llr: {%s, profile: e2e}%s}
`, socket, AppendKeys(s.Control), s.Profile, s.LLR, AppendKeys(s.Link))
}

// AppendKeys returns keys of YAML with a comma in front, to append them to other keys; "" for no keys.
func AppendKeys(keys string) string {
	if keys == "" {
		return ""
	}
	return ", " + keys
}

// Configuration makes the text of a daemon's configuration file.
type Configuration interface{ Text(socket string) string }

// Daemon is a uelinkd, which may be started several times.
type Daemon struct {
	*Process
	Rig    *rig.Daemon
	T      testing.TB
	Name   string
	NS     *netns.NS
	Dir    string // folder of its files
	Config string // file
	Socket string
	Binary string // path of uelinkd; "" = the one under test
	Client *client.Client
	Notify *net.UnixConn // receives the daemon's sd_notify messages
}

// NewDaemon makes a daemon's directory and sockets and writes its configuration; it does not start the daemon.
// name is its name in messages.
func NewDaemon(t testing.TB, ns *netns.NS, name string, c Configuration) *Daemon {
	t.Helper()
	dir := t.TempDir()
	files, err := rig.NewDaemon(dir, c.Text)
	Must(t, err)
	t.Cleanup(files.Close)
	d := &Daemon{
		Rig: files, T: t, Name: "uelinkd " + name, NS: ns, Dir: dir,
		Config: files.Config, Socket: files.Socket, Client: files.Client,
	}
	d.Notify, err = net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(dir, "notify"), Net: "unixgram"})
	Must(t, err)
	t.Cleanup(func() { d.Notify.Close() })
	return d
}

// Write replaces the text of the daemon's configuration file.
func (d *Daemon) Write(text string) {
	d.T.Helper()
	Must(d.T, d.Rig.Write(text))
}

// Start starts the daemon, waits for its notification READY=1 and returns the time at which it came.
func (d *Daemon) Start() time.Time {
	d.T.Helper()
	d.Launch()
	return d.AwaitNotify("READY=1")
}

// Launch starts the daemon and does not wait until it is ready.
func (d *Daemon) Launch() {
	d.T.Helper()
	Must(d.T, d.Rig.Start(d.NS, d.Name, d.Command()))
	d.Process = watched(d.T, d.Rig.Process)
}

// Command returns the command that starts the daemon, with the socket for its notifications in the environment. It
// starts nothing.
func (d *Daemon) Command() *exec.Cmd {
	binary := d.Binary
	if binary == "" {
		binary = Program("uelinkd")
	}
	cmd := d.Rig.Command(binary)
	cmd.Env = append(cmd.Env, "NOTIFY_SOCKET="+d.Notify.LocalAddr().String())
	return cmd
}

// AwaitNotify waits until the daemon sends systemd a notification with a line equal to state, such as READY=1, and
// returns the time at which the line came.
func (d *Daemon) AwaitNotify(state string) time.Time {
	d.T.Helper()
	message := make([]byte, 4096)
	for deadline := time.Now().Add(Patience); ; {
		Must(d.T, d.Notify.SetReadDeadline(time.Now().Add(100*time.Millisecond)))
		n, err := d.Notify.Read(message)
		if errors.Is(err, os.ErrDeadlineExceeded) && d.Running() && time.Now().Before(deadline) {
			continue
		}
		if err != nil {
			d.T.Fatalf("%s did not notify %s: %v", d.Name, state, err)
		}
		for line := range strings.Lines(string(message[:n])) {
			if strings.TrimSpace(line) == state {
				return time.Now()
			}
		}
	}
}

// Port asks the daemon and returns the state of the port with this name.
func (d *Daemon) Port(name string) api.Port {
	d.T.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	p, err := d.Client.Port(ctx, name)
	if err != nil {
		d.T.Fatalf("%s: port %s: %v", d.Name, name, err)
	}
	return p
}

// Link asks the daemon and returns the state of port link0.
func (d *Daemon) Link() api.Port { d.T.Helper(); return d.Port("link0") }

// Edge asks the daemon and returns the state of port edge0.
func (d *Daemon) Edge() api.Port { d.T.Helper(); return d.Port("edge0") }

// LLR asks the daemon and returns the state of LLR on link0.
func (d *Daemon) LLR() *api.LLR { d.T.Helper(); return d.Link().LLR }

// LLRCounters asks the daemon and returns the LLR counters of link0.
func (d *Daemon) LLRCounters() llr.Counters { d.T.Helper(); return d.LLR().Counters }

// Advances returns in words why LLR does not run both ways on link0; "" if it does.
func (d *Daemon) Advances() (problem string) {
	d.T.Helper()
	switch l := d.LLR(); {
	case !l.Established():
		return fmt.Sprintf("%s: tx %s, rx %s, partner known %v", d.Name, l.TxStatus, l.RxStatus, l.PartnerKnown)
	}
	return ""
}

// CreatedEdge returns a copy of the settings whose edge port is a veth created by the daemon. address is the
// host's IP address at the other end.
func CreatedEdge(s Settings, address string) Settings {
	s.Edge = "create: true, host_interface: uelink0, address: [" + address + "/24]" + AppendKeys(s.Edge)
	return s
}

// OperStatus waits until a port has this operational status, such as "up".
func (d *Daemon) OperStatus(port, status string) {
	d.T.Helper()
	Eventually(d.T, d.Name+": "+port+" "+status, func() string {
		if current := d.Port(port).OperStatus; current != status {
			return "it is " + current
		}
		return ""
	})
}

// OnQueues waits until link0 is up with sockets on exactly these RX queues; leaves is the number of the TX queue by
// which link0 must send. If that takes too long, OnQueues ends the test.
func (d *Daemon) OnQueues(leaves int, queues ...int) {
	d.T.Helper()
	Eventually(d.T, d.Name+": the queues", func() string {
		link := d.Link()
		if !slices.Equal(link.RxQueues, queues) || link.TxQueue != leaves || link.Queues != len(queues) ||
			link.OperStatus != "up" {
			return fmt.Sprintf("%d sockets, on RX queues %v, and frames leave by TX queue %d: want RX queues %v, TX queue %d",
				link.Queues, link.RxQueues, link.TxQueue, queues, leaves)
		}
		return ""
	})
}

// Reload replaces the daemon's configuration by text, sends SIGHUP and waits for the end of the reload.
func (d *Daemon) Reload(text string) {
	d.T.Helper()
	d.Write(text)
	d.Signal(syscall.SIGHUP)
	d.AwaitNotify("RELOADING=1")
	d.AwaitNotify("READY=1")
}
