package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"uelink/client"
	"uelink/control/api"
	"uelink/internal/netns"
	"uelink/lab/rig"
)

// daemon is a uelinkd.
type daemon struct {
	process
	client *client.Client
}

// daemonText is the configuration of a daemon, up to its ports.
const daemonText = `log: {level: warn, format: json}
control: {socket: %q}
%s
llr_profiles: {bench: {%s}}
ports:
`

// Configuration of a link port, with LLR and with HIPPI-6400-PH, and of an edge port. A forwarder that is frozen for a
// while counts as silent only after a minute.
const (
	linkText  = "  - {name: %[1]s, interface: %[1]s, role: link, llr: {mode: static, %[2]s, profile: bench}%[3]s}\n"
	hippiText = "  - {name: %[1]s, interface: %[1]s, role: link, protocol: hippi6400, hippi: {silence: 1m}%[2]s}\n"
	edgeText  = "  - {name: %[1]s, interface: %[1]s, role: edge%[2]s}\n"
)

// daemonConfig is the settings of a daemon in a benchmark; empty strings are defaults.
type daemonConfig struct {
	llr     string // keys local and remote of the link's LLR
	hippi   bool   // HIPPI-6400-PH instead of LLR
	profile string // keys of the LLR profile
	top     string // further lines of the configuration, at the top level
	edge    string // further keys of each edge port, after a comma
	link    string // further keys of each link port, after a comma
	links   int    // number of links; 0: one link
	bridge  bool   // instead of xconnects: all interfaces are edges of a bridge
	stacks  bool   // the hosts behind the edges are network stacks; false: XDP programs
}

// frames returns the configuration for hosts that are XDP programs: `offload: off` keeps super-frames off the edges. By
// default a daemon would begin with super-frames and lose frames until it notices the XDP programs. An older daemon
// refuses the key and takes no super-frames, so it gets the configuration without the key.
func (c daemonConfig) frames(files *rig.Daemon, program string) (daemonConfig, error) {
	single := c
	single.edge += ", offload: off"
	if err := files.Write(single.text(files.Socket)); err != nil {
		return c, err
	}
	check := files.Command(program)
	check.Args = append(check.Args, "--check")
	if check.Run() == nil {
		return single, nil
	}
	return c, files.Write(c.text(files.Socket))
}

// text returns the text of the daemon's configuration file. socket is the path of the socket of its API.
func (c daemonConfig) text(socket string) string {
	text := fmt.Sprintf(daemonText, socket, c.top, c.profile)
	var pairs, members []string
	for i := range max(1, c.links) {
		link, edge := nth("link", i), nth("edge", i)
		switch {
		case c.bridge:
			text += fmt.Sprintf(edgeText, link, c.edge)
		case c.hippi:
			text += fmt.Sprintf(hippiText, link, c.link)
		default:
			text += fmt.Sprintf(linkText, link, c.llr, c.link)
		}
		text += fmt.Sprintf(edgeText, edge, c.edge)
		pairs = append(pairs, fmt.Sprintf("{edge: %s, link: %s}", edge, link))
		members = append(members, fmt.Sprintf("{port: %s}, {port: %s}", edge, link))
	}
	if c.bridge {
		return text + "bridges: [{name: br0, ageing: 0s, ports: [" + strings.Join(members, ", ") + "]}]\n"
	}
	return text + "xconnects: [" + strings.Join(pairs, ", ") + "]\n"
}

// startDaemon starts the uelinkd at path program in a namespace, bound to a CPU, with its files in dir, and waits
// until all its ports are up.
func startDaemon(ns *netns.NS, cpu int, dir, program string, c daemonConfig) (*daemon, error) {
	files, err := rig.NewDaemon(dir, c.text)
	if err != nil {
		return nil, err
	}
	if !c.stacks {
		if c, err = c.frames(files, program); err != nil {
			return nil, err
		}
	}
	if err := files.Start(ns, "uelinkd", files.Command("taskset", "-c", strconv.Itoa(cpu), program)); err != nil {
		return nil, err
	}
	d := &daemon{process{Process: files.Process}, files.Client}
	return d, d.await("answer of the API with all ports up", func() bool {
		ports, err := d.client.Ports(context.Background())
		return err == nil && len(ports) == 2*max(1, c.links) && !slices.ContainsFunc(ports, down)
	})
}

func down(p api.Port) bool { return p.OperStatus != api.OperUp }

// sent is the number of frames that a daemon has sent, and how many of them left live.
type sent struct{ all, live uint64 }

// sent returns how many frames all ports of the daemon have sent, and how many of these frames left live.
func (d *daemon) sent() (n sent, err error) {
	ports, err := d.client.Ports(context.Background())
	for _, p := range ports {
		n.all, n.live = n.all+p.Counters.TxFrames, n.live+p.Socket.TxLive
	}
	return n, err
}

// awaitLive waits until frames leave live by all interfaces of the daemon whose names begin with prefix. After 2
// seconds it waits no longer, without an error: the daemon may be one that sends by AF_XDP alone. A daemon looks four
// times a second whether the other end of a veth receives XDP frames; while it is frozen it does not look.
func (d *daemon) awaitLive(prefix string) error {
	const patience, pause = 2 * time.Second, 10 * time.Millisecond
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(pause) {
		ports, err := d.client.Ports(context.Background())
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(ports, func(p api.Port) bool {
			return strings.HasPrefix(p.Interface, prefix) && p.TxPath != "live"
		}) {
			return nil
		}
	}
	return nil
}

func (d *daemon) stop() error {
	d.client.Close()
	return d.process.stop()
}
