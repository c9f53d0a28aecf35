package unit

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"uelink/internal/netns/nstest"
)

// probeArgument has this test binary try what a unit should not allow.
const probeArgument = "probe-the-restrictions"

// bpfArgument has this test binary call bpf(2).
const bpfArgument = "call-bpf"

func probing() bool { return len(os.Args) > 1 && os.Args[1] == probeArgument }

// init keeps the probe on the process's first thread. The signal of the parent's death is
// that thread's: another one has none.
func init() {
	if probing() {
		runtime.LockOSThread()
	}
}

func TestMain(m *testing.M) {
	Main()
	if probing() {
		probe()
		return
	}
	if len(os.Args) > 1 && os.Args[1] == bpfArgument {
		callBPF()
		return
	}
	os.Exit(m.Run())
}

// probe prints what came of each attempt.
func probe() {
	results := map[string]string{}
	for name, try := range attempts() {
		err := try()
		results[name] = "allowed"
		if errno := unix.Errno(0); errors.As(err, &errno) {
			results[name] = unix.ErrnoName(errno)
		} else if err != nil {
			results[name] = err.Error()
		}
	}
	var signal int32
	if unix.Prctl(unix.PR_GET_PDEATHSIG, uintptr(unsafe.Pointer(&signal)), 0, 0, 0) == nil {
		results["signal of the parent's death"] = unix.SignalName(unix.Signal(signal))
	}
	results["user"] = fmt.Sprint(os.Getuid(), os.Getgid())
	status, _ := os.ReadFile("/proc/thread-self/status")
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		results[name] = strings.TrimSpace(value)
	}
	results["state directory"] = os.Getenv("STATE_DIRECTORY")
	_ = json.NewEncoder(os.Stdout).Encode(results)
}

// attempts is what a probe tries, by name.
func attempts() map[string]func() error {
	call := func(number uintptr, args ...uintptr) func() error {
		return func() error {
			all := [3]uintptr{}
			copy(all[:], args)
			if _, _, errno := unix.Syscall(number, all[0], all[1], all[2]); errno != 0 {
				return errno
			}
			return nil
		}
	}
	socket := func(family int) func() error {
		return func() error {
			_, err := unix.Socket(family, unix.SOCK_DGRAM, 0)
			return err
		}
	}
	memory := func(protection int) func() error {
		return func() error {
			_, err := unix.Mmap(-1, 0, 4096, protection, unix.MAP_ANON|unix.MAP_PRIVATE)
			return err
		}
	}
	write := func(path string) func() error {
		return func() error { return os.WriteFile(path, []byte("x"), 0o644) }
	}
	return map[string]func() error{
		"socket AF_UNIX":          socket(unix.AF_UNIX),
		"socket AF_INET":          socket(unix.AF_INET),
		"socket AF_ALG":           socket(unix.AF_ALG),
		"unshare(CLONE_NEWNET)":   call(unix.SYS_UNSHARE, unix.CLONE_NEWNET),
		"setns":                   call(unix.SYS_SETNS, 0, unix.CLONE_NEWNET),
		"mount":                   call(unix.SYS_MOUNT),
		"clone3":                  call(unix.SYS_CLONE3),
		"syslog":                  call(unix.SYS_SYSLOG, 3),
		"personality":             call(unix.SYS_PERSONALITY, 8),
		"no such call":            call(900),
		"sched_setscheduler FIFO": call(unix.SYS_SCHED_SETSCHEDULER, 0, unix.SCHED_FIFO),
		"mkdir with setgid":       func() error { return unix.Mkdir("/tmp/setgid", 0o2755) },
		"mkdir":                   func() error { return unix.Mkdir("/tmp/plain", 0o755) },
		"memory to write":         memory(unix.PROT_READ | unix.PROT_WRITE),
		"memory to write and run": memory(unix.PROT_READ | unix.PROT_WRITE | unix.PROT_EXEC),
		"write /tmp/x":            write("/tmp/x"),
		"write /etc/x":            write("/etc/x"),
		"write /proc/sys":         write("/proc/sys/kernel/hostname"),
		"write the state":         write(os.Getenv("STATE_DIRECTORY") + "/x"),
		"write what was bound":    write("/etc/probe/file"),
		"read what was bound":     func() error { _, err := os.ReadFile("/etc/probe/file"); return err },
		"notify":                  func() error { _, err := net.Dial("unixgram", os.Getenv("NOTIFY_SOCKET")); return err },
	}
}

// probed is a unit with all that Load understands.
const probed = `[Service]
ExecStart=/usr/local/bin/probe ` + probeArgument + `
User=probe
Group=probe
StateDirectory=probe
AmbientCapabilities=CAP_NET_RAW
CapabilityBoundingSet=CAP_NET_RAW CAP_BPF
LimitMEMLOCK=infinity
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
LockPersonality=yes
MemoryDenyWriteExecute=yes
RestrictAddressFamilies=AF_UNIX AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM
`

// The results are those of systemd 252, but for the signal: no test outlives its service.
func TestRestrictionsHold(t *testing.T) {
	u, err := parse(probed, calls(t))
	if err != nil {
		t.Fatal(err)
	}
	results := runProbe(t, u)
	for name, want := range map[string]string{
		"socket AF_UNIX": "allowed", "socket AF_INET": "EAFNOSUPPORT", "socket AF_ALG": "EAFNOSUPPORT",
		"unshare(CLONE_NEWNET)": "EPERM", "setns": "EPERM", "mount": "EPERM", "clone3": "ENOSYS",
		"syslog": "EPERM", "personality": "EPERM", "no such call": "EPERM", "sched_setscheduler FIFO": "EPERM",
		"mkdir with setgid": "EPERM", "mkdir": "allowed",
		"memory to write": "allowed", "memory to write and run": "EPERM",
		"write /tmp/x": "allowed", "write /etc/x": "EROFS", "write /proc/sys": "EROFS",
		"write the state": "allowed", "write what was bound": "EROFS", "read what was bound": "allowed",
		"notify": "allowed", "user": fmt.Sprint(UID, UID), "state directory": "/var/lib/probe",
		"signal of the parent's death": "SIGKILL", "NoNewPrivs": "1", "Groups": fmt.Sprint(UID), "Seccomp": "2",
		"CapEff": "0000000000002000", "CapPrm": "0000000000002000",
		"CapAmb": "0000000000002000", "CapBnd": "0000008000002000",
	} {
		if results[name] != want {
			t.Errorf("%s: %q, want %q", name, results[name], want)
		}
	}
}

// runProbe has a unit try the attempts.
func runProbe(t *testing.T, u *Unit) (results map[string]string) {
	t.Helper()
	nstest.New(t, "unit") // or skip without root; the service sees the named namespaces
	dir := t.TempDir()
	for _, d := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	notify, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(dir, "notify"), Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer notify.Close()
	file, self := filepath.Join(dir, "file"), executable(t)
	err = errors.Join(os.Chmod(filepath.Join(dir, "notify"), 0o777), os.WriteFile(file, []byte("bound"), 0o666),
		os.Mkdir(filepath.Join(dir, "root"), 0o755))
	if err != nil {
		t.Fatal(err)
	}
	cmd, err := u.Command(Machine{
		Dir:    filepath.Join(dir, "root"),
		Files:  map[string]string{"/usr/local/bin/probe": self, "/etc/probe/file": file},
		Notify: filepath.Join(dir, "notify"), Run: filepath.Join(dir, "run"), State: filepath.Join(dir, "state"),
	}, u.Start)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := json.Unmarshal(out, &results); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return results
}

// One command of bpf(2) fails with the given error, and the others with what the kernel says of no arguments.
func TestRefuseBPF(t *testing.T) {
	nstest.New(t, "unit") // or skip without root
	const refused = unix.ENOTNAM
	cmd, err := RefuseBPF(unix.BPF_PROG_TEST_RUN, refused, exec.Command(executable(t), bpfArgument))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	var run, load, user int
	if _, scanErr := fmt.Sscan(string(out), &run, &load, &user); err != nil || scanErr != nil {
		t.Fatalf("%v, %v: %s", err, scanErr, out)
	}
	if unix.Errno(run) != refused || unix.Errno(load) == refused || load == 0 || user != 0 {
		t.Errorf("to run a program: %v, to load a program: %v, user %d", unix.Errno(run), unix.Errno(load), user)
	}
}

// callBPF prints the errors of two commands of bpf(2) without arguments, and the user.
func callBPF() {
	for _, command := range []uintptr{unix.BPF_PROG_TEST_RUN, unix.BPF_PROG_LOAD} {
		_, _, errno := unix.Syscall(unix.SYS_BPF, command, 0, 0)
		fmt.Println(int(errno))
	}
	fmt.Println(os.Getuid())
}

func executable(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}
