package unit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Paths that systemd creates for a service.
const (
	notifySocket = "/run/systemd/notify"
	runtimeBase  = "/run/"
	stateBase    = "/var/lib/"
)

// Machine describes the files and sockets of a service, in addition to the installed programs of this machine. Each
// path in the service's root is mapped to a path of this machine.
type Machine struct {
	Dir    string            // empty directory that becomes the service's root
	Files  map[string]string // path in the service's root: file or directory of this machine
	Notify string            // socket of the service manager
	Run    string            // RuntimeDirectory; created
	State  string            // StateDirectory; created
}

// root is the file system of the service.
type root struct {
	Dir              string
	Bind             map[string]string // path in the root: path of this machine, read-only
	Writable         map[string]string // path in the root: path of this machine, writable
	ReadOnly         bool              // ProtectSystem=strict
	ReadOnlyTunables bool
	ReadOnlyCgroups  bool
	FewDevices       bool // PrivateDevices
	NoKernelLog      bool
	NoModules        bool
}

// root returns r, the description of the service's file system, with the paths of this machine and the unit's
// runtime and state directories filled in. It creates these directories for the unit's user.
func (m Machine) root(u *Unit, r root) (root, error) {
	r.Dir, r.Bind, r.Writable = m.Dir, map[string]string{notifySocket: m.Notify}, map[string]string{}
	for seen, here := range m.Files {
		r.Bind[seen] = here
	}
	for _, d := range []struct{ base, name, here string }{
		{runtimeBase, u.Runtime, m.Run}, {stateBase, u.State, m.State},
	} {
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

// enter builds the service's file system out of mounts and makes it the root of the calling thread. The mounts
// disappear with the last process in this root. With ownHostname the thread also gets a host name of its own.
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

// programs makes the directories of installed programs and libraries (/usr, /bin, /lib and so on) visible in the
// service's root.
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

// kernel makes /proc, /sys and the named network namespaces visible in the service's root.
func (r *root) kernel() error {
	for _, dir := range []string{"/proc", "/sys", "/run/netns"} {
		if err := r.bind(dir, dir); err != nil {
			return err
		}
	}
	return nil
}

// devices makes /dev visible in the service's root, or with PrivateDevices only a few of its devices.
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

// own makes the files and directories of the service visible in its root, and mounts an empty /tmp and /var/tmp.
func (r *root) own() error {
	covered := map[string]bool{}
	for seen, here := range r.Bind {
		// Cover the directory, as a directory of this machine must not change.
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

// protect makes mounts of the service's root read-only and hides files, as the unit's Protect… directives demand.
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

// writable makes the mount at path of the service's root writable (may) or read-only; with below, also all mounts
// below it.
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

// cover mounts an empty file system, with these permissions, on a directory of the service's root.
func (r *root) cover(dir string, mode fs.FileMode) error {
	if err := os.MkdirAll(r.in(dir), 0o755); err != nil {
		return err
	}
	return unix.Mount("tmpfs", r.in(dir), "tmpfs", unix.MS_NOSUID, fmt.Sprintf("mode=%o", mode))
}

// bind makes the file or directory here of this machine, with all mounts below it, visible at the path seen of the
// service's root.
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

// touch creates an empty file, to mount another file on, if there is no file at path.
func touch(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	return os.WriteFile(path, nil, 0o644)
}
