package machine

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// Release is the Debian release of QEMU and the tools: the first whose QEMU emulates igb.
const Release = "trixie"

// roomPackages are QEMU, the tools for guests, and depmod.
const roomPackages = "qemu-system-x86,ethtool,kmod,tcpdump"

// Room is a folder with a small Debian of another release. Its programs are run by its own dynamic linker, without
// chroot.
type Room struct{ Dir string }

// Room returns the room, a folder with QEMU and tools of another Debian release. If the room is not cached, it is
// made first by mmdebstrap, some 250 MB.
func (c Cache) Room(ctx context.Context, m Mirror) (Room, error) {
	dir, err := c.ensure("room", func(dir string) error {
		c.Progress("unpacking the QEMU packages of Debian %s into a folder", Release)
		_, err := output(ctx, "mmdebstrap", "--mode=root", "--variant=essential", "--architectures=amd64",
			"--include="+roomPackages, Release, dir, m.source(Release))
		return err
	})
	return Room{dir}, err
}

// libraries is the directory of the room's libraries.
const libraries = "usr/lib/x86_64-linux-gnu"

// linker returns the path of the dynamic linker in the room, by which programs of the room run.
func (r Room) linker() string { return filepath.Join(r.Dir, libraries, "ld-linux-x86-64.so.2") }

// command returns a command that runs a program of the room, such as usr/sbin/depmod, with the room's libraries.
func (r Room) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	all := append([]string{"--library-path", filepath.Join(r.Dir, libraries), filepath.Join(r.Dir, program)}, args...)
	return exec.CommandContext(ctx, r.linker(), all...)
}

// librariesOf returns the paths, relative to the room, of the libraries that a program of the room needs.
func (r Room) librariesOf(ctx context.Context, program string) (list []string, err error) {
	text, err := output(ctx, r.linker(), "--library-path", filepath.Join(r.Dir, libraries), "--list",
		filepath.Join(r.Dir, program))
	if err != nil {
		return nil, err
	}
	for _, path := range linked(text) {
		name, within := strings.CutPrefix(path, r.Dir)
		if !within {
			return nil, fmt.Errorf("%s needs %s, which is not in %s", program, path, r.Dir)
		}
		list = append(list, name)
	}
	return list, nil
}

// linked returns the paths in the list of a dynamic linker, as in "libc.so.6 => /usr/lib/libc.so.6 (0x7f…)".
func linked(text string) (paths []string) {
	for line := range strings.Lines(text) {
		if _, right, ok := strings.Cut(line, " => "); ok {
			paths = append(paths, strings.Fields(right)[0])
		}
	}
	return paths
}
