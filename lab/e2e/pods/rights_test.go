package pods

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
)

// TestPortsByOthers: each request of the API about ports, by a user in the group of control.ports and by another,
// through the socket of a real daemon: allowed, or the refusal's words. What is refused changes nothing.
func TestPortsByOthers(t *testing.T) {
	t.Parallel()
	bed.InstalledProgram(t, "setpriv", "util-linux")
	top := bed.Direct(t)
	s := bed.Switching
	s.Control = `mode: "0666", ports: {group: "4711", interfaces: ["ue-g*"]}`
	d := top.Bridges(s, bed.Switching).A
	for folder := d.Dir; folder != os.TempDir(); folder = filepath.Dir(folder) {
		bed.Must(t, os.Chmod(folder, 0o755))
	}
	pods := nstest.New(t, "pods")
	for _, name := range []string{"ue-g1", "ue-g2", "ue-root", "uplink"} {
		bed.Must(t, netns.Veth(pods, "p-"+name, top.A, name, bed.EdgeMTU))
	}
	as := func(groups string, request string) string {
		words := append([]string{"--reuid=65533", "--regid=65533", groups, bed.Program("uelink"), "--socket", d.Socket,
			"port"}, strings.Fields(request)...)
		out, err := exec.Command("setpriv", words...).CombinedOutput()
		if err == nil {
			return "allowed"
		}
		return string(out)
	}
	ports := func() (list []string) {
		ports, err := d.Client.Ports(t.Context())
		bed.Must(t, err)
		for _, p := range ports {
			list = append(list, p.Name+" "+p.Interface)
		}
		slices.Sort(list)
		return list
	}
	if a := d.Tool("port", "add", "root", "ue-root", "--bridge", "br0"); a.Code != 0 {
		t.Fatalf("root: %+v", a)
	}
	const (
		stranger   = "user 65533 may not change ports"
		interfaces = "control.ports.interfaces has [ue-g*]"
		file       = "may name a file"
	)
	for _, c := range []struct{ request, member string }{
		{"add g1 ue-g1 --bridge br0", "allowed"},
		{"add g2 ue-g2 --bridge br0 capture=/etc/passwd", file},
		{"add up uplink --bridge br0", interfaces},
		{"add up uplink --bridge br0 --force", interfaces},
		{"add g2 ue-g2 --bridge br0 --persist", "allowed"},
		{"set g1 mtu=check", "allowed"},
		{"set g1 capture=/etc/passwd", file},
		{"set g1 interface=uplink", interfaces},
		{"set root mtu=check", interfaces},
		{"set link0 mtu=check", "stands in " + d.Config},
		{"del root", interfaces},
		{"del link0", "stands in " + d.Config},
		{"del g2", "allowed"},
		{"del g1", "allowed"},
	} {
		want := stranger
		if strings.Contains(c.member, "stands in") {
			want = c.member // which anybody may read
		}
		before := ports()
		if got := as("--clear-groups", c.request); !strings.Contains(got, want) && !strings.Contains(got, "no port") {
			t.Errorf("a stranger: %s: %s", c.request, got)
		}
		if after := ports(); !slices.Equal(before, after) {
			t.Errorf("a stranger: %s: there are %q, before %q", c.request, after, before)
		}
		if got := as("--groups=4711", c.request); !strings.Contains(got, c.member) {
			t.Errorf("a member: %s: %s, want %s", c.request, got, c.member)
		}
	}
	if got := ports(); !slices.Equal(got, []string{"edge0 edge0", "link0 link0", "root ue-root"}) {
		t.Errorf("there are %q", got)
	}
}
