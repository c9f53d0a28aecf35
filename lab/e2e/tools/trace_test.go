package tools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"uelink/control/api"
	"uelink/lab/e2e/bed"
)

// traced are the frames that a trace has printed, by their number; a failure ends the test.
func traced(t *testing.T, a bed.Answer) (list []api.TracedFrame) {
	t.Helper()
	for line := range strings.Lines(a.Succeeds().Stdout) {
		var f api.TracedFrame
		bed.Must(t, json.Unmarshal([]byte(line), &f))
		list = append(list, f)
	}
	return list
}

// Over a wire that loses one frame in five, traces at both ends say what became of each frame: those of the sender are
// acknowledged in the end, some after replays, and those of the receiver leave by its edge, or are dropped by LLR.
func TestTraceOfALossyLink(t *testing.T) {
	t.Parallel()
	top := bed.Cabled(t)
	top.Cable("--loss", "0.2")
	p := top.Daemons(bed.Lossless)
	hostA := bed.Open(t, top.HostA, "eth0", bed.ProbeType)
	const frames = 60
	answers := make(chan bed.Answer, 2)
	for _, c := range []struct {
		d    *bed.Daemon
		port string
	}{{p.A, "edge0"}, {p.B, "link0"}} {
		go func() {
			answers <- c.d.Tool("trace", c.port, "--count", fmt.Sprint(frames), "--timeout", "1m", "--type",
				fmt.Sprintf("%#x", bed.ProbeType))
		}()
	}
	sent, done := uint32(0), []bed.Answer{}
	bed.Eventually(t, "the ends of both traces", func() string {
		for range 4 {
			hostA.Send(bed.Probe(sent, 200))
			sent++
		}
		select {
		case a := <-answers:
			done = append(done, a)
		default:
		}
		if len(done) < 2 {
			return fmt.Sprintf("%d have ended", len(done))
		}
		return ""
	})
	replays, results := 0, map[string]int{}
	for _, a := range done {
		list := traced(t, a)
		if len(list) != frames {
			t.Errorf("%s: %d frames", a.Args, len(list))
		}
		for _, f := range list {
			results[f.Port+" "+f.Result]++
			if f.Port == "edge0" && (f.Result != "acknowledged" || f.Copies[0].Sequence < 0 || f.Copies[0].SentNS < 0) {
				t.Errorf("%+v", f)
			}
			if f.Port == "link0" && (f.RxSequence < 0 || f.Result == "dropped" && len(f.Counters) == 0 ||
				f.Result == "sent" && f.Copies[0].Port != "edge0") {
				t.Errorf("%+v", f)
			}
			for _, c := range f.Copies {
				replays += c.Replays
			}
		}
	}
	if replays == 0 || results["link0 sent"] == 0 || results["link0 dropped"] == 0 {
		t.Errorf("%d replays, %v", replays, results)
	}
	t.Logf("%d frames sent; of %d at each end: %v, %d replays", sent, frames, results, replays)
}

// A PAUSE of the host, which no link carries, is dropped, and the trace names the counter that has it.
func TestTraceNamesTheCounter(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	p := top.Daemons(bed.Settings{})
	hostA := bed.Open(t, top.HostA, "eth0", bed.ProbeType)
	answer := make(chan bed.Answer, 1)
	go func() { answer <- p.A.Tool("trace", "edge0", "--count", "1", "--type", "0x8808,0x1234") }()
	bed.Eventually(t, "a traced frame", func() string {
		f := bed.Probe(1, 200)
		f[12], f[13] = 0x88, 0x08
		hostA.Send(f)
		select {
		case a := <-answer:
			got := traced(t, a)[0]
			if got.Result != "dropped" || len(got.Counters) != 1 || got.Counters[0].Counter != "rx_mac_control" {
				t.Errorf("%+v", got)
			}
			if before := p.A.Edge().Counters.RxMACControl; before == 0 {
				t.Error("the counter has counted nothing")
			}
			return ""
		default:
			return "none has come"
		}
	})
}
