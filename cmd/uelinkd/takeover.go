package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"uelink/config"
	"uelink/control"
	"uelink/control/api"
	"uelink/dataplane"
	"uelink/dataplane/model"
	"uelink/internal/spool"
	"uelink/sai/store"
)

// Bounds of the wait for signals that the other process passes on, and of their number.
const (
	passTimeout = 2 * stopTimeout // longer than stopTimeout: the other process first ends its servers
	passedMax   = 4
)

// takeOver runs this process as the successor of another daemon process, receives the state of that process, and
// returns the exit code. Until the other process has handed over, the successor changes nothing; after an error before
// that, the successor only ends.
func takeOver(f flags, stderr *spool.Spool, signals <-chan os.Signal, open openers) int {
	_ = unix.Close(binaryFD)
	unix.CloseOnExec(relayFD)
	r, err := relayOf(os.NewFile(relayFD, "relay"))
	if err != nil {
		fmt.Fprintf(stderr, "uelinkd: --takeover is only for a process that uelink upgrade starts: %v\n", err)
		return exitUsage
	}
	defer r.close()
	d, err := succeed(f, r, stderr, open)
	if err != nil {
		_ = r.send(message{Error: err.Error()})
		return exitCode(err)
	}
	err = d.goOn(r, signals, open)
	startsOf(d.config.Control.Socket).ended(exitCode(err))
	for _, line := range lines(err) {
		d.log.Error(line)
	}
	return exitCode(err)
}

// succeed receives interfaces, listeners and state of another daemon process over the relay, and returns a daemon with
// them. The daemon moves no frame and serves no request yet.
func succeed(f flags, r *relay, stderr *spool.Spool, open openers) (*daemon, error) {
	if _, _, err := loadTexts(f.config); err != nil {
		return nil, err
	}
	if err := r.send(message{Word: wordReady, Version: api.Version(), Handover: handoverVersion}); err != nil {
		return nil, err
	}
	m, err := r.expect(wordOffer, startTimeout)
	if err != nil {
		return nil, err
	}
	if err := sameHandover(m); err != nil {
		return nil, err
	}
	before, err := newFormer(r)
	if err != nil {
		return nil, err
	}
	program, err := programPath(os.Args[0])
	if err != nil {
		return nil, err
	}
	cfg, err := config.Parse(f.config, []byte(m.Text))
	if err != nil {
		return nil, fmt.Errorf("the configuration in force is not one of this version: %w", err)
	}
	runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), cfg.Settings.Workers+spareThreads))
	l := newLogs(cfg.Log, stderr)
	d := &daemon{
		program: program, file: f.config, confirm: newConfirmation(time.Duration(m.Confirm)), config: cfg, logs: l,
		log: l.sampled, notify: notifier{os.Getenv("NOTIFY_SOCKET")},
		former: succession{process: before, cause: m.Cause, passed: make(chan os.Signal, passedMax)},
	}
	d.files.set(filed{config.Texts{File: f.config, Main: []byte(m.Text)}, m.Text})
	if err := d.adopt(m, open); err != nil {
		return nil, err
	}
	if err := r.send(message{Word: wordMapped}); err != nil {
		return nil, err
	}
	if m, err = r.expect(wordState, startTimeout); err != nil {
		return nil, err
	}
	return d, d.adoptState(m)
}

// adopt creates API socket, metrics, page, SAI objects, data plane and LLDP of a successor from message m, the offer
// and file descriptors of another daemon process, which goes on meanwhile.
func (d *daemon) adopt(m message, open openers) (err error) {
	if min(m.API, m.Metrics, m.Web) < 0 || m.API+m.Metrics+m.Web > len(m.fds) {
		return errors.New("descriptors are missing")
	}
	if d.api, err = control.Adopt(socketOf(d.config), m.fds[:m.API]); err != nil {
		return err
	}
	var scrapes net.Listener
	if m.Metrics > 0 {
		if scrapes, err = net.FileListener(os.NewFile(uintptr(m.fds[m.API]), "metrics")); err != nil {
			return fmt.Errorf("the address of the metrics: %w", err)
		}
	}
	if err = d.listenMetrics(scrapes); err != nil {
		return err
	}
	rest := m.fds[m.API+m.Metrics:]
	if err = d.adoptWeb(rest[:m.Web]); err != nil {
		return err
	}
	h := &dataplane.Handover{Ports: m.Ports, FDs: rest[m.Web:]}
	if d.objects, err = store.Restore(m.SAI, d.config.Settings, d.log.Named("sai")); err != nil {
		return err
	}
	if d.frames, err = open.takeFrames(d.objects.Settings(), d.home(), h, d.log.Named("dataplane")); err != nil {
		return err
	}
	d.newResults()
	d.agreed.nic = newRecorder(d.log.Named("dcbnl"))
	if d.lldp, err = open.lldp(d.agents(d.config), d.log.Named("lldp")); err != nil {
		return err
	}
	d.objects.Attach(offering{d.frames, d.lldp})
	return nil
}

// adoptState sets the state of data plane and LLDP to the state of the other process, which has stopped, and creates
// the journal. The other process writes its own events.
func (d *daemon) adoptState(m message) error {
	own := startEvents(d.frames, d.lldp)
	if err := d.frames.Restore(m.State); err != nil {
		return err
	}
	if err := d.lldp.Restore(m.LLDP); err != nil {
		return err
	}
	d.newJournal(among(own, startEvents(d.frames, d.lldp)))
	return nil
}

// goOn runs this process, the successor, until a signal ends the daemon. It begins when the other process sends "go",
// or has ended: the end means the same, because a process that does not hand over kills its successor before it closes
// the relay. A configuration file that has changed since the other process read it is reloaded at once.
func (d *daemon) goOn(r *relay, signals <-chan os.Signal, open openers) (err error) {
	err = r.send(message{Word: wordAdopted})
	if err == nil {
		_, err = r.expect(wordGo, handOverTimeout)
	}
	alone := isEnd(err)
	if err != nil && !alone {
		return err
	}
	d.frames.Resume()
	defer func() { err = errors.Join(err, d.frames.Close()) }()
	defer func() { err = errors.Join(err, d.lldp.Close()) }()
	d.restrict(open.drop)
	stopRun := d.start(d.api)
	if err := r.send(message{Word: wordRunning}); err != nil {
		alone = true
	}
	if alone {
		d.log.Warn("the former process has ended after the handover")
	}
	go func() {
		d.receivePassed(r)
		d.former.process.watch()
	}()
	d.frames.Publish("", model.EventUpgrade, fmt.Sprintf("uelinkd %s, process %d, has taken over: %s", api.Version(),
		os.Getpid(), d.former.cause))
	if texts, text, err := loadTexts(d.file); err == nil && string(text) == d.files.String() {
		d.files.set(filed{texts, string(text)})
	} else if err == nil {
		d.reload()
	}
	return d.serveUntilEnd(signals, stopRun)
}

// isEnd reports whether err, an error of reading or writing the relay, means that the process at the other end has
// ended.
func isEnd(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, unix.EPIPE) || errors.Is(err, unix.ECONNRESET)
}

// receivePassed receives the signals that the previous daemon process passes on over the relay, until that process
// ends.
func (d *daemon) receivePassed(r *relay) {
	for range passedMax {
		m, err := r.expect(wordSignal, passTimeout)
		if err != nil {
			return
		}
		d.former.passed <- syscall.Signal(m.Signal)
	}
}
