package topology

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"uelink/cbfc"
	"uelink/client"
	"uelink/control/api"
	"uelink/dataplane/model"
	"uelink/lab/rig"
)

// station is a running daemon.
type station struct {
	name   string
	daemon *rig.Daemon
}

// start writes the configuration of a station and starts its daemon, with all its files in the directory of the lab.
func (l *Lab) start(s *Station, p Programs) error {
	dir := filepath.Join(l.dir, s.Name)
	d := &rig.Daemon{Config: filepath.Join(dir, "uelink.yaml"), Socket: filepath.Join(dir, "api"),
		State: filepath.Join(dir, "state"), Run: filepath.Join(dir, "run")}
	config := l.document.configure(s, d.Socket)
	text, err := config.text()
	if err != nil {
		return fmt.Errorf("configuration of station %s: %w", s.Name, err)
	}
	if err := os.MkdirAll(d.Run, 0o700); err != nil {
		return fmt.Errorf("directory of station %s: %w", s.Name, err)
	}
	if err := d.Write(string(text)); err != nil {
		return err
	}
	d.Client = client.NewClient(d.Socket)
	if err := d.Start(l.spaces[s.Name], "uelinkd at "+s.Name, d.Command(p.Daemon)); err != nil {
		d.Client.Close()
		return err
	}
	l.stations = append(l.stations, &station{s.Name, d})
	return nil
}

// apart returns the command of a program in a process group of its own, so that Ctrl-C reaches only the lab, which
// then ends the program.
func apart(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// Up is the State of a station all of whose ports carry frames.
const Up = "up"

// State asks a daemon and returns Up if all its ports carry frames; else in words which do not.
func State(ctx context.Context, c *client.Client) string {
	ports, err := c.Ports(ctx)
	if err != nil {
		return err.Error()
	}
	var down []string
	for _, p := range ports {
		if state := portState(p); state != Up {
			down = append(down, p.Name+" "+state)
		}
	}
	if len(down) > 0 {
		return strings.Join(down, ", ")
	}
	return Up
}

// portState returns Up if a port carries frames: a link under LLR both ways, with credits on each channel that needs
// some; else in words why not.
func portState(p api.Port) string {
	switch {
	case p.OperStatus != api.OperUp:
		return p.OperStatus
	case p.HIPPI != nil && !p.HIPPI.Ready:
		return "in state " + p.HIPPI.LinkState
	case p.HIPPI == nil && p.LLR != nil && p.LLR.Mode != model.LLROff && !p.LLR.Established():
		return fmt.Sprintf("LLR %s and %s %s", p.LLR.TxStatus, p.LLR.RxStatus, p.LLR.PartnerProblem)
	case p.CBFC != nil:
		for _, vc := range p.CBFC.VCs {
			if vc.Lossless && vc.Phase != cbfc.Lossless.String() {
				return fmt.Sprintf("VC %d %s", vc.VC, vc.Phase)
			}
		}
	}
	return Up
}
