package sai

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"uelink/lab/e2e/bed"
	"uelink/sai"
)

// off is a link whose LLR is off by the configuration.
var off = bed.Settings{LLR: "mode: off"}

// apart starts a daemon at each end of a cable, without LLR.
func apart(top *bed.Topology, s bed.Settings) bed.Pair {
	top.T.Helper()
	p := bed.Pair{A: bed.NewDaemon(top.T, top.A, "A", s), B: bed.NewDaemon(top.T, top.B, "B", s)}
	p.A.Start()
	p.B.Start()
	return p
}

// run starts a program at a daemon's socket; keys is its standard input.
func run(t *testing.T, program string, d *bed.Daemon) (p *bed.Process, keys io.Writer) {
	t.Helper()
	cmd := exec.Command(program, "0")
	cmd.Env = append(os.Environ(), "SAI_UELINK_SOCKET="+d.Socket)
	keys, err := cmd.StdinPipe()
	bed.Must(t, err)
	return bed.Start(t, d.NS, program, cmd), keys
}

// TestSAIWorkflow runs the listing of docs/SAI.md at both ends of a bad wire: LLR comes up, nothing is lost, and what
// the program set stays after it has ended.
func TestSAIWorkflow(t *testing.T) {
	top := bed.Cabled(t)
	top.Cable(bed.BadWire...)
	p := apart(top, off)
	program := compile(t, "../../../sai/lib/example/workflow.c")
	type running struct {
		*bed.Process
		keys io.Writer
	}
	var programs []running
	for _, d := range []*bed.Daemon{p.A, p.B} {
		process, keys := run(t, program, d)
		programs = append(programs, running{process, keys})
	}
	for _, r := range programs {
		bed.Eventually(t, "LLR runs", func() string {
			if text := r.Stdout.String(); !strings.Contains(text, "LLR runs: tx status 2, rx status 1\n") {
				return text
			}
			return ""
		})
	}
	p.Advance()
	traffic := top.Between()
	traffic.Frames, traffic.Size = 20_000, "imix"
	bed.Untouched(t, traffic)
	for _, r := range programs {
		_, err := io.WriteString(r.keys, "\n")
		bed.Must(t, err)
		if code := r.Wait(); code != 0 {
			t.Fatalf("exit %d: %s", code, r.Stdout)
		}
		for _, id := range []int{204, 205, 206, 207, 209, 211, 212, 213, 214, 215, 217, 220, 223, 225} {
			if text := r.Stdout.String(); !strings.Contains(text, fmt.Sprintf("statistic %d: ", id)) ||
				strings.Contains(text, fmt.Sprintf("statistic %d: 0\n", id)) {
				t.Errorf("statistic %d did not move:\n%s", id, text)
			}
		}
	}
	p.NoFlush(t)

	t.Run("the times are raised", func(t *testing.T) {
		got := p.A.LLR()
		if profile, err := p.A.Client.LLRProfile(t.Context(), got.Profile); err != nil || got.MaxReplayTimer <= 10_000 ||
			profile.DataAgeTimeout <= 100_000 || profile.PCSLostTimeout <= 500 {
			t.Errorf("%+v, %v, a replay timer of %v", profile, err, got.MaxReplayTimer)
		}
	})
	t.Run("what was set outlives its client", func(t *testing.T) { outlives(t, p) })
}

// outlives looks at what TestSAIWorkflow's program set, with another process, before and after a reload.
func outlives(t *testing.T, p bed.Pair) {
	c := attach(t, compile(t, "testdata/driver.c"), p.A)
	link := c.link()
	profile := c.get(link, llrProfile, sai.ObjectID)
	for range 2 {
		for id, want := range []string{"100", "102400", "10000"} {
			if got := c.get(profile, uint32(id), sai.U32); got != want {
				t.Errorf("attribute %d of the profile is %s, want %s", id, got, want)
			}
		}
		if got := c.get(link, llrProfile, sai.ObjectID); got != profile || c.link() != link {
			t.Errorf("the profile is %s, was %s; the link is %s, was %s", got, profile, c.link(), link)
		}
		c.becomes(link, llrTx, sai.Enum, "2")
		p.A.Reload(off.Text(p.A.Socket))
	}
	c.refused(-0x11, "remove %s", profile)
	c.refused(-0x10000, "set %s 0=u32:200", profile)
	c.refused(-0xe, "create 115 1=u32:102400")
	c.refused(-0x20000, "set %s %d=oid:0", link, llrProfile)
	c.refused(0, "fork %s %d=s32", link, llrTx)
	text := p.A.ToolText("sai", "objects")
	if !strings.Contains(text, "PORT_LLR_PROFILE") || !strings.Contains(text, "(in force: 1s)") {
		t.Errorf("uelink sai objects: %s", text)
	}
	p.A.Terminate()
	c.notified("switch 0x21000000000000 2")
	p.A.Start()
	c.notified("switch 0x21000000000000 1")
	if got := c.get(c.link(), llrProfile, sai.ObjectID); got != "0x0" || c.link() != link {
		t.Errorf("after a restart the profile is %s, and the link %s, was %s", got, c.link(), link)
	}
	c.refused(-0x13, "get %s 0=u32", profile)
}

// TestFlushOfADefaultProfile: a profile with the mandatory attributes alone replays once, and flushes. FLUSH stays,
// also on a good wire, until LLR_MODE_REMOTE is false and true. The client is told of both.
func TestFlushOfADefaultProfile(t *testing.T) {
	t.Parallel()
	top := bed.Cabled(t)
	wire := top.Cable()
	p := apart(top, off)
	program := compile(t, "testdata/driver.c")
	a, b := attach(t, program, p.A), attach(t, program, p.B)
	for _, c := range []*client{a, b} {
		c.enable(c.create(sai.TypeLLRProfile, "0=u32:64", "1=u32:100000"))
	}
	link := a.link()
	a.becomes(link, llrTx, sai.Enum, "2")
	b.becomes(b.link(), llrRx, sai.Enum, "1")
	wire.Pull()
	hostA := bed.Open(t, top.HostA, "eth0", bed.ProbeType)
	hostA.Send(bed.Probe(1, 100))
	a.notified(fmt.Sprintf("port %s 1 %d", link, 0x2000))
	a.becomes(link, llrTx, sai.Enum, "4")
	if got := a.get(link, portError, sai.Enum); got != "8192" {
		t.Errorf("SAI_PORT_ATTR_ERROR_STATUS is %s", got)
	}
	if c := p.A.LLRCounters(); c.TxReplay != 1 || c.TxFlush != 1 {
		t.Errorf("%d replays and %d FLUSHes, want one of each", c.TxReplay, c.TxFlush)
	}
	top.Cable()
	bed.Eventually(t, "frames of the partner", func() string {
		if !p.A.LLR().PartnerKnown {
			return "the partner is not known"
		}
		return ""
	})
	if got := a.get(link, llrTx, sai.Enum); got != "4" {
		t.Errorf("the transmitter left FLUSH by itself: it is in %s", got)
	}
	a.must("set %s %d=bool:0", link, llrRemote)
	a.must("set %s %d=bool:1", link, llrRemote)
	a.becomes(link, llrTx, sai.Enum, "2")
	a.notified(fmt.Sprintf("port %s 1 0", link))
}
