package netns_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	vns "github.com/vishvananda/netns"
	"golang.org/x/sys/unix"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
)

// pair is two namespaces joined by a veth with addresses.
func pair(t *testing.T) (a, b *netns.NS) {
	a, b = nstest.New(t, "a"), nstest.New(t, "b")
	must(t, netns.Veth(a, "left", b, "right", 1600))
	must(t, a.AddAddr("left", "10.9.0.1/24"))
	must(t, b.AddAddr("right", "10.9.0.2/24"))
	return a, b
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestVethCarriesBetweenNamespaces(t *testing.T) {
	a, b := pair(t)
	var server net.PacketConn
	must(t, b.Do(func() (err error) {
		server, err = net.ListenPacket("udp4", "10.9.0.2:7")
		return err
	}))
	defer server.Close()
	must(t, a.Do(func() error {
		c, err := net.Dial("udp4", "10.9.0.2:7")
		if err != nil {
			return err
		}
		defer c.Close()
		_, err = c.Write([]byte("hello"))
		return err
	}))
	must(t, server.SetReadDeadline(time.Now().Add(10*time.Second)))
	buf := make([]byte, 16)
	n, _, err := server.ReadFrom(buf)
	must(t, err)
	if string(buf[:n]) != "hello" {
		t.Fatalf("got %q", buf[:n])
	}
}

func TestVethIsUpSilentAndOfTheAskedMTU(t *testing.T) {
	a, b := pair(t)
	for _, end := range []struct {
		ns     *netns.NS
		ifname string
	}{{a, "left"}, {b, "right"}} {
		link, err := end.ns.Link(end.ifname)
		must(t, err)
		if link.MTU != 1600 || link.Flags&net.FlagUp == 0 {
			t.Errorf("%s: MTU %d, flags %v", end.ifname, link.MTU, link.Flags)
		}
		index, err := end.ns.Ifindex(end.ifname)
		must(t, err)
		if index != link.Index {
			t.Errorf("index %d and %d", index, link.Index)
		}
		must(t, end.ns.Do(func() error {
			off, err := os.ReadFile("/proc/sys/net/ipv6/conf/" + end.ifname + "/disable_ipv6")
			if err == nil && strings.TrimSpace(string(off)) != "1" {
				t.Errorf("%s: IPv6 is on", end.ifname)
			}
			return nil
		}))
	}
}

// A bridge joins no multicast group: a membership report is a frame that a test did not send.
func TestBridgeIsSilent(t *testing.T) {
	n, _ := pair(t)
	must(t, n.Bridge("br0", 0, "left"))
	must(t, n.Do(func() error {
		groups, err := os.ReadFile("/proc/thread-self/net/igmp")
		if err == nil && strings.Contains(string(groups), "6A0000E0") {
			t.Errorf("the bridge has joined 224.0.0.106:\n%s", groups)
		}
		return err
	}))
}

func TestLinkDownUpAndDelete(t *testing.T) {
	a, b := pair(t)
	must(t, a.SetLink("left", false))
	link, err := a.Link("left")
	must(t, err)
	if link.Flags&net.FlagUp != 0 {
		t.Error("still up")
	}
	must(t, a.SetLink("left", true))
	must(t, a.SetMTU("left", 1400))
	link, err = a.Link("left")
	must(t, err)
	if link.Flags&net.FlagUp == 0 || link.MTU != 1400 {
		t.Errorf("flags %v, MTU %d", link.Flags, link.MTU)
	}
	must(t, a.DeleteLink("left"))
	if _, err := b.Ifindex("right"); err == nil {
		t.Error("the other end is still there")
	}
	if err := a.DeleteLink("left"); err == nil || !strings.Contains(err.Error(), "left") {
		t.Errorf("deleting it again: %v", err)
	}
}

func TestDoComesBack(t *testing.T) {
	n := nstest.New(t, "do")
	before, err := vns.Get()
	must(t, err)
	defer before.Close()
	boom := errors.New("boom")
	if err := n.Do(func() error { return boom }); !errors.Is(err, boom) {
		t.Errorf("error of the function: %v", err)
	}
	must(t, n.Do(func() error {
		inside, err := vns.Get()
		if err != nil {
			return err
		}
		defer inside.Close()
		if inside.Equal(before) {
			return errors.New("not inside")
		}
		return nil
	}))
	for range 50 { // on whichever threads there are now
		done := make(chan error)
		go func() {
			here, err := vns.Get()
			if err == nil && !here.Equal(before) {
				err = errors.New("a thread stayed in the namespace")
			}
			here.Close()
			done <- err
		}()
		must(t, <-done)
	}
}

func TestStartRunsInsideAndCloseKills(t *testing.T) {
	n, err := netns.New("child")
	if errors.Is(err, netns.ErrPrivilege) {
		nstest.Missing(t, err.Error())
	}
	must(t, err)
	var out bytes.Buffer
	show := exec.CommandContext(context.Background(), "cat", "/proc/net/dev")
	show.Stdout = &out
	must(t, n.Run(show))
	if lines := strings.Count(out.String(), ":"); lines != 1 {
		t.Errorf("a fresh namespace has more than lo:\n%s", out.String())
	}
	sleeper := exec.Command("sleep", "600")
	must(t, n.Start(sleeper))
	must(t, n.Close())
	err = sleeper.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Errorf("the child ended with %v", err)
	}
}

func TestNameIsVisibleAndUnique(t *testing.T) {
	n := nstest.New(t, "once")
	if _, err := os.Stat("/run/netns/" + n.Name()); err != nil {
		t.Error(err)
	}
	if n.Path() != "/run/netns/"+n.Name() {
		t.Errorf("path %s", n.Path())
	}
	if again, err := netns.New("once"); err == nil {
		t.Error("the same name was given twice")
		must(t, again.Close())
	}
	if beside := nstest.New(t, "once"); beside.Name() != n.Name()+"2" {
		t.Errorf("the namespace of a test that runs beside is %s", beside.Name())
	}
}

// A namespace renamed to the ID of an ended process plays a crashed run.
func TestCleanStale(t *testing.T) {
	alive := nstest.New(t, "alive")
	ended := exec.Command("true")
	must(t, ended.Run())
	mounted := fmt.Sprintf("/run/netns/uelink-%d-mounted", ended.Process.Pid)
	bare := fmt.Sprintf("/run/netns/uelink-%d-bare", ended.Process.Pid)
	foreign := fmt.Sprintf("/run/netns/uelink-foreign-%d", os.Getpid())
	for _, path := range []string{mounted, bare, foreign} {
		must(t, os.WriteFile(path, nil, 0o444))
	}
	defer os.Remove(foreign)
	must(t, unix.Mount(alive.Path(), mounted, "bind", unix.MS_BIND, ""))
	must(t, netns.CleanStale())
	for path, stays := range map[string]bool{mounted: false, bare: false, foreign: true, alive.Path(): true} {
		if _, err := os.Stat(path); (err == nil) != stays {
			t.Errorf("%s: stays should be %v: %v", path, stays, err)
		}
	}
}

// TestNameCanBeRemovedAfterIPRoute2: `ip netns add` mounts over /run/netns unless
// that is a shared mount already; a name made before it must not get stuck.
func TestNameCanBeRemovedAfterIPRoute2(t *testing.T) {
	nstest.New(t, "root") // or skip
	if _, err := exec.LookPath("ip"); err != nil {
		nstest.Missing(t, "ip (Debian package iproute2: make deps)")
	}
	before, err := netns.New("before")
	must(t, err)
	name := before.Name() + "-ip"
	out, err := exec.Command("ip", "netns", "add", name).CombinedOutput()
	if err != nil {
		t.Fatalf("ip netns add: %v: %s", err, out)
	}
	must(t, before.Close())
	out, err = exec.Command("ip", "netns", "delete", name).CombinedOutput()
	if err != nil {
		t.Fatalf("ip netns delete: %v: %s", err, out)
	}
	if _, err := os.Stat(before.Path()); !os.IsNotExist(err) {
		t.Errorf("%s is still there (%v)", before.Path(), err)
	}
}

// All processes in a namespace end: those that listen by SIGTERM, others by SIGKILL; those elsewhere go on. Names of a
// process that has ended can be removed.
func TestEndProcesses(t *testing.T) {
	inside, elsewhere := nstest.New(t, "inside"), nstest.New(t, "elsewhere")
	start := func(n *netns.NS, line string) *exec.Cmd {
		cmd := exec.Command("sh", "-c", line)
		output, err := cmd.StdoutPipe()
		must(t, err)
		must(t, n.Start(cmd))
		t.Cleanup(func() { _ = cmd.Process.Kill() })
		_, err = output.Read(make([]byte, 3)) // its trap is there
		must(t, err)
		return cmd
	}
	polite := start(inside, "trap 'exit 7' TERM; echo up; while :; do sleep 0.01; done")
	deaf := start(inside, "trap '' TERM; echo up; while :; do sleep 0.01; done")
	other := start(elsewhere, "echo up; exec sleep 60")
	ended := make(chan error, 1)
	go func() {
		_ = polite.Wait() // a process that nobody waits for stays as a zombie, without a namespace
		ended <- deaf.Wait()
	}()
	must(t, netns.EndProcesses(500*time.Millisecond, inside.Path(), netns.Dir+"/none"))
	<-ended
	if polite.ProcessState.ExitCode() != 7 {
		t.Errorf("the polite process ended with %v", polite.ProcessState)
	}
	if deaf.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Errorf("the deaf process ended with %v", deaf.ProcessState)
	}
	if err := syscall.Kill(other.Process.Pid, 0); err != nil {
		t.Errorf("the process elsewhere: %v", err)
	}
	all, err := netns.FindByProcess(os.Getpid())
	if err != nil || len(all) < 2 {
		t.Errorf("the namespaces of this process: %v, %v", all, err)
	}
}
