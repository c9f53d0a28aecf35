package links

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
)

// openVSwitch is a learning bridge of Open vSwitch with the settings that it has by default, in user
// space: database, sockets and files are in a directory of their own.
func openVSwitch(t testing.TB, ns *netns.NS, ports ...string) {
	t.Helper()
	bed.RequireProgram(t, "ovs-vswitchd", "openvswitch-switch")
	dir := t.TempDir()
	command := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(name, args...)
		cmd.Env = append(os.Environ(), "OVS_RUNDIR="+dir, "OVS_LOGDIR="+dir, "OVS_DBDIR="+dir, "OVS_SYSCONFDIR="+dir)
		return cmd
	}
	database, socket := filepath.Join(dir, "conf.db"), filepath.Join(dir, "db.sock")
	bed.Run(t, ns, command("ovsdb-tool", "create", database, "/usr/share/openvswitch/vswitch.ovsschema"))
	bed.Start(t, ns, "ovsdb-server", command("ovsdb-server", database, "--remote=punix:"+socket,
		"--unixctl="+filepath.Join(dir, "db.ctl")))
	bed.Eventually(t, "the database of Open vSwitch", func() string {
		if _, err := os.Stat(socket); err != nil {
			return err.Error()
		}
		return ""
	})
	bed.Run(t, ns, command("ovs-vsctl", "--db=unix:"+socket, "--no-wait", "init"))
	bed.Start(t, ns, "ovs-vswitchd",
		command("ovs-vswitchd", "unix:"+socket, "--unixctl="+filepath.Join(dir, "vswitchd.ctl")))
	args := []string{"--db=unix:" + socket, "--timeout=20", "add-br", "br0",
		"--", "set", "Bridge", "br0", "datapath_type=netdev"}
	for _, port := range ports {
		args = append(args, "--", "add-port", "br0", port)
	}
	bed.Run(t, ns, command("ovs-vsctl", args...))
}
