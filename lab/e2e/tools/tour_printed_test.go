package tools

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
)

// tourChanges is what the tests do to the lines of the tour: what a person does between them, or before. Each is
// there once.
var tourChanges = [][2]string{
	{"make build\n", ""}, // the programs under test are there
	{"sudo -s ", "# "},   // so is root
	{"grep '\"ready\"'", "await A; await B; grep '\"ready\"'"},
	{"$UELINK watch", "timeout --foreground --preserve-status -s INT 1 $UELINK watch"}, // Ctrl-C; a second one kills
}

// tourHead is what stands before the tour: a place of its own, so that nobody else's namespaces, sockets and records
// are touched, and a report of each command that fails.
const tourHead = `mount -t tmpfs tmpfs /run && mkdir /run/netns && mount -t tmpfs tmpfs /var/lib && ip link set lo up
up() { bin/uelink --socket /run/uelink-$1.sock llr interface 2>&1 | grep -q 'ADVANCE *SEND'; }
await() { until up $1; do sleep .1; done; }
trap 'echo "FAILED: $BASH_COMMAND: $?"' ERR
set -m
`

// printedTour returns the commands of the tour.
func printedTour(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../../docs/TOUR.md")
	bed.Must(t, err)
	var all strings.Builder
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		all.WriteString(block[1])
	}
	script := all.String()
	for _, change := range tourChanges {
		if strings.Count(script, change[0]) != 1 {
			t.Fatalf("the tour has %q %d times", change[0], strings.Count(script, change[0]))
		}
		script = strings.Replace(script, change[0], change[1], 1)
	}
	return script
}

// walk runs a tour in a directory of its own, and returns its output. All processes of the tour have ended then.
func walk(t *testing.T, script string) string {
	t.Helper()
	nstest.New(t, "root") // or skip
	bed.RequireProgram(t, "unshare", "util-linux")
	bed.RequireProgram(t, "ip", "iproute2")
	dir := t.TempDir()
	bed.Must(t, os.Symlink(bed.Binaries, filepath.Join(dir, "bin")))
	ctx, cancel := context.WithTimeout(t.Context(), 5*bed.Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "unshare", "--mount", "--net", "--pid", "--fork", "--mount-proc", "--kill-child",
		"bash", "-c", tourHead+script)
	cmd.Dir, cmd.WaitDelay = dir, time.Second
	runtime.LockOSThread() // the tour dies with the thread that started it
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	output, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("the tour ended with %v", err)
	}
	if strings.Contains(string(output), "FAILED: ") || t.Failed() {
		t.Errorf("the tour printed\n%s", output)
	}
	return string(output)
}

// The tour does what it says, word by word: the link is up, nothing is lost over the bad wires, and nothing is
// left.
func TestTourAsPrinted(t *testing.T) {
	output := walk(t, printedTour(t)+"ip netns list\n")
	for _, row := range []string{`delivered +100,000 +100,000`, `lost +0 +0`, `reordered +0 +0`, `duplicated +0 +0`} {
		if n := len(regexp.MustCompile(`(?m)^`+row+`$`).FindAllString(output, -1)); n != 2 {
			t.Errorf("%q %d times", row, n)
		}
	}
	for _, want := range []string{"uelink-A.yaml: fine", "link0  eth1       link  up    1514 ", "uelink-support-"} {
		if !strings.Contains(output, want) {
			t.Errorf("it does not say %q", want)
		}
	}
	if strings.Contains(output, "warning: ") || strings.HasSuffix(output, "hostB\n") || t.Failed() {
		t.Errorf("the tour printed\n%s", output)
	}
}

// On a wire with an MTU of 1500 the cable names what is wrong, and the traffic the sizes that are lost.
func TestTourOnAWireWithTooSmallAnMTU(t *testing.T) {
	t.Parallel()
	tour, _, ok := strings.Cut(printedTour(t), "kill $wire; wait $wire")
	if !ok || strings.Count(tour, " mtu 1514 ") != 2 {
		t.Fatalf("the tour is another one:\n%s", tour)
	}
	tour = strings.ReplaceAll(tour, " mtu 1514 ", " ")
	output := walk(t, tour+
		`until $UELINK llr interface | grep 'the wire carries link frames of up to 15'; do sleep .1; done
bin/uelink traffic --from eth0@hostA --to eth0@hostB --frames 2000 --size imix || :
bin/uelink traffic --from eth0@hostA --to eth0@hostB --frames 5000 --size sweep || :
$UELINK port edge0 | grep '^rx_dropped'
`)
	for _, want := range []string{
		"warning: an MTU of 1500: frames of more than 1514 octets vanish",
		"ip link set dev A mtu 1514; ip link set dev B mtu 1514",
		"eth0@hostA -> eth0@hostB: no frame of 1514 octets arrived: an MTU on the way is too small. A link needs 14 octets",
		"eth0@hostB -> eth0@hostA: no frame of 1514 octets arrived",
	} {
		if !strings.Contains(output, want) {
			t.Errorf("it does not say %q:\n%s", want, output)
		}
	}
	for _, want := range []string{`hostB: no frame of 1(4\d\d|50\d) to 1514 octets arrived`, `rx_dropped \.+ [1-9]`} {
		if !regexp.MustCompile(want).MatchString(output) {
			t.Errorf("nothing is as %q:\n%s", want, output)
		}
	}
}
