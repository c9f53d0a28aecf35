package guest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"uelink/lab/e2e/nics/machine"
)

// linePort is the serial port to the host; the other one is the kernel's console.
const linePort = "/dev/ttyS1"

// Main runs as the first process of a guest: it prepares the machine and carries out the task of the host. It never
// returns: it reboots the machine, which ends QEMU.
func Main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "guest:", err)
	}
	unix.Sync()
	if err := unix.Reboot(unix.LINUX_REBOOT_CMD_RESTART); err != nil { // QEMU ends, since it has the flag -no-reboot
		fmt.Fprintln(os.Stderr, "guest: restart:", err)
	}
	select {}
}

// program is the path of this program in the guest.
const program = "/init"

// run mounts the file systems of the machine, and then runs the session with the host.
func run() error {
	if _, err := os.Stat("/proc/self"); err != nil {
		if err := mount(); err != nil {
			return err
		}
		// Execute it again: libraries have read /proc already, and remember that it was empty.
		return unix.Exec(program, []string{program}, []string{"PATH=/bin"})
	}
	s, err := open(linePort)
	if err != nil {
		return err
	}
	return s.end(s.run())
}

// mount mounts the file systems of a Linux machine.
func mount() error {
	for _, m := range []struct{ kind, at string }{
		{"proc", "/proc"}, {"sysfs", "/sys"}, {"devtmpfs", "/dev"}, {"tmpfs", "/run"}, {"tmpfs", "/tmp"}, {"bpf", "/sys/fs/bpf"},
	} {
		if err := unix.Mount(m.kind, m.at, m.kind, 0, ""); err != nil && !errors.Is(err, unix.EBUSY) {
			return fmt.Errorf("mount %s: %w", m.at, err)
		}
	}
	return accounts()
}

// accounts writes /etc/passwd with root, which tools look up.
func accounts() error {
	if err := os.MkdirAll("/etc", 0o755); err != nil {
		return err
	}
	return os.WriteFile("/etc/passwd", []byte("root:x:0:0:root:/:/bin/false\n"), 0o644)
}

// insert loads a kernel module of the initramfs by name. A module that is already loaded is no error.
func insert(name string) error {
	octets, err := os.ReadFile(filepath.Join("/", machine.ModuleDir, name+".ko"))
	if err != nil {
		return err
	}
	if err := unix.InitModule(octets, ""); err != nil && !errors.Is(err, unix.EEXIST) {
		return fmt.Errorf("load module %s: %w", name, err)
	}
	return nil
}

// release returns the release of the running kernel, as `uname -r`.
func release() string {
	text, _ := os.ReadFile("/proc/sys/kernel/osrelease") // empty where it cannot be read
	return strings.TrimSpace(string(text))
}
