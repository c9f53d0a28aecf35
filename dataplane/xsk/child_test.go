package xsk

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/dataplane/attach"
)

// childVariable makes this test binary a child of a test: "deed opener ifindex".
const childVariable = "UELINK_XSK_CHILD"

func TestMain(m *testing.M) {
	if order := os.Getenv(childVariable); order != "" {
		child(strings.Fields(order))
		return
	}
	os.Exit(m.Run())
}

// child opens a socket, prints the outcome in one line, and waits for the end.
func child(order []string) {
	runtime.LockOSThread() // capabilities are the thread's
	deed, o := order[0], small(openerOf(order[1]))
	ifindex, err := strconv.Atoi(order[2])
	if err != nil {
		panic(err)
	}
	var kept []int
	switch deed {
	case "hold":
		kept = []int{unix.CAP_NET_RAW, unix.CAP_IPC_LOCK}
	case "memlock", "raise":
		limitMemlock(&o, deed == "memlock")
		kept = []int{unix.CAP_NET_RAW}
	case "space":
		limitAddressSpace(heapRoom)
		kept = []int{unix.CAP_NET_RAW, unix.CAP_IPC_LOCK}
	}
	if err := keepCapabilities(kept...); err != nil {
		panic(err)
	}
	_, err = Open(ifindex, 0, o)
	permission, memory := errors.Is(err, os.ErrPermission), errors.Is(err, unix.ENOBUFS)
	fmt.Printf("permission=%v memory=%v error=%v\n", permission, memory, err)
	_, _ = io.Copy(io.Discard, os.Stdin)
}

func openerOf(word string) attach.Opener {
	if word == attach.OpenerNative.String() {
		return attach.OpenerNative
	}
	return attach.OpenerAsavie
}

// limitMemlock allows 1 MiB of locked memory, for good or until the limit is raised, and makes the child ask for a
// UMEM of some 2 MiB.
func limitMemlock(o *Options, forGood bool) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_MEMLOCK, &limit); err != nil {
		panic(err)
	}
	limit.Cur = 1 << 20
	if forGood {
		limit.Max = limit.Cur
	}
	if err := unix.Setrlimit(unix.RLIMIT_MEMLOCK, &limit); err != nil {
		panic(err)
	}
	o.Geometry.TX = 512
}

// limitAddressSpace leaves the given number of octets.
func limitAddressSpace(octets uint64) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		panic(err)
	}
	pages, err := strconv.ParseUint(strings.Fields(string(text))[0], 10, 64)
	if err != nil {
		panic(err)
	}
	most := pages*uint64(os.Getpagesize()) + octets
	if err := unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: most, Max: most}); err != nil {
		panic(err)
	}
}

// keepCapabilities drops all other capabilities of the calling thread.
func keepCapabilities(kept ...int) error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	for _, c := range kept {
		data[c/32].Effective |= 1 << (c % 32)
		data[c/32].Permitted |= 1 << (c % 32)
	}
	return unix.Capset(&header, &data[0])
}

// startChild runs a child in the namespace of the test and returns the printed line.
func (w *wire) startChild(deed string, opener attach.Opener) (output string, kill func()) {
	w.t.Helper()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %d", childVariable, deed, opener, w.a))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := cmd.StdinPipe(); err != nil {
		w.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	kill = func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()         // says that it was killed
	}
	w.t.Cleanup(kill)
	output, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		w.t.Fatalf("child: %v", err)
	}
	return output, kill
}

// TestBusy lets another process hold the queue, and then kills it.
func TestBusy(t *testing.T) {
	forOpeners(t, func(t *testing.T, opener attach.Opener) {
		w := newWire(t)
		output, kill := w.startChild("hold", opener)
		if !strings.Contains(output, "error=<nil>") {
			t.Fatal(output)
		}
		program := w.attach(w.a, attach.ModeAuto)
		_, err := Open(w.a, 0, small(opener))
		var busy *BusyError
		if !errors.As(err, &busy) || !errors.Is(err, unix.EBUSY) {
			t.Fatalf("%v is no BusyError", err)
		}
		if busy.Interface != "a" || busy.Queue != 0 || busy.Program != "uelink_steer" || busy.ProgramID == 0 ||
			len(busy.Processes) == 0 {
			t.Errorf("%+v", busy)
		}
		t.Log(busy)
		if left := socketMappings("self"); len(left) != 0 {
			t.Errorf("failing to open left %v", left)
		}
		kill()
		x, y := converse(t, w.open(w.a, 0, program, small(opener)),
			w.open(w.b, 0, w.attach(w.b, attach.ModeAuto), small(opener)), []int{60}, nil)
		exchange(x, y, 100, 32)
	})
}

// A UMEM that would leave the process too little address space is refused: the child lives on.
func TestTooLittleAddressSpace(t *testing.T) {
	forOpeners(t, func(t *testing.T, opener attach.Opener) {
		output, _ := newWire(t).startChild("space", opener)
		const want = "error=a queue 0: AF_XDP socket: find room: cannot allocate memory: there is no room for the UMEM"
		if !strings.Contains(output, want) || !strings.Contains(output, "ulimit -v") {
			t.Errorf("the child said %s", output)
		}
	})
}

func TestPrivilege(t *testing.T) {
	for _, test := range []struct{ deed, want string }{
		{"memlock", "permission=false memory=true error=a queue 0: AF_XDP socket: "},
		{"raise", "permission=false memory=false error=<nil>"},
		{"unprivileged", "permission=true memory=false error=a queue 0: AF_XDP socket: "},
	} {
		forOpeners(t, func(t *testing.T, opener attach.Opener) {
			output, _ := newWire(t).startChild(test.deed, opener)
			t.Log(test.deed, output)
			if !strings.HasPrefix(output, test.want) {
				t.Errorf("%s: the child said %s", test.deed, output)
			}
		})
	}
}
