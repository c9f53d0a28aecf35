package pods

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
)

// machine is a mount namespace of its own in a network namespace, as long as the test lasts. Later mounts of this
// machine, such as the names of network namespaces, are seen there; its mounts are seen nowhere else.
type machine struct {
	ns     *netns.NS
	holder *bed.Process
}

// newMachine makes a machine whose mounts a script of sh makes.
func newMachine(t *testing.T, ns *netns.NS, name, script string) machine {
	t.Helper()
	bed.InstalledProgram(t, "nsenter", "util-linux")
	m := machine{ns, bed.Start(t, ns, "mounts of "+name, exec.Command("unshare", "--mount", "--propagation", "slave", "sh",
		"-c", "set -e\n"+script+"\necho ready; exec sleep infinity"))}
	bed.Eventually(t, "the mounts of "+name, func() string {
		if !m.holder.Running() {
			t.Fatalf("%s: %s", name, m.holder.Stderr)
		}
		if !strings.Contains(m.holder.Stdout.String(), "ready") {
			return "they are not ready"
		}
		return ""
	})
	return m
}

// path returns the path by which a file of the machine is reached from here.
func (m machine) path(file string) string {
	return fmt.Sprintf("/proc/%d/root%s", m.holder.Cmd.Process.Pid, file)
}

// words returns the words by which a program is started in the machine's mounts.
func (m machine) words(program ...string) []string {
	return append([]string{"nsenter", fmt.Sprintf("--mount=/proc/%d/ns/mnt", m.holder.Cmd.Process.Pid), "--"}, program...)
}

// inside returns the command that runs a program in the machine's mounts.
func (m machine) inside(program ...string) *exec.Cmd {
	words := m.words(program...)
	return exec.Command(words[0], words[1:]...)
}
