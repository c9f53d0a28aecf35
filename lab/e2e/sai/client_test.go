package sai

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"uelink/lab/e2e/bed"
	"uelink/sai"
)

// compiled has the programs that were compiled, by source and flags.
var compiled = struct {
	sync.Mutex
	programs map[string]string
}{programs: map[string]string{}}

// compile builds libsai with flags of the compiler, and a program in C with it. It returns the program's path.
func compile(t *testing.T, source string, flags ...string) (program string) {
	t.Helper()
	bed.RequireProgram(t, "gcc", "gcc")
	compiled.Lock()
	defer compiled.Unlock()
	dir := filepath.Join(bed.Binaries, "libsai"+strings.Join(flags, ""))
	if compiled.programs[dir] == "" {
		library := exec.Command("make", "-s", "-C", "../../..", "sai-library", "SAI_OUT="+dir,
			"SAI_CFLAGS="+strings.Join(flags, " "))
		if out, err := library.CombinedOutput(); err != nil {
			t.Fatalf("make sai-library: %v\n%s", err, out)
		}
		compiled.programs[dir] = dir
	}
	program = filepath.Join(dir, strings.TrimSuffix(filepath.Base(source), ".c"))
	if compiled.programs[program] == "" {
		args := append([]string{"-std=gnu11", "-g", "-Wall", "-Wno-unused-parameter", "-Werror", "-I", "../../../sai/lib",
			"-o", program, source, "-L", dir, "-Wl,-rpath," + dir, "-lsai", "-lpthread"}, flags...)
		if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
			t.Fatalf("gcc %s: %v\n%s", source, err, out)
		}
		compiled.programs[program] = program
	}
	return program
}

// client is a process of testdata/driver.c.
type client struct {
	t       *testing.T
	process *os.Process
	in      io.WriteCloser
	answers chan []string
	notices chan string
	killed  bool
}

// attach starts a client of a daemon's socket.
func attach(t *testing.T, program string, d *bed.Daemon, environment ...string) *client {
	t.Helper()
	cmd := exec.Command(program)
	cmd.Env = append(append(os.Environ(), "SAI_UELINK_SOCKET="+d.Socket), environment...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	bed.Must(t, err)
	out, err := cmd.StdoutPipe()
	bed.Must(t, err)
	bed.Must(t, cmd.Start())
	c := &client{t: t, process: cmd.Process, in: in, answers: make(chan []string), notices: make(chan string, 1000)}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for s := bufio.NewScanner(out); s.Scan(); {
			if rest, ok := strings.CutPrefix(s.Text(), "notify "); ok {
				c.notices <- rest
				continue
			}
			c.answers <- strings.Fields(s.Text())
		}
	}()
	t.Cleanup(func() {
		in.Close()
		select {
		case <-ended:
		case <-time.After(bed.Patience):
			_ = cmd.Process.Kill()
		}
		if err := cmd.Wait(); err != nil && !c.killed {
			t.Errorf("%s: %v", program, err)
		}
	})
	return c
}

// kill ends the client without a call of the library.
func (c *client) kill() {
	c.t.Helper()
	c.killed = true
	bed.Must(c.t, c.process.Kill())
}

// detach ends the client by remove_switch.
func (c *client) detach() {
	c.t.Helper()
	bed.Must(c.t, c.in.Close())
}

// call carries out a line of the driver, and returns the status and what follows it.
func (c *client) call(format string, args ...any) (status int, rest []string) {
	c.t.Helper()
	c.begin(format, args...)
	return c.answer()
}

// begin tells the driver a line, whose answer is to be read.
func (c *client) begin(format string, args ...any) {
	c.t.Helper()
	_, err := fmt.Fprintf(c.in, format+"\n", args...)
	bed.Must(c.t, err)
}

// answer returns the status of the line that begin has told, and what follows it.
func (c *client) answer() (status int, rest []string) {
	c.t.Helper()
	select {
	case words := <-c.answers:
		status, err := strconv.Atoi(words[0])
		bed.Must(c.t, err)
		return status, words[1:]
	case <-time.After(bed.Patience):
		c.t.Fatal("a call has no answer")
		return 0, nil
	}
}

// must is call for a call that succeeds.
func (c *client) must(format string, args ...any) []string {
	c.t.Helper()
	status, rest := c.call(format, args...)
	if status != 0 {
		c.t.Fatalf("%s: status %d", fmt.Sprintf(format, args...), status)
	}
	return rest
}

// refused demands a status of a call.
func (c *client) refused(want int, format string, args ...any) {
	c.t.Helper()
	if status, _ := c.call(format, args...); status != want {
		c.t.Errorf("%s: status %d, want %d", fmt.Sprintf(format, args...), status, want)
	}
}

// create makes an object, and returns its id.
func (c *client) create(of sai.ObjectType, attributes ...string) string {
	c.t.Helper()
	return c.must("create %d %s", of, strings.Join(attributes, " "))[0]
}

// get returns an attribute, in the words of the driver.
func (c *client) get(oid string, id uint32, kind sai.Kind) string {
	c.t.Helper()
	return strings.Join(c.must("get %s %d=%s", oid, id, kind), " ")
}

// becomes waits until an attribute has a value.
func (c *client) becomes(oid string, id uint32, kind sai.Kind, want string) {
	c.t.Helper()
	bed.Eventually(c.t, fmt.Sprintf("attribute 0x%x of %s is %s", id, oid, want), func() string {
		if got := c.get(oid, id, kind); got != want {
			return "it is " + got
		}
		return ""
	})
}

// stats returns statistics of an object.
func (c *client) stats(mode sai.StatModes, oid string, ids ...int) (values []uint64) {
	c.t.Helper()
	for _, word := range c.must("stats %s %d %s", oid, mode, strings.Trim(fmt.Sprint(ids), "[]")) {
		n, err := strconv.ParseUint(word, 10, 64)
		bed.Must(c.t, err)
		values = append(values, n)
	}
	return values
}

// notified waits for a notification.
func (c *client) notified(want string) {
	c.t.Helper()
	for late := time.After(bed.Patience); ; {
		select {
		case got := <-c.notices:
			if got == want {
				return
			}
		case <-late:
			c.t.Fatalf("no notification %q", want)
		}
	}
}

// link returns the object of link0, whose lane is 0.
func (c *client) link() string {
	c.t.Helper()
	return c.must("get 0x%x 2=objlist", uint64(sai.SwitchOID))[0]
}

// Numbers of the port's attributes that several tests use.
const (
	llrLocal   = 0xc0
	llrRemote  = 0xc1
	llrProfile = 0xc2
	llrTx      = 0xc3
	llrRx      = 0xc4
	portError  = 0xb4
)

// enable attaches an LLR profile and switches both modes on.
func (c *client) enable(profile string) {
	c.t.Helper()
	c.must("set %s %d=oid:%s", c.link(), llrProfile, profile)
	c.must("set %s %d=bool:1", c.link(), llrLocal)
	c.must("set %s %d=bool:1", c.link(), llrRemote)
}
