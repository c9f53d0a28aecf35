package table

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// A terminal reports its width; a file and a pipe are of any width.
func TestWidth(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("missing a feature of the kernel, pseudo-terminals: ", err)
	}
	defer terminal.Close()
	for columns, want := range map[uint16]int{80: 80, 200: 200, narrowest: narrowest, narrowest - 1: 0, 0: 0} {
		size := &unix.Winsize{Row: 24, Col: columns}
		if err := unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, size); err != nil {
			t.Fatal(err)
		}
		if got := Width(terminal); got != want {
			t.Errorf("a terminal of %d columns: %d, want %d", columns, got, want)
		}
		if got := Width(behind{file: terminal}); got != want {
			t.Errorf("in front of a terminal of %d columns: %d, want %d", columns, got, want)
		}
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	defer writer.Close()
	if got := Width(writer); got != 0 {
		t.Errorf("a pipe: %d", got)
	}
	if got := Width(&strings.Builder{}); got != 0 {
		t.Errorf("no file: %d", got)
	}
}

// behind is a writer in front of a file.
type behind struct {
	io.Writer
	file *os.File
}

func (b behind) File() *os.File { return b.file }

// A terminal is one behind another writer, too.
func TestIsTerminal(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("missing a feature of the kernel, pseudo-terminals: ", err)
	}
	defer terminal.Close()
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for w, want := range map[io.Writer]bool{
		terminal: true, behind{file: terminal}: true, file: false, behind{file: file}: false, &strings.Builder{}: false,
		behind{}: false,
	} {
		if IsTerminal(w) != want {
			t.Errorf("%T: %v", w, !want)
		}
	}
}

// Write returns the error of the writer.
func TestWriteFails(t *testing.T) {
	closed, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	if err := ports().Write(closed); err == nil {
		t.Error(fmt.Errorf("written to a file that is closed"))
	}
}

// asBackground is the environment variable that makes TestInBackground report, by its exit code, whether it is in the
// background of its standard error: 0 no, 1 yes.
const asBackground = "UELINK_TEST_BACKGROUND"

// A process is in the background of its controlling terminal if another process group is in the foreground there.
func TestInBackground(t *testing.T) {
	switch os.Getenv(asBackground) {
	case "foreground": // this process leads the session; its child is in another process group
		if InBackground(os.Stderr) {
			os.Exit(2)
		}
		child := exec.Command(os.Args[0], "-test.run=TestInBackground$")
		child.Env, child.Stderr = append(os.Environ(), asBackground+"=background"), os.Stderr
		child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := child.Run(); err != nil {
			os.Exit(3)
		}
		os.Exit(0)
	case "background":
		if !InBackground(os.Stderr) {
			os.Exit(1)
		}
		os.Exit(0)
	}
	if InBackground(&strings.Builder{}) {
		t.Error("no file has no background")
	}
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("missing a feature of the kernel, pseudo-terminals: ", err)
	}
	defer terminal.Close()
	number, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(terminal.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	other, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("missing a feature of the kernel, pseudo-terminals: ", err)
	}
	defer other.Close()
	leader := exec.Command(os.Args[0], "-test.run=TestInBackground$")
	leader.Env, leader.Stdin, leader.Stderr = append(os.Environ(), asBackground+"=foreground"), other, other
	leader.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := leader.Run(); err != nil {
		t.Errorf("%v: 2: the leader is in the background, 3: its child is not", err)
	}
}
