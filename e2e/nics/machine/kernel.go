package machine

import (
	"bytes"
	"context"
	"fmt"
	"os"
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

// unpack puts the contents of packages into dir, and takes away what they were made from.
func unpack(ctx context.Context, files []string, dir string) error {
	for _, f := range files {
		if _, err := output(ctx, "dpkg-deb", "-x", f, dir); err != nil {
			return err
		}
	}
	return os.RemoveAll(filepath.Join(dir, "apt"))
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
