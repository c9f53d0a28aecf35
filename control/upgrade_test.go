package control_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/zap"

	"uelink/client"
	"uelink/control"
	"uelink/control/api"
	"uelink/control/controltest"
	"uelink/internal/netns/nstest"
)

// recorded notes what it is asked for.
type recorded struct {
	asked []api.Upgrade
	fails error
}

func (r *recorded) Upgrade(u api.Upgrade) (api.Upgraded, error) {
	r.asked = append(r.asked, u)
	return api.Upgraded{New: api.RunningProgram{Version: "2", PID: 7}, Changed: true}, r.fails
}

func TestUpgradeReachesTheDaemon(t *testing.T) {
	d := start(t, controltest.Ports())
	err := d.client.Upgrade(t.Context(), api.Upgrade{})
	if err == nil || !strings.Contains(err.Error(), "this daemon cannot hand over") {
		t.Errorf("a daemon that cannot: %v", err)
	}
	r := &recorded{}
	d.server.SetUpgrader(r)
	if err := d.client.Upgrade(t.Context(), api.Upgrade{Binary: "/b", Config: "/c"}); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("user %d, process %d", os.Geteuid(), os.Getpid())
	if len(r.asked) != 1 || r.asked[0].Binary != "/b" || r.asked[0].Config != "/c" || r.asked[0].By != want {
		t.Errorf("%+v", r.asked)
	}
	done, err := d.client.HandOver(t.Context(), api.Upgrade{Check: true})
	if err != nil || done.New.Version != "2" || done.New.PID != 7 || !done.Changed || !r.asked[1].Check {
		t.Errorf("%+v, %v", done, err)
	}
	for _, u := range []api.Upgrade{{Binary: "./b"}, {Config: "c"}} {
		err := d.client.Upgrade(t.Context(), u)
		if err == nil || !strings.Contains(err.Error(), "give an absolute path") || len(r.asked) != 2 {
			t.Errorf("%+v: %v", u, err)
		}
	}
	r.fails = errors.New("the successor has no configuration")
	err = d.client.Upgrade(t.Context(), api.Upgrade{})
	if err == nil || !strings.Contains(err.Error(), r.fails.Error()) {
		t.Errorf("%v", err)
	}
}

// A client waits until the process that has taken over says what became of the changed file.
func TestOutcomeOfAReload(t *testing.T) {
	d := start(t, controltest.Ports())
	status, err := d.client.Status(t.Context())
	if err != nil || status.LastReload != nil {
		t.Fatalf("%+v, %v", status, err)
	}
	want := api.Reload{Time: time.Unix(1, 0).UTC(), Errors: []string{"no such key"}, NextStart: []string{}}
	d.server.Reloaded(want)
	got, err := d.client.Reloaded(t.Context(), status.PID)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.client.Reloaded(ended, status.PID+1); err == nil || !strings.Contains(err.Error(), "does not say") {
		t.Errorf("of another process: %v", err)
	}
}

// askedBy is the environment variable with the socket that this program asks in the place of its tests: as another
// user, for TestOthersMayNotNameAProgram.
const askedBy = "UELINK_TEST_SOCKET"

// askToUpgrade asks a daemon to upgrade, with and without names, and prints the answers.
func askToUpgrade(socket string) {
	c := client.NewClient(socket)
	defer c.Close()
	for _, u := range []api.Upgrade{{}, {Check: true}, {Binary: "/b"}, {Config: "/c"}} {
		fmt.Printf("%+v: %v\n", u, c.Upgrade(context.Background(), u))
	}
}

// Who may write to the socket may upgrade to the daemon's own program, and to no other.
func TestOthersMayNotNameAProgram(t *testing.T) {
	if os.Geteuid() != 0 {
		nstest.Missing(t, "root, to become another user")
	}
	dir, err := os.MkdirTemp("/tmp", "uelink-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	program := filepath.Join(dir, "control.test")
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Chmod(dir, 0o755), os.WriteFile(program, self, 0o755)); err != nil {
		t.Fatal(err)
	}
	r := &recorded{}
	s := control.NewServer(controltest.New(nil, nil), &controltest.LLDP{}, zap.NewNop(), zap.NewAtomicLevel(),
		api.Status{})
	s.SetUpgrader(r)
	l, err := net.Listen("unix", filepath.Join(dir, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(l.Addr().String(), 0o666); err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	cmd := exec.Command(program)
	cmd.Dir, cmd.Env = "/", []string{askedBy + "=" + l.Addr().String()}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	if err := errors.Join(err, s.Shutdown(t.Context()), <-served); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if len(r.asked) != 2 || !strings.HasPrefix(r.asked[0].By, "user 65534,") ||
		strings.Count(string(out), "only root and the daemon's own user may name another program") != 2 {
		t.Errorf("asked %+v\n%s", r.asked, out)
	}
}
