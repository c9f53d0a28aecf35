package packages

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
	"uelink/lab/e2e/nics/machine"
)

var emulated = flag.Bool("packages.emulated", false,
	"TestInstallationInAGuest boots a Debian by QEMU, with what make nics keeps, or the network")

// section returns the text of a section of a document in docs.
func section(t testing.TB, document, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(tree, "docs", document))
	bed.Must(t, err)
	_, rest, found := strings.Cut(string(text), "\n## "+name+"\n")
	if !found {
		t.Fatalf("docs/%s has no section %s", document, name)
	}
	rest, _, _ = strings.Cut(rest, "\n## ")
	return rest
}

// commands returns the lines of the code blocks of a section of docs/INSTALL.md, without comments.
func commands(t testing.TB, name string) (blocks [][]string) {
	t.Helper()
	for _, part := range strings.Split(section(t, "INSTALL.md", name), "```sh\n")[1:] {
		block, _, _ := strings.Cut(part, "```")
		var lines []string
		for line := range strings.Lines(strings.ReplaceAll(block, "\\\n", " ")) {
			line, _, _ = strings.Cut(line, " #")
			lines = append(lines, strings.TrimSpace(line))
		}
		blocks = append(blocks, lines)
	}
	return blocks
}

// Each section of docs/INSTALL.md with commands is walked by a test.
func TestInstallationIsWalked(t *testing.T) {
	text, err := os.ReadFile("../../../docs/INSTALL.md")
	bed.Must(t, err)
	for part := range strings.SplitSeq(string(text), "\n## ") {
		section, _, _ := strings.Cut(part, "\n")
		if _, walked := map[string]string{
			"The Debian package":   "TestInstallationBySystemd, TestInstallationInAGuest",
			"The RPM":              "TestTwoMachinesInThreeCommands",
			"Without a package":    "TestInstallationBySystemd",
			"Containers":           "TestContainers",
			"Two hosts by Ansible": "TestAnsible",
		}[section]; !walked && strings.Contains(part, "```") {
			t.Errorf("no test walks through %q", section)
		}
	}
	deb, source := commands(t, "The Debian package"), commands(t, "Without a package")
	if len(deb) != 3 || len(deb[0]) != 3 || len(source) != 1 || deb[2][1] != "sudo apt purge uelink" {
		t.Errorf("%q, %q: a link takes three commands", deb, source)
	}
}

// walked is the folder of the walk in a Debian root: it has the script and what the script needs.
const walked = "/walk"

// partner is the configuration of the other end of the link.
const partner = `ports:
  - {name: link0, interface: eth1, role: link, llr: {mode: static, local: true, remote: true}}
  - {name: edge0, interface: ue-edge0, role: edge, create: true, host_interface: uelink0, address: [10.0.0.2/24]}
xconnects:
  - {edge: edge0, link: link0}
control: {socket: /walk/partner.sock}
`

// editor is the person's editor: it puts the example of the shipped configuration in force.
const editor = "#!/bin/sh\nsed -i '/^# ports:/,$ {s/^# //; /^ports: \\[\\]$/d}' \"$1\"\n"

// before is a script that makes a link from eth1 to another end, which has a namespace of its own, and ends the script
// at the first command that fails.
const before = `set -e
cd /walk
export SUDO_EDITOR=/walk/editor MANPAGER=cat HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/go/bin
left() {
	find / -xdev \( -name '*uelink*' -o -path '*/uelink/*' \) -not -path '/proc/*' -not -path '/walk/*' \
		-not -path '/var/log/*' -not -path '/var/cache/*' | sort
	getent passwd uelink || true
	systemctl --no-pager --no-legend list-unit-files 'uelink*' || true
}
failed() { echo "failed: $1"; journalctl --no-pager -u uelinkd; cat partner.log; exit 1; }
says() { timeout 900 "$@" >said 2>&1 || failed "$*"; cat said; }
has() { grep -q -e "$1" said || failed "no $1"; }
grep -q "$(hostname)" /etc/hosts 2>/dev/null || echo "127.0.0.1 $(hostname)" >>/etc/hosts
echo 'APT::Get::Assume-Yes "true";' >/etc/apt/apt.conf.d/yes
left >before
ip netns add partner
ip link add eth1 type veth peer name eth1 netns partner
ip link set eth1 up
ip -n partner link set eth1 up
mkdir state run
STATE_DIRECTORY=/walk/state RUNTIME_DIRECTORY=/walk/run ip netns exec partner ./uelinkd --config partner.yaml \
	>partner.log 2>&1 &
trap "kill $!" EXIT
`

// installedChecks is a script that looks at what an installed and started daemon has brought.
const installedChecks = `has ADVANCE
says systemctl is-active uelinkd; has '^active'
says systemctl is-enabled uelinkd; has '^enabled'
says systemctl show -p User -p NRestarts uelinkd; has User=uelink; has NRestarts=0
says uelink -o json llr interface; has SEND_ACKS
uelink -o json port | grep -e tx_path -e push_back
says journalctl --no-pager -u uelinkd; has '"msg":"ready"'
journalctl --no-pager -u uelinkd | grep 'level":"\(warn\|error\)' || true
for page in uelink uelinkd uelink-llr-interface; do says man $page; has SYNOPSIS; done
says bash -c '. /usr/share/bash-completion/bash_completion; _completion_loader uelink
	COMP_WORDS=(uelink llr int); COMP_CWORD=2; COMP_LINE="uelink llr int"; COMP_POINT=14
	__start_uelink; echo "${COMPREPLY[*]}"'; has interface
`

// removedChecks is a script that looks for traces of the daemon after the package was removed while it ran.
const removedChecks = `if pgrep -f /usr/bin/uelinkd || ip link show uelink0; then failed "removal"; fi
says ip -d link show eth1; if grep -e xdp said; then failed "removal: a program is left"; fi
says ls /etc/uelink/uelink.yaml
`

// walk returns a script that runs commands one after the other, and prints each.
func walk(commands []string) string {
	var script strings.Builder
	for _, line := range commands {
		fmt.Fprintf(&script, "echo '$ %s'\nsays %s\n", strings.ReplaceAll(line, "'", `'\''`), line)
	}
	return script.String()
}

// packageWalk is the script of a whole life of the package: made before, installed and started, looked at, and purged.
func packageWalk(t testing.TB) string {
	t.Helper()
	blocks := commands(t, "The Debian package")
	remove, purge := blocks[2][:1], blocks[2][1:]
	return before + walk(blocks[0]) + walk(blocks[1]) + installedChecks + walk(remove) + removedChecks + walk(purge) +
		"left >after\ndiff before after\n"
}

// newWalk makes a Debian root with a script and what it needs, and returns its path.
func newWalk(t testing.TB, script string) (root string) {
	t.Helper()
	root = unpackedRoot(t)
	dir := filepath.Join(root, walked)
	bed.Must(t, os.MkdirAll(dir, 0o755))
	octets, err := os.ReadFile(bed.Program("uelinkd"))
	bed.Must(t, err)
	for name, text := range map[string]string{
		"uelinkd": string(octets), "partner.yaml": partner, "editor": editor, "script": script,
	} {
		bed.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755))
	}
	return root
}

// withPackage makes the package, and copies it to the folder in a root where the walk through INSTALL.md begins.
func withPackage(t testing.TB, root string) {
	t.Helper()
	file := makePackage(t, "1.0")
	octets, err := os.ReadFile(file)
	bed.Must(t, err)
	bed.Must(t, os.WriteFile(filepath.Join(root, walked, filepath.Base(file)), octets, 0o644))
}

// bootDebian is a script that makes systemd process 1 of namespaces of its own, in the Debian root $1, with the journal
// and whatever is started later. The kernel's settings cannot be written to. $2 and $3 are a folder and its place in
// the root, and so on.
const bootDebian = `set -e
mount --make-rprivate /
mount --bind "$1" "$1"
cd "$1"
shift
mkdir -p old
mount -t proc proc proc
mount --bind proc/sys proc/sys
mount -o remount,bind,ro proc/sys
mount -t sysfs sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=755 tmpfs dev
for d in null zero full random urandom tty; do touch dev/$d; mount --bind /dev/$d dev/$d; done
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=666 devpts dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
while [ $# -gt 0 ]; do mkdir -p "./$2"; mount --bind "$1" "./$2"; shift 2; done
printf '[Unit]\nRequires=systemd-journald.service\nAfter=systemd-journald.service\n' >etc/systemd/system/walk.target
pivot_root . old
umount -l old
rmdir old
exec env -i container=uelink PATH=/usr/sbin:/usr/bin /lib/systemd/systemd --system --unit=walk.target \
	--log-target=journal
`

// booted is a Debian root in which systemd runs, in namespaces of its own.
type booted struct {
	t    testing.TB
	init int // process of systemd
}

// bootRoot boots a Debian root in a network namespace. folders are shared with it: a folder, its place in the root, and
// so on.
func bootRoot(t testing.TB, ns *netns.NS, root string, folders ...string) *booted {
	t.Helper()
	p, init := bed.Systemd(t, ns, bootDebian, append([]string{root}, folders...)...)
	b := &booted{t, init}
	bed.Eventually(t, "a systemd", func() string {
		if !p.Running() {
			nstest.Missing(t, "namespaces in which systemd starts: "+p.Stderr.String())
		}
		if out, err := b.sh("systemctl is-active walk.target"); err != nil {
			return string(out)
		}
		return ""
	})
	return b
}

// sh runs a line of shell beside systemd.
func (b *booted) sh(line string) (out []byte, err error) {
	return exec.Command("nsenter", "-t", strconv.Itoa(b.init), "-a", "sh", "-c", line).CombinedOutput()
}

// walk runs the script of the root.
func (b *booted) walk() {
	b.t.Helper()
	out, err := b.sh("exec sh /walk/script")
	if b.t.Logf("%s", out); err != nil {
		b.t.Errorf("the walk ends with %v", err)
	}
}

// A person follows docs/INSTALL.md in a Debian whose process 1 is systemd: the package, and what has no package.
func TestInstallationBySystemd(t *testing.T) {
	if !*debian {
		t.Skip("skipped, missing mmdebstrap: make test-all installs it (-packages.debian)")
	}
	t.Run("package", func(t *testing.T) {
		root := newWalk(t, packageWalk(t))
		withPackage(t, root)
		bootRoot(t, nstest.New(t, "walk"), root).walk()
	})
	t.Run("source", func(t *testing.T) {
		block := commands(t, "Without a package")[0]
		i := slices.Index(block, "sudo systemctl enable --now uelinkd") + 1
		root := newWalk(t, before+"cd tree\n"+walk(block[:i])+"says uelink llr interface --wait ADVANCE\n"+
			strings.ReplaceAll(installedChecks, "/usr/share/bash-completion/completions", "/usr/local/share")+walk(block[i:]))
		tree := filepath.Join(root, walked, "tree")
		bed.Must(t, os.Mkdir(tree, 0o755))
		output(t, exec.Command("sh", "-c", "cd ../../.. && git ls-files -z | tar --null -T - -cf - | tar -xf - -C "+tree))
		folders := []string{goEnv(t, "GOROOT"), "/usr/local/go", goEnv(t, "GOMODCACHE"), "/root/go/pkg/mod",
			goEnv(t, "GOCACHE"), "/root/.cache/go-build"}
		bootRoot(t, nstest.New(t, "walk"), root, folders...).walk()
	})
}

// goEnv returns a setting of the go command.
func goEnv(t testing.TB, name string) string {
	t.Helper()
	return strings.TrimSpace(output(t, exec.Command("go", "env", name)))
}

// bootPatience bounds the walk in an emulated machine.
const bootPatience = 30 * time.Minute

// The same in a machine that QEMU emulates, with Debian's kernel.
func TestInstallationInAGuest(t *testing.T) {
	if !*emulated {
		t.Skip("skipped, missing QEMU: make test-all installs it (-packages.emulated)")
	}
	home, err := os.UserCacheDir()
	bed.Must(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	cache := machine.Cache{Dir: filepath.Join(home, "uelink-nics"), Progress: t.Logf}
	bed.Must(t, os.MkdirAll(cache.Dir, 0o755))
	mirror, err := machine.ConfiguredMirror(ctx)
	bed.Must(t, err)
	room, err := cache.Room(ctx, mirror)
	bed.Must(t, err)
	kernel, err := cache.Kernel(ctx, mirror, room, suite)
	bed.Must(t, err)

	root := newWalk(t, packageWalk(t))
	withPackage(t, root)
	units := filepath.Join(root, "etc/systemd/system")
	bed.Must(t, os.WriteFile(filepath.Join(units, "walk.service"), []byte(guestUnit), 0o644))
	bed.Must(t, os.WriteFile(filepath.Join(units, "walk.target"), []byte("[Unit]\nRequires=walk.service\n"), 0o644))
	bed.Must(t, os.Symlink("walk.target", filepath.Join(units, "default.target")))
	dir := t.TempDir()
	image, err := machine.NewDebianImage(ctx, dir, kernel, root, "veth")
	bed.Must(t, err)
	g, err := machine.Boot(ctx, room, machine.Config{Image: image, Dir: dir, CPUs: 2, Memory: 2048})
	bed.Must(t, err)
	err = g.Wait(bootPatience)
	console, problem := g.Console()
	bed.Must(t, problem)
	if t.Log(console); err != nil || !strings.Contains(console, "the walk ends with 0") {
		t.Errorf("%v", err)
	}
	bed.Must(t, g.Close())
}

// guestUnit runs the script on the guest's console, and switches the guest off.
const guestUnit = `[Unit]
Requires=systemd-journald.service
After=systemd-journald.service
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'sh /walk/script >/dev/ttyS0 2>&1; echo "the walk ends with $?" >/dev/ttyS0; systemctl poweroff -f'
`
