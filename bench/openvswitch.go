package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"uelink/netns"
)

// openVSwitch is Open vSwitch with a bridge of netdev datapath, all of its own:
// database, sockets and files are in one directory, nothing of the system's.
type openVSwitch struct {
	*process // ovs-vswitchd
	database *process
	ns       *netns.NS
	dir      string
}

// ovsSchema is where Debian's package has the schema of the database.
const ovsSchema = "/usr/share/openvswitch/vswitch.ovsschema"

// startOpenVSwitch joins two interfaces by two flows that know nothing but the
// port that a frame came by. The polling thread alone is on the CPU.
func startOpenVSwitch(ns *netns.NS, cpu int, dir string, ports [2]string) (_ *openVSwitch, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	o := &openVSwitch{ns: ns, dir: dir}
	if err := o.tool("ovsdb-tool", "create", o.file("conf.db"), ovsSchema); err != nil {
		return nil, err
	}
	o.database, err = startWith(ns, o.environment(), "0", "ovsdb-server", o.file("conf.db"), "--remote=p"+o.socket(), "--unixctl="+o.file("db.ctl"))
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, o.stop())
		}
	}()
	if err := o.database.await("socket", func() bool { _, err := os.Stat(o.file("db.sock")); return err == nil }); err != nil {
		return o, err
	}
	if err := o.vsctl("--no-wait", "init", "--", "set", "Open_vSwitch", ".", fmt.Sprintf("other_config:pmd-cpu-mask=%#x", 1<<cpu)); err != nil {
		return o, err
	}
	o.process, err = startWith(ns, o.environment(), "0-1", "ovs-vswitchd", o.socket(), "--unixctl="+o.file("vswitchd.ctl"))
	if err != nil {
		return o, err
	}
	return o, o.bridge(ports)
}

// bridge makes the bridge and its flows; ovs-vsctl waits for ovs-vswitchd.
func (o *openVSwitch) bridge(ports [2]string) error {
	args := []string{"--timeout=20", "add-br", "br0", "--", "set", "Bridge", "br0", "datapath_type=netdev", "fail-mode=secure"}
	for i, ifname := range ports {
		args = append(args, "--", "add-port", "br0", ifname,
			"--", "set", "Interface", ifname, "type=afxdp", "options:xdp-mode=native", fmt.Sprintf("ofport_request=%d", i+1))
	}
	if err := o.vsctl(args...); err != nil {
		return err
	}
	for _, flow := range []string{"in_port=1,actions=output:2", "in_port=2,actions=output:1"} {
		if err := o.tool("ovs-ofctl", "add-flow", "unix:"+o.file("br0.mgmt"), flow); err != nil {
			return err
		}
	}
	return awaitXDP(o.process, o.ns, ports[:])
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
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), o.environment()...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// cpuTime is that of the thread that polls: the others are not on the CPU.
func (o *openVSwitch) cpuTime() (ns int64, err error) {
	return cpuTime(o.cmd.Process.Pid, func(thread string) bool { return strings.HasPrefix(thread, "pmd-") })
}

// stop ends ovs-vswitchd first.
func (o *openVSwitch) stop() error {
	var problems []error
	for _, p := range []*process{o.process, o.database} {
		if p != nil {
			problems = append(problems, p.stop())
		}
	}
	return errors.Join(problems...)
}
