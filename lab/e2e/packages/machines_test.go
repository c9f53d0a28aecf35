package packages

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
)

// empty is what a new Debian root has beside its essential packages: what Debian's installer brings that the commands
// of the document use. systemd and procps come with the package.
const empty = "ca-certificates,iproute2,iputils-ping"

// person is how a script of a document is run: by root, in a root without sudo.
const person = "set -e\ncd /root\nexport DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8\nsudo() { \"$@\"; }\n"

// blocks returns the scripts of a section of docs/TWO-MACHINES.md.
func blocks(t testing.TB, name string) (scripts []string) {
	t.Helper()
	for _, part := range strings.Split(section(t, "TWO-MACHINES.md", name), "```sh\n")[1:] {
		script, _, _ := strings.Cut(part, "```")
		scripts = append(scripts, script)
	}
	return scripts
}

// split returns the commands of a script, each with its here document.
func split(script string) (commands []string) {
	document := false
	for line := range strings.Lines(script) {
		if document {
			commands[len(commands)-1] += line
			document = line != "EOF\n"
			continue
		}
		commands, document = append(commands, line), strings.Contains(line, "<<'EOF'")
	}
	return commands
}

// The way to a link is three commands at each end, of which one is a file of five lines.
func TestWayToALinkIsShort(t *testing.T) {
	scripts := blocks(t, "1. Three commands, on both")
	if len(scripts) != 2 || len(split(scripts[0])) != 3 {
		t.Fatalf("the commands are %q", scripts)
	}
	lines := strings.Split(strings.TrimSpace(split(scripts[0])[1]), "\n")
	if len(lines) != 7 || lines[6] != "EOF" {
		t.Errorf("the configuration is %q", lines)
	}
	text := strings.Join(lines[1:6], "\n")
	checkConfiguration(t, strings.ReplaceAll(text, "eth0", "lo"))
	readme, err := os.ReadFile(filepath.Join(tree, "README.md"))
	bed.Must(t, err)
	says(t, string(readme), text)
}

// ownMachine is a machine of docs/TWO-MACHINES.md: a Debian root with a systemd of its own.
type ownMachine struct {
	*booted
	took []time.Duration // by the commands typed so far
}

// newMachine takes a new root, types the first command there, which may fetch packages from the network, and boots the
// root in a namespace.
func newMachine(t testing.TB, ns *netns.NS, root, file, install string) *ownMachine {
	t.Helper()
	octets, err := os.ReadFile(file)
	bed.Must(t, err)
	bed.Must(t, os.WriteFile(filepath.Join(root, "root", filepath.Base(file)), octets, 0o644))
	yes := filepath.Join(root, "etc/apt/apt.conf.d/yes")
	bed.Must(t, os.WriteFile(yes, []byte("APT::Get::Assume-Yes \"true\";\n"), 0o644))
	inRoot := func(script string) string {
		return output(t, exec.Command("unshare", "--mount", "sh", "-ec", `mount -t proc proc "$1/proc"
mount --rbind /dev "$1/dev"
exec chroot "$1" sh -c "$2"`, "sh", root, script))
	}
	inRoot("apt-get update -qq")
	from := time.Now()
	out := inRoot(person + install)
	took := time.Since(from)
	t.Logf("$ %s%s", install, out)
	return &ownMachine{bootRoot(t, ns, root), []time.Duration{took}}
}

// types runs a command of the document, which must succeed, and returns what it says.
func (m *ownMachine) types(command string) string {
	m.t.Helper()
	from := time.Now()
	out, err := m.sh(person + command)
	m.took = append(m.took, time.Since(from))
	if err != nil {
		log, _ := m.sh("journalctl --no-pager -u uelinkd")
		m.t.Fatalf("%s: %v\n%s%s", command, err, out, log)
	}
	return string(out)
}

// The document is followed on two machines whose eth0 has an address: in empty roots of Debian 12 and 13, and with the
// RPM in a Debian 12. Both say that the link is up, frames cross it and eth0, and nothing is left of it at the end.
func TestTwoMachinesInThreeCommands(t *testing.T) {
	if !*debian {
		t.Skip("skipped, missing mmdebstrap: make test-all installs it (-packages.debian)")
	}
	for _, c := range []struct {
		name, suite, has string
		packages         packager
		install          string // in the place of the document's first command
	}{
		{"Debian 12", "bookworm", empty, packagers[0], ""},
		{"Debian 13", "trixie", empty, packagers[0], ""},
		{"rpm", suite, packaged + ",iputils-ping", packagers[1], byRPM + "-i ./uelink-*.rpm\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file, root := c.packages.make(t, "1.0"), rootOf(t, c.suite, c.has)
			typed := split(blocks(t, "1. Three commands, on both")[0])
			if c.install != "" {
				typed[0] = c.install
			}
			a, b := nstest.New(t, "A"), nstest.New(t, "B")
			bed.Must(t, netns.Veth(a, "eth0", b, "eth0", 1500))
			bed.Must(t, a.AddAddr("eth0", "192.0.2.1/24"))
			bed.Must(t, b.AddAddr("eth0", "192.0.2.2/24"))
			first := newMachine(t, a, unpacked(t, root), file, typed[0])
			second := newMachine(t, b, unpacked(t, root), file, typed[0])
			from := time.Now()
			for _, command := range typed[1:] {
				first.types(command)
				second.types(strings.Replace(command, "10.0.0.1/24", "10.0.0.2/24", 1))
			}
			for _, m := range []*ownMachine{first, second} {
				bed.Eventually(t, "LLR ADVANCE and SEND_ACKS", func() string {
					if out, _ := m.sh("uelink status"); !strings.Contains(string(out), "LLR ADVANCE and SEND_ACKS with ") {
						return string(out)
					}
					return ""
				})
			}
			t.Logf("%d commands at each end, %v; up %.1f s after the second one", len(first.took), first.took,
				time.Since(from).Seconds())
			for _, script := range blocks(t, "2. What to see") {
				t.Log(first.types(script))
			}
			says(t, first.types("ping -c 3 10.0.0.2; ping -c 3 192.0.2.2"), "3 received", " 0% packet loss")
			says(t, first.types("cat /sys/class/net/uelink0/mtu"), "1474")
			for _, m := range []*ownMachine{first, second} {
				says(t, m.types("ls /usr/share/doc/uelink/docs"), "QUESTIONS.md", "TWO-MACHINES.md")
				m.types(blocks(t, "4. Back")[0])
				if left := m.types("ls /sys/class/net"); strings.Contains(left, "ue") {
					t.Errorf("interfaces are left: %s", left)
				}
			}
			if left := bed.XDPOn(t, a, "eth0"); left != "" {
				t.Errorf("an XDP program on eth0: %s", left)
			}
			says(t, first.types("ping -c 3 192.0.2.2"), " 0% packet loss")
		})
	}
}
