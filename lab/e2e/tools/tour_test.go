package tools

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"uelink/lab/e2e/bed"
)

// mistake is a command of the tour, mistyped.
type mistake struct {
	name    string // that is wrong
	command string // as typed; DIR stands for the directory of the test
	nobody  bool   // typed by somebody without privileges
}

// The tour before a daemon runs.
var withoutDaemon = []mistake{
	{"an option", "uelinkd --conifg DIR/uelink.yaml --check", false},
	{"a file that is not there", "uelinkd --config DIR/uelnik.yaml --check", false},
	{"a key and a word in the file", "uelinkd --config DIR/broken.yaml --check", false},
	{"no permission to read the file", "uelinkd --config DIR/uelink.yaml --check", true},
	{"no permission for sockets", "uelinkd --config DIR/open.yaml", true},
	{"no daemon", "uelink port", false},
	{"no daemon to watch", "uelink watch", false},
	{"a socket that is not there", "uelink --socket DIR/other llr interface", false},
}

// And while one runs.
var withDaemon = []mistake{
	{"a command", "uelink prot", false},
	{"a port", "uelink port link9", false},
	{"an interface", "uelink port eth9", false},
	{"a command of a group", "uelink llr iterface", false},
	{"a port that is no link", "uelink llr interface edge0", false},
	{"an option", "uelink llr counters --detialed", false},
	{"a profile", "uelink llr profile defualt", false},
	{"a format", "uelink -o jsn llr counters link0", false},
	{"a port of the counters", "uelink -o json llr counters lnik0", false},
	{"a command to watch", "uelink wacth", false},
	{"no permission", "uelink port", true},
	{"a view", "uelink lldp nieghbors", false},
	{"an abbreviation of two", "uelink lldp s", false},
	{"a port without LLDP", "uelink lldp neighbors edge0", false},
	{"an interface of LLDP", "uelink lldp show neighbors ports eth9 details", false},
	{"nobody there yet", "uelink lldp neighbors link0", false},
	{"a port without DCBX", "uelink dcbx show link0", false},
	{"no port with DCBX", "uelink dcbx show", false},
	{"an edge to initialise", "uelink llr reinit edge0", false},
	{"no port to initialise", "uelink llr reinit", false},
	{"a direction", "uelink llr remtoe disable link0", false},
	{"an interface to switch", "uelink llr remote disable eth9", false},
	{"a level", "uelink log level loud", false},
	{"a bridge where there is none", "uelink bridge br0", false},
	{"an entry without a bridge", "uelink fdb add 02:00:00:00:00:bb dev link0", false},
	{"a file that cannot be", "uelink support DIR/none/report.txt", false},
	{"an interface of a cable", "uelink cable IF9 link0 --loss 0.01", false},
	{"a share of loss", "uelink cable IF1 IF2 --loss 1%", false},
	{"one interface of a cable", "uelink cable IF1 --reorder 0.01", false},
	{"an interface of traffic", "uelink traffic --from IF9 --to edge0 --frames 100", false},
	{"a namespace of traffic", "uelink traffic --from IF1@NETNS1 --to edge0", false},
	{"one end of traffic", "uelink traffic --from edge0", false},
	{"frames of the demo", "uelink demo --frames many", false},
	{"a size of the demo", "uelink demo --size imx --frames 10", false},
}

// nextStep is how an answer says what to do.
var nextStep = regexp.MustCompile(`\b(see|set|start|use|name|create|add|give|needs|want) |did you mean|is wanted|` +
	`is not one of|is ambiguous: |the [\w ]+ are `)

// What differs from run to run in an answer.
var (
	counts  = regexp.MustCompile(`\d+ LLDP frames`)
	stamp   = regexp.MustCompile(`"time":"[^"]*"`)
	address = regexp.MustCompile(`\b([0-9a-f]{2}:){5}[0-9a-f]{2}\b`)
)

// A walk through the tour with every command mistyped once. Each answer says what to
// do next; all of them are kept.
func TestTourMistyped(t *testing.T) {
	top := bed.Direct(t)
	d := bed.NewDaemon(t, top.A, "A", bed.Settings{})
	tour := &session{t: t, d: d}
	const broken = "ports:\n  - {name: link0, interfce: eth1, role: lnik}\n"
	bed.Must(t, os.WriteFile(filepath.Join(d.Dir, "broken.yaml"), []byte(broken), 0o600))
	bed.Must(t, os.Chmod(d.Config, 0o600))
	bed.Must(t, os.WriteFile(filepath.Join(d.Dir, "open.yaml"),
		[]byte(bed.LLDPOnly{}.Text(filepath.Join(d.Dir, "mine"))), 0o644))
	bed.Must(t, os.Chmod(d.Dir, 0o777))
	bed.Must(t, os.Chmod(filepath.Dir(d.Dir), 0o755))
	for _, m := range withoutDaemon {
		tour.try(m)
	}
	d.Start()
	for _, m := range withDaemon {
		tour.try(m)
	}
	bed.Golden(t, "tour-mistyped.txt", tour.output.String())
}

// session is what was typed and answered.
type session struct {
	t      *testing.T
	d      *bed.Daemon
	output strings.Builder
}

// try types a command and keeps the answer, which has to fail or to say why it is empty,
// and what to do.
func (s *session) try(m mistake) {
	s.t.Helper()
	fields := strings.Fields(strings.ReplaceAll(m.command, "DIR", s.d.Dir))
	name, args := fields[0], fields[1:]
	if name == "uelink" && !strings.Contains(m.command, "--socket") {
		args = append([]string{"--socket", s.d.Socket}, args...)
	}
	cmd := exec.Command(bed.Program(name), args...)
	prompt := "#"
	if m.nobody {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		prompt = "$"
	}
	cmd.Env = append(os.Environ(), "STATE_DIRECTORY="+filepath.Join(s.d.Dir, "states"))
	var output bed.Output
	cmd.Stdout, cmd.Stderr = &output, &output
	_ = s.d.NS.Run(cmd) // its exit code is kept
	answer := strings.ReplaceAll(output.String(), s.d.Dir, "DIR")
	answer = stamp.ReplaceAllString(answer, `"time":"..."`)
	answer = address.ReplaceAllString(counts.ReplaceAllString(answer, "N LLDP frames"), "MAC")
	fmt.Fprintf(&s.output, "# %s\n%s %s\n%s[exit %d]\n\n", m.name, prompt, m.command, answer, cmd.ProcessState.ExitCode())
	if !nextStep.MatchString(answer) {
		s.t.Errorf("%s: the answer does not say what to do:\n%s", m.command, answer)
	}
}
