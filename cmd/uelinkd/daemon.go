package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"uelink/config"
	"uelink/control"
	"uelink/control/api"
	"uelink/control/web"
	"uelink/dataplane"
	"uelink/dataplane/model"
	"uelink/dataplane/path"
	"uelink/lldp/dcbnl"
	"uelink/lldp/station"
	"uelink/lldp/ue"
	"uelink/sai/store"
)

// frames is the part of dataplane.Dataplane that the daemon uses.
type frames interface {
	control.Backend
	Run(ctx context.Context) error
	Leave()
	Drain() bool
	Withdraw()
	Close() error
	Reload(s dataplane.Settings) error
	SetNegotiated(port string, n path.Negotiated) error
	SetDCB(port string, b model.DCB) error
	BesideNamespaces() (ports []string)
	Keep() dataplane.Unkept
	HandOver() (*dataplane.Handover, error)
	Stop() (state []byte, err error)
	Restore(state []byte) error
	Resume()
	Untouched() bool
	Publish(port, kind, text string)
	Missed(subscriber <-chan model.Event) uint64
}

// opener attaches the interfaces: dataplane.Open.
type opener func(dataplane.Settings, dataplane.Home, *zap.Logger) (frames, error)

// openers make the parts of a daemon that touch the host.
type openers struct {
	frames opener
	lldp   discoverer
	drop   dropper

	// takeFrames makes the data plane of a successor out of the interfaces of another process: dataplane.TakeOver.
	takeFrames func(dataplane.Settings, dataplane.Home, *dataplane.Handover, *zap.Logger) (frames, error)
}

// daemon is a run of uelinkd.
type daemon struct {
	program string // path by which the process was started
	file    string
	files   readFiles
	confirm *confirmation
	config  *config.Config
	before  *configuration // state before the reloads that wait for confirmation; nil: no such reload
	logs    logs
	log     *zap.Logger // logs.sampled
	notify  notifier

	frames   frames
	lldp     discovery
	api      net.Listener
	objects  *store.Store
	journal  *journal
	observed *observer
	atStart  atStart
	begun    counted // this start of the process, as counted in the file of starts by systemd
	untaken  atomic.Pointer[untaken]
	control  *control.Server
	upgrades upgrader
	turns    turns
	agreed   agreements
	former   succession
	http     httpServers
	failed   chan error // errors of parts that must not end; the channel has room for one of each part
}

// agreements are what LLDP has agreed on with the partners and hosts of ports, and the NICs that carry it out.
type agreements struct {
	negotiated *results[ue.Result]
	exchanged  *results[station.DCB]
	nic        *dcbnl.Recorder
}

// succession is how a daemon has taken over from a former process; the zero value: it has not.
type succession struct {
	process  *former
	cause    string         // of the handover, in words
	passed   chan os.Signal // signals passed on by the former process
	passedOn bool           // the daemon ends by a passed signal
}

// httpServers are the servers of metrics and page; nil = off.
type httpServers struct {
	metrics *http.Server
	scrapes *lateListener // of metrics
	web     *web.Server
	pages   *lateListener  // of web
	running sync.WaitGroup // of these servers, and of the API
}

// configuration is a configuration with its text.
type configuration struct {
	config *config.Config
	files  filed
}

// run opens sockets and interfaces, serves until a signal or a failure, and closes everything. The sockets come first:
// a second daemon is refused before it touches an interface. A signal that comes while run waits for the control socket
// ends run without an error.
func (d *daemon) run(signals <-chan os.Signal, open openers) (err error) {
	d.api, err = d.listen(signals)
	if err != nil || d.api == nil {
		return err
	}
	if err := errors.Join(d.listenMetrics(nil), d.listenWeb(nil)); err != nil {
		return errors.Join(err, d.closeListeners())
	}
	if d.frames, err = open.frames(d.config.Settings, d.home(), d.log.Named("dataplane")); err != nil {
		return errors.Join(err, d.closeListeners())
	}
	defer func() { err = errors.Join(err, d.frames.Close()) }()
	d.newResults()
	d.agreed.nic = newRecorder(d.log.Named("dcbnl"))
	putBackNICs(d.agreed.nic, d.config.LLDP.Ports)
	if d.lldp, err = open.lldp(d.agents(d.config), d.log.Named("lldp")); err != nil {
		d.frames.Withdraw() // a start that fails leaves nothing
		return errors.Join(err, d.closeListeners())
	}
	defer func() { err = errors.Join(err, d.lldp.Close()) }()

	d.newJournal(startEvents(d.frames, d.lldp))
	d.restrict(open.drop)
	d.confirm.begin(d.log, "the daemon undoes its start and ends") // before a client can confirm
	stopRun := d.start(d.api)
	d.ready()
	return d.serveUntilEnd(signals, stopRun)
}

// home returns the paths of the configuration file and of the state folder.
func (d *daemon) home() dataplane.Home { return dataplane.Home{Config: d.file, State: stateFolder()} }

// closeListeners closes the listeners of API, metrics and page, before their servers were started.
func (d *daemon) closeListeners() error {
	return errors.Join(d.api.Close(), d.http.scrapes.Close(), d.http.pages.Close())
}

// newResults creates the two queues by which results of LLDP reach the data plane, for the UE negotiation and for DCBX.
func (d *daemon) newResults() {
	d.agreed.negotiated, d.agreed.exchanged = newResults[ue.Result](), newResults[station.DCB]()
}

// newJournal creates the daemon's journal, which writes events to log and disk. past are events from before its
// creation, which are written first.
func (d *daemon) newJournal(past []api.Event) {
	d.journal = newJournal(d.logs, eventsFile(d.config.Control.Socket), d.frames, d.lldp, past)
}

// agents returns the configuration of the LLDP agents, taken from the daemon's configuration c.
func (d *daemon) agents(c *config.Config) station.Config {
	return station.Config{
		System: c.LLDP.System, Ports: c.LLDP.Ports, Negotiated: d.agreed.negotiated.put, DCB: d.agreed.exchanged.put, NIC: d.agreed.nic,
	}
}

// start starts the API on the listener, the metrics, the page, LLDP and the data plane, each in its own goroutine. The
// returned function stops LLDP and the data plane, and waits for both.
func (d *daemon) start(l net.Listener) (stopRun func() error) {
	d.failed = make(chan error, 5)
	status := api.Status{
		Version: api.Version(), PID: os.Getpid(), Started: time.Now(), Config: d.file,
	}
	if d.objects == nil { // else the former process has handed its objects over
		d.objects = store.New(offering{d.frames, d.lldp}, d.config.Settings, d.log.Named("sai"))
	}
	d.permit(d.config)
	d.control = control.NewServer(offering{d.frames, d.lldp}, d.lldp, d.log.Named("control"), d.logs.level, status)
	d.control.AwaitConfirmation(d.confirm)
	d.atStart.begun = d.config
	d.upgrades = newUpgrader()
	d.control.SetUpgrader(d.upgrades)
	d.turns = newTurns()
	portChanger{d}.sweep()
	d.control.SetReloader(d)
	d.control.SetPortChanger(portChanger{d})
	d.control.SetLabels(d.config.Labels)
	d.control.OfferSAI(d.objects)
	d.control.SetHistory(d.journal)
	d.control.SetConfigured(d)
	d.control.SetCondition(d.condition)
	d.observed = newObserver(d.config.Control.Socket)
	d.control.SetOnsets(&d.observed.onsets)
	d.journal.start()
	d.http.running.Go(func() { d.failed <- d.control.Serve(l) })
	d.startMetrics()
	d.startWeb()
	ctx, cancel := context.WithCancel(context.Background())
	var lldp sync.WaitGroup
	lldp.Go(func() { d.agreed.negotiated.run(ctx, negotiated(d.frames), d.log) })
	lldp.Go(func() { d.agreed.exchanged.run(ctx, exchanged(d.frames), d.log) })
	events, end := d.frames.Subscribe() // before the data plane runs: no restart of a partner is missed
	lldp.Go(func() {
		defer end()
		greet(ctx, events, d.lldp)
	})
	lldp.Go(func() {
		if err := d.lldp.Run(ctx); err != nil {
			d.failed <- err
		}
	})
	lldp.Go(func() { d.observe(ctx) })
	ran := make(chan error, 1)
	go func() { ran <- d.runFrames(ctx) }()
	return func() error {
		cancel()
		lldp.Wait()
		return <-ran
	}
}

// runFrames runs the data plane until ctx ends. If the data plane ends earlier, its error goes to the channel failed
// and is not returned.
func (d *daemon) runFrames(ctx context.Context) error {
	err := d.frames.Run(ctx)
	if ctx.Err() != nil {
		return err
	}
	if err == nil {
		err = errors.New("data plane ended by itself")
	}
	d.failed <- err
	return nil
}
