package bridges

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
)

// pings sends pings from a host to an address until one is answered.
func pings(t *testing.T, from *netns.NS, to string) {
	t.Helper()
	bed.Eventually(t, "an answer from "+to, func() string {
		if err := from.Run(exec.Command("ping", "-n", "-c", "1", "-W", "1", to)); err != nil {
			return err.Error()
		}
		return ""
	})
}

// additions returns the names of the files in which a daemon keeps the ports that the API has added.
func additions(d *bed.Daemon) (list []string) {
	for _, folder := range []string{d.Rig.Run, d.Rig.State} {
		files, _ := filepath.Glob(filepath.Join(folder, "ports*.d", "*")) // an error: a wrong pattern
		list = append(list, files...)
	}
	return list
}

// TestPortsByAPI: ports come and go while two other hosts talk, of whose frames none is lost; they outlive a kill and
// an upgrade, and what is wrong changes nothing.
func TestPortsByAPI(t *testing.T) {
	bed.InstalledProgram(t, "ping", "iputils-ping")
	top := bed.Direct(t)
	pod := top.Host(top.A, "pod0")
	p := top.Bridges(bed.Switching, bed.Switching)
	a, b := bed.NewTalker(t, top.HostA, 1), bed.NewTalker(t, top.HostB, 2)
	c := bed.NewTalk(t, a, b)
	c.EveryPair(a, b)
	c.Start(time.Millisecond)

	add := []string{"port", "add", "pod", "pod0", "--bridge", "br0"}
	for range 10 {
		p.A.Tool(add...).Succeeds()
		pings(t, pod, "10.77.0.2")
		p.A.Tool("port", "del", "pod").Succeeds()
	}
	p.A.Tool(add...).Succeeds()
	if repeat := p.A.Tool(add...).Succeeds(); !strings.Contains(repeat.Stdout, `"changed": false`) {
		t.Errorf("the same port again: %s", repeat.Stdout)
	}
	p.A.Tool("port", "set", "pod", "push_back=off").Succeeds()
	if text := p.A.ToolText("config", "show"); !strings.Contains(text, `"push_back": "off"`) {
		t.Errorf("push_back is not in force:\n%s", text)
	}
	if list := p.A.Tool("config", "diff").Succeeds().Objects(); len(list) > 0 {
		t.Errorf("the files differ from what is in force: %v", list)
	}
	p.A.Upgrade()
	pings(t, pod, "10.77.0.2")
	c.End()

	for _, wrong := range [][]string{
		{"port", "add", "pod", "pod0", "--bridge", "br9"}, {"port", "add", "p/../q", "pod0", "--bridge", "br0"},
		{"port", "add", "edge0", "pod0", "--bridge", "br0"}, {"port", "del", "edge0"}, {"port", "del", "nobody"},
		{"port", "set", "pod", "push_back=perhaps"}, {"port", "add", "lo", "lo", "--bridge", "br0"},
	} {
		if got := p.A.Tool(wrong...); got.Code != 1 {
			t.Errorf("uelink %v: exit %d: %s%s", wrong, got.Code, got.Stdout, got.Stderr)
		}
	}
	p.A.Kill()
	p.A.Start()
	pings(t, pod, "10.77.0.2")
	p.A.Tool("port", "del", "pod").Succeeds()
	if left := additions(p.A); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

// TestWhoMayAddPorts: a user whom the configuration does not name may not change ports, one of its group may on the
// interfaces of the group alone.
func TestWhoMayAddPorts(t *testing.T) {
	top := bed.Direct(t)
	top.Host(top.A, "pod0")
	top.Host(top.A, "other0")
	settings := bed.Switching
	settings.Control = `mode: "0666", ports: {group: "4711", interfaces: [pod*]}`
	d := bed.NewDaemon(t, top.A, "A", settings)
	d.Start()
	for _, folder := range []string{filepath.Dir(d.Socket), filepath.Dir(filepath.Dir(d.Socket))} {
		bed.Must(t, os.Chmod(folder, 0o755))
	}
	tool := filepath.Join(t.TempDir(), "uelink") // the folder of the programs is root's
	bed.Must(t, os.Link(bed.Program("uelink"), tool))
	as := func(gid uint32, args ...string) (string, error) {
		cmd := exec.Command(tool, append([]string{"--socket", d.Socket}, args...)...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 4712, Gid: 4712, Groups: []uint32{gid}}}
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for _, c := range []struct {
		gid  uint32
		args []string
		want string // "": allowed
	}{
		{4713, []string{"port", "add", "pod", "pod0", "--bridge", "br0"}, "user 4712 may not change ports"},
		{4711, []string{"port", "add", "pod", "other0", "--bridge", "br0"}, "may not use interface other0"},
		{4711, []string{"port", "add", "pod", "pod0", "--bridge", "br0", "capture=/tmp/x"}, "may name a file"},
		{4711, []string{"port", "add", "pod", "pod0", "--bridge", "br0"}, ""},
		{4713, []string{"port", "del", "pod"}, "user 4712 may not change ports"},
		{4713, []string{"port", "set", "pod", "push_back=off"}, "user 4712 may not change ports"},
		{4711, []string{"port", "del", "edge0"}, "port edge0 stands in"},
		{4711, []string{"port", "del", "pod"}, ""},
	} {
		out, err := as(c.gid, c.args...)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(out, c.want)) {
			t.Errorf("group %d, uelink %v: %v: %s", c.gid, c.args, err, out)
		}
	}
}
