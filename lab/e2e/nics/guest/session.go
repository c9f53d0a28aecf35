package guest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// scripts are the scripts of a guest, by name.
var scripts = map[string]func(*session) error{
	"faults":    (*session).faults,
	"plain":     (*session).plain,
	"near":      (*session).near,
	"far":       (*session).far,
	"inuse":     (*session).inUse,
	"client":    (*session).client,
	"server":    (*session).server,
	vethScript:  (*session).veth,
	superScript: (*session).super,
}

// session is a running script and its line to the host.
type session struct {
	task Task
	in   *bufio.Reader
	out  *json.Encoder
}

// open opens the serial line to the host, reports to the host that the guest is ready, and reads the guest's task.
func open(port string) (*session, error) {
	f, err := os.OpenFile(port, os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	t, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	if err != nil {
		return nil, err
	}
	t.Iflag, t.Oflag, t.Lflag = 0, 0, 0
	if err := unix.IoctlSetTermios(int(f.Fd()), unix.TCSETS, t); err != nil {
		return nil, err
	}
	s := &session{in: bufio.NewReader(f), out: json.NewEncoder(f)}
	s.send(Message{Ready: true})
	return s, s.receive(&s.task)
}

// receive waits for the host's next line, a JSON object, and decodes it into v.
func (s *session) receive(v any) error {
	line, err := s.in.ReadBytes('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(line, v)
}

// send sends a message to the host. An error is only printed on the console, because the host cannot be told.
func (s *session) send(m Message) {
	if err := s.out.Encode(m); err != nil {
		fmt.Fprintln(os.Stderr, "guest: write to the serial port of the host:", err)
	}
}

// ask asks the host for an action on a NIC of this guest (verb: cable out, unplug and so on), waits until it is done,
// and returns its error.
func (s *session) ask(verb, nic string) error {
	s.send(Message{Ask: &Ask{verb, nic}})
	var r Reply
	if err := s.receive(&r); err != nil {
		return err
	}
	if r.Error != "" {
		return errors.New(r.Error)
	}
	return nil
}

// run carries out the task: it loads the kernel modules, sends the output of `uelink doctor` for a NIC if the script
// uses NICs, and runs the task's script.
func (s *session) run() error {
	for _, m := range s.task.Modules {
		if err := insert(m); err != nil {
			return err
		}
	}
	script, found := scripts[s.task.Script]
	if !found {
		return fmt.Errorf("there is no script %q", s.task.Script)
	}
	if s.task.Script != vethScript && s.task.Script != superScript {
		if err := s.doctor(); err != nil {
			return err
		}
	}
	return script(s)
}

// end tells the host that the script has ended with err, and waits until the host ends the machine. If the guest ended
// the machine, its NICs would vanish while the host may still ask the wires for counters.
func (s *session) end(err error) error {
	m := Message{Done: true, Took: uptime()}
	if err != nil {
		m.Error = err.Error()
	}
	s.send(m)
	_ = s.receive(&Reply{}) // waits: the host sends no more messages, and ends the machine
	return err
}

// uptime returns the seconds since the start of the kernel.
func uptime() float64 {
	text, _ := os.ReadFile("/proc/uptime")
	first, _, _ := strings.Cut(string(text), " ")
	seconds, _ := strconv.ParseFloat(first, 64)
	return seconds
}

// within waits until check returns "", at most for bound; event names the wait in the error.
func within(bound time.Duration, event string, check func() (problem string)) error {
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		problem := check()
		if problem == "" {
			return nil
		}
		if time.Since(began) > bound {
			return fmt.Errorf("%s: not within %v: %s", event, bound, problem)
		}
	}
}
