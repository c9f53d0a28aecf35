package guest

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"uelink/client"
	"uelink/control/api"
	"uelink/internal/netns"
)

// edgeMTU is the MTU of the hosts' interfaces.
const edgeMTU = 1500

// bed is the namespaces, NICs and daemons of the drawing in doc.go.
type bed struct {
	hostA, hostB *netns.NS
	a, b         *daemon
	nics         [2]*nic
}

// daemon is a uelinkd between an edge and a NIC. It may be started several times.
type daemon struct {
	*process
	name   string
	ns     *netns.NS
	links  int    // number of links: link0 and edge0, link1 and edge1 ...
	text   string // text of its configuration
	log    *output
	client *client.Client
}

// configuration is the format of a daemon's configuration: socket, keys of the profile, ports, xconnects.
const configuration = `log: {level: info, format: console}
control: {socket: %q}
llr_profiles:
  nics: {%s}
ports:
%sxconnects: [%s]
`

// ports is the format of a link and its edge: their number, further keys of the link.
const ports = `  - name: link%[1]d
    interface: link%[1]d
    role: link
    llr: {mode: static, local: true, remote: true, profile: nics}
%[2]s  - {name: edge%[1]d, interface: edge%[1]d, role: edge}
`

// newBed builds the test bed in the guest: two hosts and two daemons in network namespaces, the guest's two NICs as
// the ends of the link. It starts both daemons and waits until LLR runs both ways.
func (s *session) newBed() (_ *bed, err error) {
	var ns [4]*netns.NS
	for i, name := range []string{"hostA", "A", "B", "hostB"} {
		if ns[i], err = netns.New(name); err != nil {
			return nil, err
		}
	}
	b := &bed{hostA: ns[0], hostB: ns[3]}
	b.a, b.b = newDaemon("A", ns[1], 1, s.task), newDaemon("B", ns[2], 1, s.task)
	for i, d := range []*daemon{b.a, b.b} {
		if err := netns.Veth([]*netns.NS{b.hostA, b.hostB}[i], "eth0", d.ns, "edge0", edgeMTU); err != nil {
			return nil, err
		}
		b.nics[i] = &nic{name: []string{"a", "b"}[i], mac: s.task.MACs[i], home: d.ns, as: "link0"}
		if err := b.nics[i].place(); err != nil {
			return nil, err
		}
		if err := d.start(); err != nil {
			return nil, err
		}
	}
	return b, b.established()
}

// newDaemon returns a daemon with a pair of edge and link for each of its links; it is not started.
func newDaemon(name string, ns *netns.NS, links int, t Task) *daemon {
	socket, list, pairs := "/run/"+name+".sock", "", []string{}
	for i := range links {
		list += fmt.Sprintf(ports, i, t.linkKeys())
		pairs = append(pairs, fmt.Sprintf("{edge: edge%[1]d, link: link%[1]d}", i))
	}
	return &daemon{name: name, ns: ns, links: links, log: &output{}, client: client.NewClient(socket),
		text: fmt.Sprintf(configuration, socket, t.Profile, list, strings.Join(pairs, ", "))}
}

// linkKeys returns the task's additional keys of a link port as lines of YAML, for the daemon's configuration.
func (t Task) linkKeys() (lines string) {
	for key := range strings.SplitSeq(t.Link, ", ") {
		if key != "" {
			lines += "    " + key + "\n"
		}
	}
	return lines
}

// start starts the daemon's process, and does not wait until it is ready.
func (d *daemon) start() (err error) {
	file, state := "/run/"+d.name+".yaml", "/run/"+d.name+".state"
	if err := os.WriteFile(file, []byte(d.text), 0o644); err != nil {
		return err
	}
	d.process, err = start(d.ns, d.log, []string{"STATE_DIRECTORY=" + state}, "uelinkd", "--config", file)
	return err
}

// link asks the daemon for the state of its first link port.
func (d *daemon) link() (api.Port, error) { return d.port("link0") }

func (d *daemon) port(name string) (api.Port, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return d.client.Port(ctx, name)
}

// advances asks the daemon, and returns in words why LLR does not run both ways on all of its links; "" if it does.
func (d *daemon) advances() (problem string) {
	for i := range d.links {
		problem += d.linkAdvances(fmt.Sprint("link", i))
	}
	return problem
}

// linkAdvances returns why LLR of a link is not established; "" if it is.
func (d *daemon) linkAdvances(link string) (problem string) {
	p, err := d.port(link)
	switch {
	case err != nil:
		return fmt.Sprintf("%s: %v", d.name, err)
	case p.OperStatus != api.OperUp:
		return fmt.Sprintf("%s: %s is %s %s", d.name, link, p.OperStatus, p.Fault)
	case !p.LLR.Established():
		return fmt.Sprintf("%s: %s: tx %s, rx %s, partner known %v %s",
			d.name, link, p.LLR.TxStatus, p.LLR.RxStatus, p.LLR.PartnerKnown, p.Fault)
	}
	return ""
}

// establishment bounds the time for a link to come up. Some NICs are down for seconds after an XDP program is
// attached, and the virtual machine is slow.
const establishment = 40 * time.Second

// established waits until LLR runs both ways at both daemons, and returns an error with the daemons' last output if
// that takes too long.
func (b *bed) established() error {
	err := within(establishment, "LLR at both ends", func() string { return b.a.advances() + b.b.advances() })
	if err != nil {
		err = fmt.Errorf("%w\nA: %q\nB: %q", err, b.a.log.tail(20), b.b.log.tail(20))
	}
	return err
}

// settings returns the settings of daemon A's link, as the daemon reports them, and the kernel's release.
func (b *bed) settings() (*Bed, error) {
	p, err := b.a.link()
	return &Bed{Kernel: release(), XDPMode: p.XDPMode, BindMode: p.BindMode, Opener: p.Opener, Queues: p.Queues}, err
}
