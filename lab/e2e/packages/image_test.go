package packages

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"uelink/client"
	"uelink/control/api"
	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
)

var image = flag.Bool("packages.image", false, "TestContainers makes the image, and runs it by podman")

// engine is podman with files of its own.
type engine struct {
	t    testing.TB
	dir  string   // its files
	args []string // in front of each command
}

// newEngine returns a podman that works on a machine without systemd and with cgroups of version 1, and leaves nothing.
func newEngine(t testing.TB) *engine {
	t.Helper()
	dir, err := os.MkdirTemp("", "uelink-podman-") // podman leaves mounts below it for a moment
	bed.Must(t, err)
	t.Cleanup(func() {
		left, err := filepath.Glob(filepath.Join(dir, "*/*"))
		bed.Must(t, err)
		for _, path := range append(left, dir) {
			_ = unix.Unmount(path, unix.MNT_DETACH) // most are no mounts
		}
		bed.Must(t, os.RemoveAll(dir))
	})
	return &engine{t, dir, []string{
		"--root", filepath.Join(dir, "root"), "--runroot", filepath.Join(dir, "run"), "--storage-driver", "vfs",
		"--runtime", "runc", "--cgroup-manager", "cgroupfs",
	}}
}

// run runs a command of podman, and returns what it says; it must succeed.
func (e *engine) run(args ...string) string {
	e.t.Helper()
	return output(e.t, exec.Command("podman", append(e.args[:len(e.args):len(e.args)], args...)...))
}

// make makes the image of version 1.0, and returns its file.
func (e *engine) make() (file string) {
	e.t.Helper()
	cmd := exec.Command("make", "image-archive", "DEB_VERSION=1.0")
	cmd.Dir, cmd.Env = "../../..", append(os.Environ(), "MAKEFLAGS=")
	output(e.t, cmd)
	files, err := filepath.Glob("../../../bin/uelink_1.0_*.oci.tar")
	if err != nil || len(files) != 1 {
		e.t.Fatalf("the image is not there: %v, %v", files, err)
	}
	e.t.Cleanup(func() { os.Remove(files[0]) })
	return files[0]
}

// load makes the image and loads it, and returns its name.
func (e *engine) load() (name string) {
	e.t.Helper()
	e.run("load", "-q", "-i", e.make())
	return "localhost/uelink:1.0"
}

// station is a container of the image in a network namespace.
type station struct {
	*engine
	name   string
	client *client.Client
}

// start starts a container with the four capabilities of the daemon's unit, a root that cannot be written to, and its
// socket on the host. more are flags of `podman run`.
func (e *engine) start(image, name string, ns *netns.NS, more ...string) *station {
	e.t.Helper()
	dir := e.t.TempDir()
	for _, sub := range []string{"etc", "run"} {
		bed.Must(e.t, os.Mkdir(filepath.Join(dir, sub), 0o755))
	}
	text := bed.Lossless.Text(api.DefaultSocket)
	bed.Must(e.t, os.WriteFile(filepath.Join(dir, "etc/uelink.yaml"), []byte(text), 0o644))
	args := append([]string{
		"run", "--detach", "--name", name, "--network", "ns:" + ns.Path(), "--read-only", "--stop-timeout", "30",
		"--cap-drop", "all", "--cap-add", "NET_ADMIN,NET_RAW,BPF,IPC_LOCK", "--security-opt", "no-new-privileges",
		"--security-opt", "seccomp=" + filepath.Join(deploy, "image/seccomp.json"),
		"--ulimit", "nofile=4096:4096", "--ulimit", "nproc=4096:4096",
		"-v", filepath.Join(dir, "etc") + ":/etc/uelink:ro", "-v", filepath.Join(dir, "run") + ":/run/uelink",
	}, more...)
	e.run(append(args, image)...)
	s := &station{e, name, client.NewClient(filepath.Join(dir, "run/uelink.sock"))}
	e.t.Cleanup(func() {
		s.client.Close()
		if e.t.Failed() {
			e.t.Log(e.run("logs", name))
		}
		e.run("rm", "--force", "--time", "0", name)
	})
	return s
}

// advances waits until LLR of link0 is up both ways.
func (s *station) advances() {
	s.t.Helper()
	bed.Eventually(s.t, "LLR of container "+s.name, func() string {
		switch l, err := s.client.LLRInterface(s.t.Context(), "link0"); {
		case err != nil:
			return err.Error() + "\n" + s.run("logs", s.name)
		case !l.Established():
			return fmt.Sprint(l.TxStatus, ", ", l.RxStatus)
		}
		return ""
	})
}

// daemon returns the process of the daemon that answers, by its number in the container.
func (s *station) daemon() int {
	s.t.Helper()
	status, err := s.client.Status(s.t.Context())
	bed.Must(s.t, err)
	return status.PID
}

// upgrade makes the daemon hand over to another process inside the container.
func (s *station) upgrade() {
	s.t.Helper()
	before := s.daemon()
	s.run("exec", s.name, "uelink", "upgrade")
	bed.Eventually(s.t, "another process in container "+s.name, func() string {
		if s.daemon() == before {
			return "the first still answers"
		}
		return ""
	})
}

// Two containers of the image join two hosts over the bad wire of the demo, and no frame is lost. Both daemons hand
// over inside their containers meanwhile, one as process 1, the other below an init.
func TestContainers(t *testing.T) {
	if !*image {
		t.Skip("skipped, missing podman: make test-all installs it (-packages.image)")
	}
	for program, debian := range map[string]string{
		"buildah": "buildah", "podman": "podman", "runc": "runc", "tini-static": "tini",
	} {
		bed.RequireProgram(t, program, debian)
	}
	tini, err := exec.LookPath("tini-static") // the image has no loader of dynamic libraries
	bed.Must(t, err)
	top := bed.Cabled(t)
	cable := top.Cable("--loss", "0.01", "--corrupt", "0.001", "--duplicate", "0.001", "--reorder", "0.001")
	e := newEngine(t)
	name := e.load()
	a := e.start(name, "A", top.A)
	b := e.start(name, "B", top.B, "--init", "--init-path", tini)
	a.advances()
	b.advances()
	if a.daemon() != 1 || b.daemon() == 1 {
		t.Errorf("the daemons are processes %d and %d of their containers", a.daemon(), b.daemon())
	}
	says(t, e.run("exec", "A", "uelink", "version"), "1.0")

	load := top.Load(t, bed.Patience)
	a.upgrade()
	b.upgrade()
	a.upgrade()
	b.upgrade()
	bed.NothingLost(t, load.End())

	stream := top.Between()
	stream.Frames, stream.Window = 500_000, 48
	bed.Untouched(t, stream)
	for _, s := range []*station{a, b} {
		c, err := s.client.LLRCountersOf(t.Context(), "link0")
		bed.Must(t, err)
		if c.Counters.TxFlush+c.Counters.TxReinit != 0 || c.Counters.TxReplay == 0 {
			t.Errorf("container %s: %+v", s.name, c.Counters)
		}
	}
	for _, s := range []*station{a, b} {
		e.run("stop", s.name)
		if code := strings.TrimSpace(e.run("inspect", "--format", "{{.State.ExitCode}}", s.name)); code != "0" {
			t.Errorf("container %s ended with %s", s.name, code)
		}
	}
	for _, ns := range []*netns.NS{top.A, top.B} {
		if left := bed.XDPOn(t, ns, "link0"); left != "" {
			t.Errorf("an XDP program on link0: %s", left)
		}
	}
	for _, d := range cable.Pull().Directions {
		t.Logf("the wire lost %d, damaged %d, duplicated %d and reordered %d frames from %s", d.Dropped, d.Corrupted,
			d.Duplicated, d.Reordered, d.From)
		if d.Dropped == 0 {
			t.Errorf("the wire lost nothing of %s", d.From)
		}
	}
}

// containersConf makes podman work on a machine without systemd and with cgroups of version 1.
const containersConf = `[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
`

// containerWalk is a script that is a person on a host of its own: with an /etc, a /run and a /var/lib that others do
// not see. $1 is a folder with files of the test.
const containerWalk = `set -e
dir=$1
mount --make-rprivate /
cp -a /etc "$dir/etc"
mount --bind "$dir/etc" /etc
mount -t tmpfs -o mode=755 tmpfs /var/lib
mount -t tmpfs -o mode=755 tmpfs /run
sudo() { "$@"; }
sudoedit() { sh "$dir/editor" "$1"; }
says() { "$@" >"$dir/said" 2>&1 || { cat "$dir/said"; exit 1; }; cat "$dir/said"; }
has() { grep -q -e "$1" "$dir/said" || { echo "no $1"; exit 1; }; }
`

// containerChecks is a script that looks at the container, and takes it away.
const containerChecks = `has OK
says podman exec uelink uelink version; has 1.0
says podman stop uelink
says podman inspect --format "ends with {{.State.ExitCode}}" uelink; has "ends with 0"
says podman rm uelink
`

// A person follows docs/INSTALL.md with the image.
func TestInstallationByPodman(t *testing.T) {
	if !*image {
		t.Skip("skipped, missing podman: make test-all installs it (-packages.image)")
	}
	e := newEngine(t)
	lines := commands(t, "Containers")[0]
	if lines[0] != "make image" {
		t.Fatalf("the commands are %q", lines)
	}
	e.make()
	example := "cp deploy/deb/uelink.yaml \"$1\"\n" + strings.TrimPrefix(editor, "#!/bin/sh\n")
	for name, text := range map[string]string{"containers.conf": containersConf, "editor": example} {
		bed.Must(t, os.WriteFile(filepath.Join(e.dir, name), []byte(text), 0o600))
	}
	storage := fmt.Sprintf("[storage]\ndriver = \"vfs\"\ngraphroot = %q\nrunroot = %[1]q\n", filepath.Join(e.dir, "walk"))
	bed.Must(t, os.WriteFile(filepath.Join(e.dir, "storage.conf"), []byte(storage), 0o600))

	top := bed.NewTopology(t)
	bed.Must(t, netns.Veth(top.A, "eth1", top.B, "eth1", bed.EdgeMTU))
	far := bed.NewDaemon(t, top.B, "B", written(strings.Split(partner, "control:")[0]))
	far.Start()
	script := containerWalk + strings.ReplaceAll(walk(lines[1:]), "VERSION", "1.0") + containerChecks
	cmd := exec.Command("unshare", "--mount", "bash", "-c", script, "bash", e.dir)
	cmd.Dir = "../../.."
	cmd.Env = append(os.Environ(), "CONTAINERS_CONF="+filepath.Join(e.dir, "containers.conf"),
		"CONTAINERS_STORAGE_CONF="+filepath.Join(e.dir, "storage.conf"))
	p := bed.Start(t, top.A, "the walk", cmd)
	select {
	case <-p.Ended:
	case <-time.After(5 * bed.Patience):
		t.Error("the walk does not end")
	}
	if t.Logf("%s%s", p.Stdout, p.Stderr); p.Cmd.ProcessState.ExitCode() != 0 {
		t.Errorf("the walk ends with %v", p.Cmd.ProcessState)
	}
}

// written is the text of a configuration file that names no socket.
type written string

func (w written) Text(socket string) string {
	return string(w) + "\ncontrol: {socket: " + socket + "}\nlog: {format: json}\n"
}
