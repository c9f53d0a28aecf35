package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"uelink/control/controltest"
	"uelink/internal/programtest"
)

// A watch whose reader stands still ends at a signal.
func TestWatchEndsWhileItsReaderStandsStill(t *testing.T) {
	b, socket := startDaemon(t, controltest.Ports())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	reader, writer := io.Pipe() // takes nothing unless it is read
	defer reader.Close()
	code := make(chan int, 1)
	go func() { code <- run(ctx, []string{"--socket", socket, "watch"}, writer, io.Discard) }()
	watching(t, b)
	b.Emit(happened(), time.Second)
	if _, err := reader.Read(make([]byte, 1)); err != nil { // the rest of the line waits
		t.Fatal(err)
	}
	cancel() // as Ctrl-C does
	select {
	case c := <-code:
		if c != 0 {
			t.Errorf("exit %d", c)
		}
	case <-time.After(20 * time.Second):
		t.Error("it does not end")
	}
}

func TestToolWithoutReaders(t *testing.T) {
	tool := programtest.Path(t, "uelink")
	t.Run("of standard output", func(t *testing.T) { watchWithoutReader(t, tool) })
	t.Run("of standard error", func(t *testing.T) { failWithoutReader(t, tool) })
}

// A watch whose reader has gone ends without a message, as by SIGPIPE.
func watchWithoutReader(t *testing.T, tool string) {
	b, socket := startDaemon(t, controltest.Ports())
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, tool, "--socket", socket, "watch")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	watching(t, b)
	b.Emit(happened(), time.Second)
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Error(err)
	}
	out.Close()
	another := happened()
	another.Text = "ADVANCE"
	b.Emit(another, time.Second)
	_ = cmd.Wait() // the state has the code
	if code := cmd.ProcessState.ExitCode(); code != exitNoReader || stderr.Len() > 0 {
		t.Errorf("%v, %q", cmd.ProcessState, &stderr)
	}
}

// A command whose standard error has no reader ends as it does with one.
func failWithoutReader(t *testing.T, tool string) {
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	reader.Close()
	cmd := exec.Command(tool, "cable", "none1", "none1")
	cmd.Stderr = writer
	_ = cmd.Run() // the state has the code
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.ExitStatus() != exitUsage {
		t.Error(cmd.ProcessState)
	}
}
