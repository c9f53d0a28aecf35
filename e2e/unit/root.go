package unit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Where a service finds what systemd makes for it.
const (
	notifySocket = "/run/systemd/notify"
	runtimeBase  = "/run/"
	stateBase    = "/var/lib/"
)

// Machine is what a service finds on its machine besides the programs of this one.
// A path that the service sees stands for one of this machine.
type Machine struct {
	Dir    string            // an empty directory, the service's root while it runs
	Files  map[string]string // path that the service sees: file or directory here
	Notify string            // socket of the service manager
	Run    string            // RuntimeDirectory; it is made
	State  string            // StateDirectory; it is made
}

// root is the file system of the service.
type root struct {
	Dir              string
	Bind             map[string]string // path in the root: path here, nothing of which can be written
	Writable         map[string]string // the same, for the service to write
	ReadOnly         bool              // ProtectSystem=strict
	ReadOnlyTunables bool
	ReadOnlyCgroups  bool
	FewDevices       bool // PrivateDevices
	NoKernelLog      bool
	NoModules        bool
}

// root is a root with the unit's restrictions on this machine.
func (m Machine) root(u *Unit, r root) (root, error) {
	r.Dir, r.Bind, r.Writable = m.Dir, map[string]string{notifySocket: m.Notify}, map[string]string{}
	for seen, here := range m.Files {
		r.Bind[seen] = here
	}
	for _, d := range []struct{ base, name, here string }{{runtimeBase, u.Runtime, m.Run}, {stateBase, u.State, m.State}} {
		if d.name == "" {
			continue
		}
		if err := errors.Join(os.MkdirAll(d.here, 0o755), os.Chown(d.here, u.order.UID, u.order.UID)); err != nil {
			return r, err
		}
		r.Writable[d.base+d.name] = d.here
	}
	return r, nil
}

// enter makes the root and moves the calling thread into it. What it mounts goes with
// the last process that sees it.
func (r *root) enter(ownHostname bool) error {
	flags := unix.CLONE_NEWNS
	if ownHostname {
		flags |= unix.CLONE_NEWUTS
	}
	if err := unix.Unshare(flags); err != nil {
		return fmt.Errorf("leave the machine's mounts: %w", err)
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("keep mounts to itself: %w", err)
	}
	if err := unix.Mount("tmpfs", r.Dir, "tmpfs", 0, "mode=0755"); err != nil {
		return fmt.Errorf("mount a root: %w", err)
	}
	for _, step := range []func() error{r.programs, r.kernel, r.devices, r.own, r.protect} {
		if err := step(); err != nil {
			return fmt.Errorf("make the service's root: %w", err)
		}
	}
	return errors.Join(unix.Chroot(r.Dir), unix.Chdir("/"))
}

func (r *root) in(path string) string { return filepath.Join(r.Dir, path) }

// programs is what this machine has installed.
func (r *root) programs() error {
	for _, dir := range []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"} {
		to, err := os.Readlink(dir)
		switch {
		case err == nil:
			err = os.Symlink(to, r.in(dir))
		case !errors.Is(err, fs.ErrNotExist):
			err = r.bind(dir, dir)
		default:
			err = nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// kernel is the file systems of the kernel, and the named network namespaces.
func (r *root) kernel() error {
	for _, dir := range []string{"/proc", "/sys", "/run/netns"} {
		if err := r.bind(dir, dir); err != nil {
			return err
		}
	}
	return nil
}

// devices is /dev, of which PrivateDevices leaves a few.
func (r *root) devices() error {
	if !r.FewDevices {
		return r.bind("/dev", "/dev")
	}
	for _, name := range []string{"null", "zero", "full", "random", "urandom", "tty"} {
		if err := r.bind("/dev/"+name, "/dev/"+name); err != nil {
			return err
		}
	}
	return nil
}

// own is what the service has for itself.
func (r *root) own() error {
	covered := map[string]bool{}
	for seen, here := range r.Bind {
		// The directory may be one of this machine, which stays as it is.
		if dir := filepath.Dir(seen); !covered[dir] {
			covered[dir] = true
			if err := r.cover(dir, 0o755); err != nil {
				return err
			}
		}
		if err := r.bind(here, seen); err != nil {
			return err
		}
	}
	for seen, here := range r.Writable {
		if err := r.bind(here, seen); err != nil {
			return err
		}
	}
	return errors.Join(r.cover("/tmp", 0o1777), r.cover("/var/tmp", 0o1777))
}

// protect takes the right to write, and hides.
func (r *root) protect() error {
	if _, err := os.Stat("/usr/lib/modules"); err == nil && r.NoModules {
		if err := r.cover("/usr/lib/modules", 0); err != nil {
			return err
		}
	}
	if r.NoKernelLog {
		if err := r.bind("/dev/null", "/proc/kmsg"); err != nil {
			return err
		}
	}
	if r.ReadOnlyTunables {
		if err := r.bind("/proc/sys", "/proc/sys"); err != nil {
			return err
		}
	}
	if r.ReadOnly {
		if err := r.writable(false, "/", true); err != nil {
			return err
		}
	}
	may := []string{"/tmp", "/var/tmp", "/proc"}
	for seen := range r.Writable {
		may = append(may, seen)
	}
	for _, dir := range may {
		if err := r.writable(true, dir, false); err != nil {
			return err
		}
	}
	if !r.ReadOnlyTunables {
		if err := r.writable(true, "/sys", true); err != nil {
			return err
		}
	}
	if r.ReadOnlyCgroups {
		return r.writable(false, "/sys/fs/cgroup", true)
	}
	return nil
}

// writable allows or forbids to write to a mount, or also to all below it.
func (r *root) writable(may bool, path string, below bool) error {
	attr, flags := unix.MountAttr{}, uint(0)
	if may {
		attr.Attr_clr = unix.MOUNT_ATTR_RDONLY
	} else {
		attr.Attr_set = unix.MOUNT_ATTR_RDONLY
	}
	if below {
		flags = unix.AT_RECURSIVE
	}
	if err := unix.MountSetattr(unix.AT_FDCWD, r.in(path), flags, &attr); err != nil {
		return fmt.Errorf("allow writing to %s: %v: %w", path, may, err)
	}
	return nil
}

// cover puts an empty file system over a directory.
func (r *root) cover(dir string, mode fs.FileMode) error {
	if err := os.MkdirAll(r.in(dir), 0o755); err != nil {
		return err
	}
	return unix.Mount("tmpfs", r.in(dir), "tmpfs", unix.MS_NOSUID, fmt.Sprintf("mode=%o", mode))
}

// bind has a path of this machine, and what is mounted below it, be seen in the root.
func (r *root) bind(here, seen string) error {
	info, err := os.Stat(here)
	if err != nil {
		return err
	}
	at := r.in(seen)
	if info.IsDir() {
		err = os.MkdirAll(at, 0o755)
	} else if err = os.MkdirAll(filepath.Dir(at), 0o755); err == nil {
		err = touch(at)
	}
	if err != nil {
		return err
	}
	if err := unix.Mount(here, at, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("bind %s to %s: %w", here, seen, err)
	}
	return nil
}

// touch makes a file to be bound over, if there is none.
func touch(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	return os.WriteFile(path, nil, 0o644)
}
