package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"uelink/internal/netns"
)

// openVSwitch is Open vSwitch with a bridge of netdev datapath. Database, sockets and files are in one directory; the
// system's own Open vSwitch is not used.
type openVSwitch struct {
	*process // ovs-vswitchd
	database *process
	ns       *netns.NS
	dir      string
}

// ovsSchema is the path of the database schema in Debian's package.
const ovsSchema = "/usr/share/openvswitch/vswitch.ovsschema"

// switching selects how Open vSwitch forwards.
type switching bool

const (
	byPort   switching = false // flows that match only the ingress port
	learning switching = true  // a learning bridge: the action NORMAL
)

// openVSwitchOf returns a function that starts Open vSwitch over all interfaces of a bed with that number of
// links. mode selects between flows by port and a learning bridge.
func openVSwitchOf(mode switching, links int) launcher {
	return func(b *bed, dir string) (forwarder, error) {
		return startOpenVSwitch(b.device, deviceCPU, dir, mode, ports(links))
	}
}

// startOpenVSwitch starts an Open vSwitch, its database and its switch process, over interfaces of a namespace,
// with all files in dir. mode selects flows by port or a learning bridge. Only the polling thread is bound to the
// CPU.
func startOpenVSwitch(ns *netns.NS, cpu int, dir string, mode switching, ports []string) (_ *openVSwitch, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	o := &openVSwitch{ns: ns, dir: dir}
	if err := o.tool("ovsdb-tool", "create", o.file("conf.db"), ovsSchema); err != nil {
		return nil, err
	}
	o.database, err = startWith(ns, o.environment(), "0", "ovsdb-server", o.file("conf.db"),
		"--remote=p"+o.socket(), "--unixctl="+o.file("db.ctl"))
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, o.stop())
		}
	}()
	listens := func() bool { _, err := os.Stat(o.file("db.sock")); return err == nil }
	if err := o.database.await("socket", listens); err != nil {
		return o, err
	}
	settings := append([]string{"--no-wait", "init", "--", "set", "Open_vSwitch", ".",
		fmt.Sprintf("other_config:pmd-cpu-mask=%#x", 1<<cpu)}, ovsFlows()...)
	if err := o.vsctl(settings...); err != nil {
		return o, err
	}
	o.process, err = startWith(ns, o.environment(), "0-1", "ovs-vswitchd", o.socket(),
		"--unixctl="+o.file("vswitchd.ctl"))
	if err != nil {
		return o, err
	}
	return o, o.bridge(mode, ports)
}

// ovsFlows returns settings of Open vSwitch's database: flows stay cached for 10 minutes, also while the process
// is frozen, and there may be 400,000.
func ovsFlows() []string {
	return []string{"other_config:max-idle=600000", "other_config:flow-limit=400000"}
}

// bridge makes bridge br0 of Open vSwitch with these ports, one AF_XDP queue each, adds its flows, and waits until
// the XDP programs are attached.
func (o *openVSwitch) bridge(mode switching, ports []string) error {
	args := []string{"--timeout=20", "add-br", "br0", "--", "set", "Bridge", "br0", "datapath_type=netdev",
		"fail-mode=secure",
		"other_config:mac-table-size=400000", "other_config:mac-aging-time=3600"}
	for i, ifname := range ports {
		args = append(args, "--", "add-port", "br0", ifname, "--", "set", "Interface", ifname, "type=afxdp",
			"options:xdp-mode=native", "options:n_rxq=1", fmt.Sprintf("ofport_request=%d", i+1))
	}
	if err := o.vsctl(args...); err != nil {
		return err
	}
	for _, flow := range mode.flows(len(ports)) {
		if err := o.tool("ovs-ofctl", "add-flow", "unix:"+o.file("br0.mgmt"), flow); err != nil {
			return err
		}
	}
	return awaitXDP(o.process, o.ns, ports)
}

// flows returns the flows of a bridge in the syntax of ovs-ofctl: they join the ports in pairs, or for a learning
// bridge are the action NORMAL.
func (s switching) flows(ports int) (list []string) {
	if s == learning {
		return []string{"actions=NORMAL"}
	}
	for i := 1; i < ports; i += 2 {
		list = append(list,
			fmt.Sprintf("in_port=%d,actions=output:%d", i, i+1),
			fmt.Sprintf("in_port=%d,actions=output:%d", i+1, i))
	}
	return list
}

func (o *openVSwitch) file(name string) string { return filepath.Join(o.dir, name) }

func (o *openVSwitch) socket() string { return "unix:" + o.file("db.sock") }

func (o *openVSwitch) environment() []string {
	return []string{"OVS_RUNDIR=" + o.dir, "OVS_LOGDIR=" + o.dir, "OVS_DBDIR=" + o.dir, "OVS_SYSCONFDIR=" + o.dir}
}

func (o *openVSwitch) vsctl(args ...string) error {
	return o.tool("ovs-vsctl", append([]string{"--db=" + o.socket()}, args...)...)
}

func (o *openVSwitch) tool(name string, args ...string) error {
	_, err := o.output(name, args...)
	return err
}

// output runs a program of Open vSwitch against this instance, and returns its output.
func (o *openVSwitch) output(name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), o.environment()...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, out)
	}
	return out, nil
}

// learned returns how many addresses the bridge of Open vSwitch has learned.
func (o *openVSwitch) learned() (addresses int, err error) {
	out, err := o.output("ovs-appctl", "--target="+o.file("vswitchd.ctl"), "fdb/stats-show", "br0")
	if err != nil {
		return 0, err
	}
	_, after, _ := strings.Cut(string(out), "MAC entries in the table:")
	if _, err := fmt.Sscanf(strings.TrimSpace(after), "%d/", &addresses); err != nil {
		return 0, fmt.Errorf("read the number of addresses in %q: %w", out, err)
	}
	return addresses, nil
}

// cpuTime returns the CPU time of the polling thread so far, ns. The other threads are not on its CPU.
func (o *openVSwitch) cpuTime() (ns int64, err error) {
	return cpuTime(o.Cmd.Process.Pid, func(thread string) bool { return strings.HasPrefix(thread, "pmd-") })
}

// stop ends ovs-vswitchd, then the database server.
func (o *openVSwitch) stop() error {
	var problems []error
	for _, p := range []*process{o.process, o.database} {
		if p != nil {
			problems = append(problems, p.stop())
		}
	}
	return errors.Join(problems...)
}
