package machine

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
)

// Root lists the files of a guest's initramfs.
type Root struct {
	Init     string   // program of this machine for the kernel to start; statically linked
	Programs []string // further programs of this machine, copied to /bin; statically linked
	Tools    []string // programs of the room, such as usr/sbin/ethtool, copied to /bin
	Modules  []string // names of kernel modules; the modules that they need are added
}

// ModuleDir is the guest's directory of modules, each named NAME.ko.
const ModuleDir = "modules"

// Image is a kernel and an initramfs to boot.
type Image struct {
	Kernel  Kernel
	Modules []string // names of the kernel modules, in load order
	file    string   // path of the initramfs
}

// NewImage writes an initramfs for a kernel to dir. It is not cached: its programs belong to one source tree, and
// several trees may share the cache. Writing takes a second.
func NewImage(ctx context.Context, dir string, r Room, k Kernel, root Root) (Image, error) {
	image := Image{Kernel: k, file: filepath.Join(dir, "initramfs-"+k.Release)}
	f, err := os.Create(image.file)
	if err != nil {
		return image, err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	if image.Modules, err = root.write(ctx, newArchive(w), r, k); err != nil {
		return image, fmt.Errorf("initramfs: %w", err)
	}
	return image, w.Flush()
}

// NewDebianImage writes an initramfs to dir: all files of a Debian root, modules of the kernel, and an /init that makes
// the root's systemd the first process of the guest. modprobe finds the modules in the guest.
func NewDebianImage(ctx context.Context, dir string, k Kernel, root string, modules ...string) (Image, error) {
	image := Image{Kernel: k, file: filepath.Join(dir, "debian-"+k.Release)}
	f, err := os.Create(image.file)
	if err != nil {
		return image, err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	a := newArchive(w)
	if err := errors.Join(a.tree(root), a.installed(k, modules), a.file("init", []byte(debianInit)), a.end()); err != nil {
		return image, fmt.Errorf("initramfs: %w", err)
	}
	return image, w.Flush()
}

// debianInit starts systemd. The file system of an initramfs cannot be moved, which the namespaces of services need:
// therefore it is mounted once more over itself.
const debianInit = `#!/bin/sh
mount -t proc proc /proc
mount --bind / /mnt && cd /mnt && mount --move . / && exec chroot . /lib/systemd/systemd
`

// installed adds modules of a kernel, the modules they need, and the tables of modprobe, at their places in Debian.
func (a *archive) installed(k Kernel, modules []string) error {
	files, err := k.load(modules...)
	if err != nil {
		return err
	}
	tables, err := filepath.Glob(filepath.Join(k.modules(), "modules.*"))
	if err != nil {
		return err
	}
	for _, table := range tables {
		files = append(files, filepath.Base(table))
	}
	for _, file := range files {
		if err := a.copy(path.Join("usr/lib/modules", k.Release, file), filepath.Join(k.modules(), file)); err != nil {
			return err
		}
	}
	return nil
}

// write writes the archive: folders, programs and the modules of the kernel, whose names it returns.
func (root Root) write(ctx context.Context, a *archive, r Room, k Kernel) (modules []string, err error) {
	for _, dir := range []string{"proc", "sys", "dev", "run", "tmp", ModuleDir} {
		if err := a.directory(dir); err != nil {
			return nil, err
		}
	}
	copies := map[string]string{"init": root.Init}
	for _, p := range root.Programs {
		copies["bin/"+filepath.Base(p)] = p
	}
	if err := root.tools(ctx, r, copies); err != nil {
		return nil, err
	}
	for name, from := range copies {
		if err := a.copy(name, from); err != nil {
			return nil, err
		}
	}
	if modules, err = root.modules(ctx, a, k); err != nil {
		return nil, err
	}
	return modules, a.end()
}

// tools adds the root's tools, and the libraries that the tools need, to the map copies: from the path of a file in the
// guest to the path of the file on this machine.
func (root Root) tools(ctx context.Context, r Room, copies map[string]string) error {
	copies["lib64/ld-linux-x86-64.so.2"] = r.linker() // the interpreter path of the tools
	for _, tool := range root.Tools {
		copies["bin/"+path.Base(tool)] = filepath.Join(r.Dir, tool)
		list, err := r.librariesOf(ctx, tool)
		if err != nil {
			return err
		}
		for _, library := range list {
			copies[library[1:]] = filepath.Join(r.Dir, library)
		}
	}
	return nil
}

// modules adds the root's kernel modules, and those they depend on, to archive a, and returns their names in load
// order.
func (root Root) modules(ctx context.Context, a *archive, k Kernel) (names []string, err error) {
	files, err := k.load(root.Modules...)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		octets, err := k.readModule(ctx, file)
		if err != nil {
			return nil, err
		}
		name := moduleName(file)
		if err := a.file(ModuleDir+"/"+name+".ko", octets); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

// copy adds the content of a file of this machine, at the path from, to the archive, as a file of that name.
func (a *archive) copy(name, from string) error {
	octets, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return a.file(name, octets)
}
