package session

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.uber.org/zap"

	"uelink/client"
	"uelink/sai"
	"uelink/sonic"
)

// The times of a session.
const (
	// retry is the time until Redis, or the daemon, is tried again.
	retry = 500 * time.Millisecond

	// resync is the time between two passes without an event. It bounds the delay of changes without an event.
	resync = time.Second

	// farewell bounds the removal of all rows at the end.
	farewell = 3 * time.Second
)

// Session joins a daemon to SONiC's Redis.
type Session struct {
	machine *sonic.Machine
	redis   sonic.Redis
	daemon  daemon
	own     bool // rows of other processes are overwritten
	log     *zap.Logger

	wrote  bool   // this process has written rows
	lost   string // why Redis does not answer, as last logged; empty: it answers
	absent string // why the daemon does not answer, as last logged; empty: it answers

	unheard string // what makes Redis report changes of keys, as last logged; empty: Redis reports them
}

// New returns a session by the settings of a configuration file, a table of LLR profiles and a client of the daemon.
// With own, rows of other processes in Redis are overwritten.
func New(s sonic.Settings, lookup sonic.Lookup, client *client.Client, own bool, log *zap.Logger) *Session {
	return &Session{
		machine: sonic.NewMachine(s.Ports, lookup), redis: s.Redis, daemon: daemon{client: client}, own: own, log: log,
	}
}

// Run keeps the rows in Redis and the daemon's LLR in step until ctx ends, and then removes this process's rows. It
// waits for a Redis or daemon that does not respond. It returns an error only if Redis has rows of another process.
func (s *Session) Run(ctx context.Context) error {
	for {
		err := s.join(ctx)
		switch {
		case errors.Is(err, errForeign):
			return err
		case ctx.Err() != nil:
			return nil
		}
		if text := err.Error(); s.lost != text {
			s.lost = text
			s.log.Warn("waiting for Redis", zap.Error(err))
		}
		sleep(ctx, retry)
	}
}

// join connects to Redis and makes passes until ctx ends, and then removes this process's rows and returns nil. It
// returns an error if Redis does not respond, or has rows of another process.
func (s *Session) join(ctx context.Context) error {
	db, err := connect(ctx, s.redis)
	if err != nil {
		return err
	}
	defer db.close()
	w, err := newWriter(ctx, db, s.own, s.log)
	if err != nil {
		return failed(s.redis, err)
	}
	if unheard := db.requireEvents(ctx, s.log); s.unheard != unheard {
		s.unheard = unheard
		s.log.Warn("perhaps Redis does not report changes of keys: rows are read each second instead",
			zap.String("cure", unheard))
	}
	if err = s.serve(ctx, db, w); err == nil {
		s.leave(context.WithoutCancel(ctx), db)
		return nil
	}
	if errors.Is(err, errForeign) {
		return err
	}
	return failed(s.redis, err)
}

// leave removes all rows of this process from Redis, also those of a pass that was interrupted.
func (s *Session) leave(ctx context.Context, db databases) {
	ctx, cancel := context.WithTimeout(ctx, farewell)
	defer cancel()
	w, err := newWriter(ctx, db, s.own, s.log)
	if err == nil {
		err = w.write(ctx, sonic.Rows{}, false)
	}
	if err != nil {
		s.log.Warn("the rows of this process stay in Redis, because removing them failed: the next start of uelink sonic "+
			"takes them over", zap.Error(err))
	}
}

// serve makes a pass at the start, after each change in Redis or of the daemon, and each second, and reads counters
// at their interval. It returns nil when ctx ends, and an error if Redis does not respond.
func (s *Session) serve(ctx context.Context, db databases, w *writer) error {
	events, cancel := context.WithCancel(ctx)
	var listeners sync.WaitGroup
	defer listeners.Wait()
	defer cancel()
	changed, broken := make(chan struct{}, 1), make(chan error, 1)
	wake := func() {
		select {
		case changed <- struct{}{}:
		default: // a pass comes anyway
		}
	}
	listeners.Go(func() { broken <- db.subscribe(events, wake) })
	listeners.Go(func() { s.daemon.watch(events, wake) })
	tick := time.NewTicker(resync)
	defer tick.Stop()
	poll := newPoll()
	defer poll.stop()
	for {
		if err := s.pass(ctx, db, w); err != nil {
			return ended(ctx, err)
		}
		poll.set(s.machine.Interval())
		select {
		case <-changed:
		case <-tick.C:
		case <-poll.timer.C:
			poll.restart()
			s.count(ctx)
		case err := <-broken:
			return ended(ctx, err)
		case <-ctx.Done():
			return nil
		}
	}
}

// ended returns nil if ctx has ended, because err is then only a consequence; else it returns err.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// poll is the timer of the counters.
type poll struct {
	timer *time.Timer
	every time.Duration // 0: off
}

func newPoll() *poll {
	p := &poll{timer: time.NewTimer(time.Hour)}
	p.timer.Stop()
	return p
}

// set sets the time between two readings of the counters; 0 stops them. After a change of the time the first reading
// comes at once.
func (p *poll) set(every time.Duration) {
	switch {
	case every == p.every:
		return
	case every == 0:
		p.timer.Stop()
	default:
		p.timer.Reset(0)
	}
	p.every = every
}

// restart starts the timer for the next reading of the counters.
func (p *poll) restart() { p.timer.Reset(p.every) }

// stop stops the timer of the readings.
func (p *poll) stop() { p.timer.Stop() }

// pass makes one pass: it reads the rows from Redis and the state of the daemon, carries out the SAI calls and
// interface changes that the machine returns, logs problems, and writes the rows to Redis. It returns errors of
// Redis.
func (s *Session) pass(ctx context.Context, db databases, w *writer) error {
	if err := w.check(ctx); err != nil {
		return err
	}
	keys, patterns := s.machine.Reads()
	rows, err := db.read(ctx, keys, patterns)
	if err != nil {
		return err
	}
	s.machine.Pass(rows, s.readPlane(ctx))
	s.call(ctx)
	for _, c := range s.machine.Hosts() {
		s.machine.HostDone(c, arrange(c))
	}
	s.logProblems()
	if err := w.write(ctx, s.machine.Rows(), !s.wrote); err != nil {
		return err
	}
	if s.lost != "" {
		s.log.Info("Redis answers again: all rows are written")
	}
	s.wrote, s.lost = true, ""
	return nil
}

// readPlane asks the daemon for its state, which it returns; nil if the daemon does not respond, which is logged once.
// If the daemon's LLR has changed, readPlane passes the new LLR to the machine.
func (s *Session) readPlane(ctx context.Context) *sonic.Plane {
	p, attached, err := s.daemon.readState(ctx)
	switch {
	case err != nil:
		if text := err.Error(); s.absent != text && ctx.Err() == nil {
			s.absent = text
			s.log.Warn("waiting for uelinkd", zap.Error(err))
		}
		return nil
	case s.absent != "":
		s.absent = ""
		s.log.Info("uelinkd answers")
	}
	if attached != nil {
		s.machine.Attach(*attached)
	}
	return p
}

// call makes the daemon carry out the SAI calls that the machine returns, one after the other, and reports each
// outcome to the machine. It stops if the daemon does not respond.
func (s *Session) call(ctx context.Context) {
	for {
		c, more := s.machine.Next()
		if !more {
			return
		}
		created, err := s.daemon.do(ctx, c)
		if err != nil && !errors.As(err, new(*sai.Error)) {
			return // the daemon has gone: the next pass makes the calls again
		}
		s.machine.Done(c, created, err)
		if err == nil {
			s.log.Info("uelinkd has carried out a SAI call that a row of Redis demands", zap.Stringer("row", c.Key),
				zap.Stringer("call", c))
		}
	}
}

// logProblems logs the machine's new problems as warnings, and its notes as information.
func (s *Session) logProblems() {
	for _, p := range s.machine.Problems() {
		fields := []zap.Field{zap.String("key", p.Key), zap.String("field", p.Field)}
		if p.Note {
			s.log.Info(p.Text, fields...)
			continue
		}
		s.log.Warn(p.Text, fields...)
	}
}

// count reads the LLR statistics of all link ports from the daemon, and passes them to the machine.
func (s *Session) count(ctx context.Context) {
	ports, ids := s.machine.Counted()
	for _, p := range ports {
		if values, err := s.daemon.client.SAIStats(ctx, p.OID, ids); err == nil {
			s.machine.Count(p.OID.String(), values)
		}
	}
}

// sleep waits for the duration d, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
