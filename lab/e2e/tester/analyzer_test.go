package tester

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"uelink/dataplane/fault/analyzer"
	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
)

const dissector = "lua_script:../../../deploy/wireshark/uelink.lua"

// sighting is a frame in a capture of a link port, as tshark reads it.
type sighting struct {
	at     time.Duration // of the day
	out    bool
	octets int
	seq    int   // of a data frame, -1: none
	kinds  []int // message types of a control frame
	acked  int   // ack_nack_seq, -1: none
}

// sightings returns the frames with a number, an LLR_ACK or an LLR_NACK in a capture.
func sightings(t *testing.T, file string) (all []sighting) {
	t.Helper()
	args := []string{"-X", dissector, "-Y", "uellr.seq || uellr.ack_nack_seq", "-T", "fields", "-E", "separator=;",
		"-e", "frame.time_epoch", "-e", "frame.packet_flags_direction", "-e", "frame.len", "-e", "uellr.seq",
		"-e", "uellr.ctlos_type", "-e", "uellr.ack_nack_seq"}
	for line := range strings.Lines(bed.Tshark(t, file, args...)) {
		words := strings.Split(strings.TrimSpace(line), ";")
		if len(words) != 6 {
			t.Fatalf("tshark says %q", line)
		}
		seconds, fraction, _ := strings.Cut(words[0], ".")
		s := sighting{out: strings.HasSuffix(words[1], "2"), seq: -1, acked: -1}
		nanos := atoi(t, "1"+(fraction + "000000000")[:9]) - 1e9 // a number that begins with 0 would be octal
		s.at = time.Duration(atoi(t, seconds))*time.Second + time.Duration(nanos)
		s.octets = atoi(t, words[2])
		if words[3] != "" {
			s.seq = atoi(t, words[3])
		}
		for _, kind := range strings.Split(words[4], ",") {
			if kind != "" {
				s.kinds = append(s.kinds, atoi(t, kind))
			}
		}
		if words[5] != "" {
			s.acked = atoi(t, words[5])
		}
		all = append(all, s)
	}
	return all
}

func atoi(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.ParseInt(text, 0, 64)
	bed.Must(t, err)
	return int(n)
}

// Message types of control ordered sets.
const llrAck, llrNack = 1, 2

// facts is what a capture at the sender tells of its data, and one at the receiver of the answers.
type facts struct {
	frames, resent, resentOctets uint64
	nacks                        uint64        // sent by the receiver
	arrivedNacks                 uint64        // received by the sender
	acked                        int           // frames sent once, with an LLR_ACK or LLR_NACK
	mean                         time.Duration // from sending these to it
	lost                         []int         // numbers of which more copies were sent than received
}

// compareCaptures returns the facts of the data from one link port to the other.
func compareCaptures(sender, receiver []sighting) (f facts) {
	sent, first, arrived := map[int]int{}, map[int]time.Duration{}, map[int]int{}
	covered := map[int]bool{}
	for _, s := range sender {
		switch {
		case s.out && s.seq >= 0:
			if sent[s.seq]++; sent[s.seq] == 1 {
				f.frames++
				first[s.seq] = s.at
				continue
			}
			f.resent++
			f.resentOctets += uint64(s.octets)
		case !s.out && s.acked >= 0:
			if slices.Contains(s.kinds, llrNack) {
				f.arrivedNacks++
			}
			for seq := s.acked; first[seq] > 0 && !covered[seq]; seq = (seq - 1) & 0xFFFFF {
				if covered[seq] = true; sent[seq] == 1 {
					f.acked++
					f.mean += s.at - first[seq]
				}
			}
		}
	}
	f.mean /= time.Duration(max(1, f.acked))
	for _, s := range receiver {
		switch {
		case !s.out && s.seq >= 0:
			arrived[s.seq]++
		case s.out && slices.Contains(s.kinds, llrNack):
			f.nacks++
		}
	}
	for seq, n := range sent {
		if arrived[seq] < n {
			f.lost = append(f.lost, seq)
		}
	}
	return f
}

// The analyzer in the wire counts and measures what captures at both link ports show, and its own capture has a comment
// at each hit, which tshark shows.
func TestAnalyzerAgreesWithCaptures(t *testing.T) {
	if _, err := exec.LookPath("tshark"); err != nil {
		nstest.Missing(t, "package tshark")
	}
	const late = 3 * time.Millisecond
	top, dir := bed.Cabled(t), t.TempDir()
	hits := filepath.Join(dir, "hits.pcapng")
	plugged := top.Cable("--analyze", "--capture", hits, "--rule", "id=lose from=a kind=data nth=50 drop",
		"--rule", "id=deaf from=b kind=nack first=2 drop", "--rule", fmt.Sprintf("id=late from=b kind=ack hold=%v", late))
	var daemons [2]*bed.Daemon
	var files [2]string
	for i, ns := range []*netns.NS{top.A, top.B} {
		files[i] = filepath.Join(dir, fmt.Sprintf("%d.pcapng", i))
		s := bed.Lossless
		s.Profile += ", max_replay_timer: 50ms"
		s.Link = "fcs: true, capture: " + files[i]
		daemons[i] = bed.NewDaemon(t, ns, "AB"[i:i+1], s)
	}
	bed.Pair{A: daemons[0], B: daemons[1]}.Start()
	c := top.Between()
	c.Frames, c.Size, c.Window = 400, "300", 16
	bed.Untouched(t, c)
	for _, d := range daemons {
		bed.Eventually(t, "all is acknowledged", func() string {
			if n := d.LLR().OutstandingFrames; n > 0 {
				return fmt.Sprintf("%d frames of %s are not", n, d.Name)
			}
			return ""
		})
	}
	r := plugged.Pull()
	for _, d := range daemons {
		if code := d.Terminate(); code != 0 {
			t.Fatalf("%s: exit %d", d.Name, code)
		}
	}
	atA, atB := sightings(t, files[0]), sightings(t, files[1])
	flow := r.Directions[0].Analysis.LLR
	a := compareCaptures(atA, atB)
	agree(t, "from a", flow, a)
	agree(t, "from b", r.Directions[1].Analysis.LLR, compareCaptures(atB, atA))
	// The capture's times have the wire's within them, but for the error of its clock.
	if blur := r.Unseen.Max; flow.DataToAck.P50 < late || a.mean < flow.DataToAck.Mean-blur {
		t.Errorf("data to LLR_ACK: %v on average, %v half of them, the capture has %v", flow.DataToAck.Mean,
			flow.DataToAck.P50, a.mean)
	}
	if len(a.lost) != 1 || flow.Lost != 1 || flow.LostToGood.Count != 1 || flow.NackToResent.Count == 0 {
		t.Errorf("lost: %d, the captures say %v; %+v", flow.Lost, a.lost, flow)
	}
	dropped := uint64(0)
	for _, s := range r.Rules {
		if s.ID == "deaf" {
			dropped = s.Hits
		}
	}
	if a.nacks-a.arrivedNacks != dropped || dropped == 0 {
		t.Errorf("%d LLR_NACKs sent, %d arrived, %d dropped", a.nacks, a.arrivedNacks, dropped)
	}
	t.Logf("data to LLR_ACK %v (captures %v), LLR_NACK to resent %v, lost to good %v, nobody looked for %v",
		flow.DataToAck.Mean, a.mean, flow.NackToResent.Max, flow.LostToGood.Max, r.Unseen.Max)
	comments(t, hits, r.Rules[0].Hits+r.Rules[1].Hits+r.Rules[2].Hits,
		fmt.Sprintf("rule lose: drop data seq %d vc 0", a.lost[0]))
}

// agree compares a flow with what captures show.
func agree(t *testing.T, from string, f analyzer.Flow, want facts) {
	t.Helper()
	for _, c := range []struct {
		name      string
		got, want uint64
	}{
		{"frames", f.Frames, want.frames}, {"resent", f.Resent, want.resent},
		{"octets resent", f.ResentOctets, want.resentOctets}, {"LLR_NACKs", f.Nacks, want.nacks},
		{"false LLR_NACKs and LLR_ACKs, missing and unrepaired frames",
			f.FalseNacks + f.FalseAcks + f.Missing + f.Unrepaired, 0},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s: %d, the captures say %d", from, c.name, c.got, c.want)
		}
	}
	// A copy that crosses the LLR_ACK of its number may be there at one place and not yet at the other.
	if n, want := f.DataToAck.Count, uint64(want.acked); n+f.Resent < want || n > want+f.Resent {
		t.Errorf("%s: %d frames measured to their LLR_ACK, by the captures %d, %d resent", from, n, want, f.Resent)
	}
}

// comments checks the comments in the wire's own capture.
func comments(t *testing.T, file string, want uint64, text string) {
	t.Helper()
	out := bed.Tshark(t, file, "-X", dissector, "-Y", "frame.comment", "-T", "fields", "-e", "frame.interface_name",
		"-e", "frame.comment")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if uint64(len(lines)) != want || !slices.Contains(lines, "a\t"+text) {
		t.Errorf("%d comments, want %d and %q:\n%.300s", len(lines), want, text, out)
	}
}
