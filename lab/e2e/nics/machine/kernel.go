package machine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// Kernel is an unpacked kernel with its modules.
type Kernel struct {
	Release string // as in uname -r
	dir     string
}

// Kernel returns the newest kernel of a suite, and downloads it if it is not cached, some 500 MB.
func (c Cache) Kernel(ctx context.Context, m Mirror, r Room, suite string) (Kernel, error) {
	dir, err := c.ensure("kernel-"+suite, func(dir string) error { return c.fetchKernel(ctx, m, r, suite, dir) })
	if err != nil {
		return Kernel{}, fmt.Errorf("kernel of %s: %w", suite, err)
	}
	release, err := os.ReadFile(filepath.Join(dir, "release"))
	return Kernel{Release: string(release), dir: dir}, err
}

// fetchKernel downloads and unpacks the kernel of a Debian suite into dir. A file with the name "release" in dir,
// written last, contains the kernel's release.
func (c Cache) fetchKernel(ctx context.Context, m Mirror, r Room, suite, dir string) error {
	c.Progress("looking for the kernel of %s", suite)
	a, err := newApt(ctx, filepath.Join(dir, "apt"), m, suite)
	if err != nil {
		return err
	}
	packages, release, err := a.kernel(ctx)
	if err != nil {
		return err
	}
	c.Progress("downloading %s", strings.Join(packages, ", "))
	files, err := a.download(ctx, packages)
	if err != nil {
		return err
	}
	c.Progress("unpacking Linux %s", release)
	if err := unpack(ctx, files, dir); err != nil {
		return err
	}
	if err := index(ctx, r, dir, release); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "release"), []byte(release), 0o644)
}

// wanted is the files to unpack of a kernel: the image, modules of NICs, and the modules they depend on. Leaving out
// most modules saves most of the time and the space.
var wanted = []string{
	"*/vmlinuz*", "*/modules.*", "*/kernel/net/*", "*/kernel/drivers/net/*", "*/kernel/drivers/i2c/*",
	"*/kernel/drivers/dca/*", "*/kernel/drivers/ptp/*", "*/kernel/drivers/pps/*", "*/kernel/drivers/virtio/*",
}

// unpack extracts the needed files (kernel and modules) of Debian packages into dir, and deletes the packages.
func unpack(ctx context.Context, files []string, dir string) error {
	for _, f := range files {
		archive := exec.CommandContext(ctx, "dpkg-deb", "--fsys-tarfile", f)
		extract := exec.CommandContext(ctx, "tar", append([]string{"-x", "-C", dir, "--wildcards"}, wanted...)...)
		if err := pipe(archive, extract); err != nil {
			return err
		}
	}
	return os.RemoveAll(filepath.Join(dir, "apt"))
}

// pipe runs two programs, the output of the first connected to the input of the second. A non-zero exit of the second
// is no error: tar fails if a pattern is not in a package. A file missing from all packages is noticed by its user.
func pipe(from, to *exec.Cmd) (err error) {
	if to.Stdin, err = from.StdoutPipe(); err != nil {
		return err
	}
	if err := to.Start(); err != nil {
		return err
	}
	err = from.Run()
	if waited := to.Wait(); !errors.As(waited, new(*exec.ExitError)) {
		err = errors.Join(err, waited)
	}
	return err
}

// index runs depmod for the kernel modules below dir, which writes their dependencies. Modules of packages before
// Debian 13, which are in lib, are moved to usr/lib first, and lib becomes a link.
func index(ctx context.Context, r Room, dir, release string) error {
	lib, usr := filepath.Join(dir, "lib"), filepath.Join(dir, "usr")
	if exists(lib) {
		if err := errors.Join(os.MkdirAll(usr, 0o755), os.Rename(lib, filepath.Join(usr, "lib"))); err != nil {
			return err
		}
	}
	if err := os.Symlink("usr/lib", lib); err != nil {
		return err
	}
	if out, err := r.command(ctx, "usr/sbin/depmod", "-b", dir, release).CombinedOutput(); err != nil {
		return fmt.Errorf("depmod: %w\n%s", err, out)
	}
	return nil
}

// image returns the path of the kernel file to boot. Newer packages have it beside the modules.
func (k Kernel) image() string {
	if file := filepath.Join(k.modules(), "vmlinuz"); exists(file) {
		return file
	}
	return filepath.Join(k.dir, "boot", "vmlinuz-"+k.Release)
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// modules returns the path of the directory of the kernel's modules.
func (k Kernel) modules() string { return filepath.Join(k.dir, "usr/lib/modules", k.Release) }

// load returns the files of the named modules and of the modules they depend on, in the order in which they must be
// loaded.
func (k Kernel) load(names ...string) (files []string, err error) {
	text, err := os.ReadFile(filepath.Join(k.modules(), "modules.dep"))
	if err != nil {
		return nil, err
	}
	needs := parseDependencies(string(text))
	seen := map[string]bool{}
	for _, name := range names {
		list, found := needs[name]
		if !found {
			return nil, fmt.Errorf("kernel %s has no module %s", k.Release, name)
		}
		for _, file := range list {
			if !seen[file] {
				seen[file], files = true, append(files, file)
			}
		}
	}
	return files, nil
}

// parseDependencies reads modules.dep and returns the files to load for each module, itself last. A line of
// modules.dep is a file and its dependencies, of which the last must be loaded first.
func parseDependencies(text string) map[string][]string {
	needs := map[string][]string{}
	for line := range strings.Lines(text) {
		file, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		list := strings.Fields(rest)
		for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
			list[i], list[j] = list[j], list[i]
		}
		needs[moduleName(file)] = append(list, file)
	}
	return needs
}

// moduleName returns the name of a module by its file, as in kernel/drivers/virtio/virtio-net.ko.xz.
func moduleName(file string) string {
	name, _, _ := strings.Cut(path.Base(file), ".ko")
	return strings.ReplaceAll(name, "-", "_")
}

// readModule returns the uncompressed contents of a module.
func (k Kernel) readModule(ctx context.Context, file string) ([]byte, error) {
	full := filepath.Join(k.modules(), file)
	if !strings.HasSuffix(file, ".xz") {
		return os.ReadFile(full)
	}
	text, err := output(ctx, "xz", "-dc", full)
	return bytes.Clone([]byte(text)), err
}
