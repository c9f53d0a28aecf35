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
	Release string // as uname -r has it
	dir     string
}

// Kernel makes the newest kernel of a suite, some 500 MB.
func (c Cache) Kernel(ctx context.Context, m Mirror, r Room, suite string) (Kernel, error) {
	dir, err := c.made("kernel-"+suite, func(dir string) error { return c.fetchKernel(ctx, m, r, suite, dir) })
	if err != nil {
		return Kernel{}, fmt.Errorf("kernel of %s: %w", suite, err)
	}
	release, err := os.ReadFile(filepath.Join(dir, "release"))
	return Kernel{Release: string(release), dir: dir}, err
}

func (c Cache) fetchKernel(ctx context.Context, m Mirror, r Room, suite, dir string) error {
	c.Say("looking for the kernel of %s", suite)
	a, err := newApt(ctx, filepath.Join(dir, "apt"), m, suite)
	if err != nil {
		return err
	}
	packages, release, err := a.kernel(ctx)
	if err != nil {
		return err
	}
	c.Say("downloading %s", strings.Join(packages, ", "))
	files, err := a.download(ctx, packages)
	if err != nil {
		return err
	}
	c.Say("unpacking Linux %s", release)
	if err := unpack(ctx, files, dir); err != nil {
		return err
	}
	if err := index(ctx, r, dir, release); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "release"), []byte(release), 0o644)
}

// wanted is what is unpacked of a kernel: the image, and modules of NICs and what those need. Most
// modules are left out, and with them most of the time and the space.
var wanted = []string{
	"*/vmlinuz*", "*/modules.*", "*/kernel/net/*", "*/kernel/drivers/net/*", "*/kernel/drivers/i2c/*",
	"*/kernel/drivers/dca/*", "*/kernel/drivers/ptp/*", "*/kernel/drivers/pps/*", "*/kernel/drivers/virtio/*",
}

// unpack puts what is wanted of packages into dir, and takes away what they were made from.
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

// pipe runs two programs, the second of which reads what the first writes. That some of what tar
// wants is not in a package is well: what is missing in all is told by who looks for it.
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

// index has depmod write which module needs which.
func index(ctx context.Context, r Room, dir, release string) error {
	if err := os.Symlink("usr/lib", filepath.Join(dir, "lib")); err != nil {
		return err
	}
	if out, err := r.command(ctx, "usr/sbin/depmod", "-b", dir, release).CombinedOutput(); err != nil {
		return fmt.Errorf("depmod: %w\n%s", err, out)
	}
	return nil
}

// image is the file that is booted. Newer packages have it beside the modules.
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

// modules is the directory of the modules.
func (k Kernel) modules() string { return filepath.Join(k.dir, "usr/lib/modules", k.Release) }

// load is the files of modules and of what they need, in the order in which they are to be loaded.
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

// parseDependencies reads modules.dep: of each module the files to load, itself last. A line of it is
// a file and what it needs, the last of which has to be loaded first.
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

// moduleName is the name of a module by its file, as in kernel/drivers/virtio/virtio-net.ko.xz.
func moduleName(file string) string {
	name, _, _ := strings.Cut(path.Base(file), ".ko")
	return strings.ReplaceAll(name, "-", "_")
}

// readModule is the octets of a module, unpacked.
func (k Kernel) readModule(ctx context.Context, file string) ([]byte, error) {
	full := filepath.Join(k.modules(), file)
	if !strings.HasSuffix(file, ".xz") {
		return os.ReadFile(full)
	}
	text, err := output(ctx, "xz", "-dc", full)
	return bytes.Clone([]byte(text)), err
}
