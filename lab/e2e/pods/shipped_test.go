package pods

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
)

var remakes = flag.Int("pods.count", 2, "how often TestPodToPod kills its pods and makes them again")

// image returns a folder with the programs of the image, and the plugin host-local and cnitool, which are not in it.
func image(t *testing.T) (folder string) {
	t.Helper()
	folder = plugins(t)
	for _, name := range []string{"uelinkd", "uelink", "uelink-cni"} {
		octets, err := os.ReadFile(bed.Program(name))
		bed.Must(t, err)
		bed.Must(t, os.WriteFile(filepath.Join(folder, name), octets, 0o755))
	}
	return folder
}

// TestPodToPod: two nodes, with mounts and state of their own, carry out deploy/kubernetes as it ships: the init
// container installs the plugin, the daemon runs by the command of the image with the capabilities of the pod, on the
// key of its node. The nodes reach each other over a wire that loses every hundredth frame, and so do pods, which lose
// nothing: pings, datagrams at a rate that the link carries, a TCP connection, DNS. The pods, and once the pod of a
// daemon, are killed and made again, and leave nothing.
func TestPodToPod(t *testing.T) {
	bed.InstalledProgram(t, "ping", "iputils-ping")
	bed.InstalledProgram(t, "setpriv", "util-linux")
	top := &bed.Topology{T: t, A: nstest.New(t, "A"), B: nstest.New(t, "B"), Wire: nstest.New(t, "wire")}
	for _, end := range []struct {
		ns   *netns.NS
		wire string
	}{{top.A, "a"}, {top.B, "b"}} {
		bed.Must(t, netns.Veth(end.ns, "eth1", top.Wire, end.wire, bed.EdgeMTU))
		bed.Must(t, top.Wire.SetMTU(end.wire, bed.LinkMTU))
	}
	programs, m := image(t), readManifests(t)
	top.Cable("--loss", "0.01")
	a, b := newKubelet(t, top.A, "node-a", programs, m), newKubelet(t, top.B, "node-b", programs, m)
	a.start()
	b.start()
	eventuallyAnswers(t, top.A, "10.0.0.2")
	a.join(64, 127)
	b.join(128, 254)
	pod := [2]*netns.NS{nstest.New(t, "podA"), nstest.New(t, "podB")}
	at := [2]string{a.add(pod[0]), b.add(pod[1])}
	a.attach("check", pod[0])
	b.attach("check", pod[1])
	ping(t, pod[0], at[1], 100)
	ping(t, pod[1], "10.0.0.1", 3) // the other node
	datagrams(t, pod[0], pod[1], at[1])
	octets(t, pod[0], pod[1], at[1])
	resolves(t, pod[0], pod[1], at[1])
	a.daemon.Kill()
	a.start()
	eventuallyAnswers(t, pod[0], at[1])
	a.attach("del", pod[0])
	for range *remakes {
		repeat, err := netns.New("again")
		bed.Must(t, err)
		ping(t, pod[1], a.add(repeat), 3)
		bed.Must(t, repeat.Close()) // the pod dies first
		a.attach("del", repeat)
	}
	b.attach("del", pod[1])
	b.attach("del", pod[1])
	if left := slices.Concat(a.left(), b.left()); len(left) > 0 {
		t.Errorf("left are %q", left)
	}
}

// TestNodeWithoutAKey: on a node for which the ConfigMap has no key uelinkd ends, and says which is missing.
func TestNodeWithoutAKey(t *testing.T) {
	t.Parallel()
	bed.InstalledProgram(t, "setpriv", "util-linux")
	k := newKubelet(t, nstest.New(t, "C"), "node-c", image(t), readManifests(t))
	p := bed.Start(t, k.ns, "uelinkd of node-c", k.container(k.pod.Containers[0]))
	if code := p.Wait(); code != 2 || !strings.Contains(p.Stderr.String(), "the ConfigMap has no key node-c.yaml") {
		t.Errorf("exit %d: %s", code, p.Stderr)
	}
}
