// Command uelinkd owns network interfaces and joins them by Ultra Ethernet links.
//
// Exit codes: 0 fine; 1 failed while running; 2 bad usage or configuration; 3
// missing privilege or kernel feature; 4 not confirmed in time (--confirm).
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"go.uber.org/zap"

	"uelink/config"
	"uelink/control/api"
	"uelink/dataplane"
	"uelink/internal/spool"
	"uelink/lldp/station"
)

// Exit codes of uelinkd; an error with a method ExitCode brings its own.
const (
	exitFailed      = 1
	exitUsage       = 2
	exitPrivilege   = 3
	exitUnconfirmed = 4
)

// main runs the daemon with real interfaces and exits with its code.
func main() {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // else a write without a reader ends the process
	prepareCrash(os.Stderr)
	stderr := spool.Start(os.Stderr)
	code := run(os.Args[1:], os.Stdout, stderr, signals, openers{
		frames: func(s dataplane.Settings, home dataplane.Home, log *zap.Logger) (frames, error) {
			d, err := dataplane.Open(s, home, shelf(notifier{os.Getenv("NOTIFY_SOCKET")}), log)
			if err != nil {
				return nil, err
			}
			return d, nil
		},
		lldp: func(c station.Config, log *zap.Logger) (discovery, error) { return station.Open(c, log) },
		drop: dropPrivileges,
		takeFrames: func(
			s dataplane.Settings, home dataplane.Home, h *dataplane.Handover, log *zap.Logger,
		) (frames, error) {
			d, err := dataplane.TakeOver(s, home, shelf(notifier{os.Getenv("NOTIFY_SOCKET")}), h, log)
			if err != nil {
				return nil, err
			}
			return d, nil
		},
	})
	_ = stderr.Sync() // an error is ignored: nobody reads standard error
	os.Exit(code)
}

// stateFolder returns the folder for files that outlive a boot: the first directory of systemd's StateDirectory, or its
// default path.
func stateFolder() string {
	state, _, _ := strings.Cut(os.Getenv("STATE_DIRECTORY"), ":")
	return cmp.Or(state, "/var/lib/uelink")
}

// recordDirectory returns the directory of the records of changed interfaces.
func recordDirectory() string { return filepath.Join(stateFolder(), "interfaces") }

// usage is the text of --help.
const usage = `usage: uelinkd --config FILE [--check | --confirm TIME]
       uelinkd --version

  --config FILE  the configuration
  --check        print the problems of the configuration, and exit; the folder
                 and the group of each socket are checked, and credit
                 limits are compared with the MTUs of existing interfaces
  --confirm TIME take everything back after this time, such as 30s, and exit
                 with 4, unless "uelink confirm" comes before; a reload is
                 taken back likewise, and the daemon goes on
  --version      print the version, and exit

Changes of interfaces are recorded in $STATE_DIRECTORY (/var/lib/uelink), and
put back at the next start if the daemon was killed. The bookmark of each link
is kept in $RUNTIME_DIRECTORY (/run/uelink), or by systemd: after a restart the
partner sends again only the frames that this end had not received.

SIGTERM and SIGINT: deliver the frames held, then exit; a second signal: exit
at once. Veths made for the host (create: true) stay for the next start;
uelink down removes them.
SIGHUP: read the configuration again.
`

// flags are the options of the command line.
type flags struct {
	config  string
	check   bool
	version bool
	confirm time.Duration // 0: nothing has to be confirmed

	takeover bool // this process is a successor
	reap     int  // number of the daemon of which this process is the reaper; 0: no reaper
}

// parse returns the flags in args, or an error for unknown ones and for further arguments.
func parse(args []string) (flags, error) {
	var f flags
	set := flag.NewFlagSet("uelinkd", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.StringVar(&f.config, "config", "", "")
	set.BoolVar(&f.check, "check", false, "")
	set.DurationVar(&f.confirm, "confirm", 0, "")
	set.BoolVar(&f.version, "version", false, "")
	set.BoolVar(&f.takeover, "takeover", false, "")
	set.IntVar(&f.reap, "reap", 0, "")
	if err := set.Parse(args); err != nil {
		return f, err
	}
	if set.NArg() > 0 {
		return f, fmt.Errorf("unexpected argument %q", set.Arg(0))
	}
	confirms := false
	set.Visit(func(given *flag.Flag) { confirms = confirms || given.Name == "confirm" })
	if confirms && f.confirm <= 0 {
		return f, fmt.Errorf("--confirm %v: a time such as 30s is wanted", f.confirm)
	}
	if f.config == "" && !f.version && f.reap == 0 {
		return f, errors.New("--config FILE is missing")
	}
	return f, nil
}

// run runs uelinkd with arguments and returns the exit code.
func run(args []string, stdout io.Writer, stderr *spool.Spool, signals <-chan os.Signal, open openers) int {
	if err := checkRoom(); err != nil { // before the heap grows
		fmt.Fprintf(stderr, "uelinkd: %v\n", err)
		return exitPrivilege
	}
	f, err := parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, usage)
		return 0
	case err != nil:
		fmt.Fprintf(stderr, "uelinkd: %v (see uelinkd --help)\n", err)
		return exitUsage
	case f.version:
		fmt.Fprintln(stdout, "uelinkd", api.Version())
		return 0
	}
	if f.reap != 0 {
		return reap(f.reap, signals)
	}
	if f.takeover {
		return takeOver(f, stderr, signals, open)
	}
	cfg, texts, text, err := loadConfig(f.config)
	if err != nil {
		for _, line := range lines(err) {
			fmt.Fprintf(stderr, "uelinkd: %s\n", line)
		}
		return exitCode(err)
	}
	if f.check {
		return check(f.config, cfg, stdout, stderr)
	}
	return serve(f, cfg, filed{texts, string(text)}, stderr, signals, open)
}

// spareThreads is the number of threads that may run Go besides the workers, each of which occupies a thread. Also on a
// single CPU: without such threads workers would wait for the daemon's remaining goroutines until Go's scheduler
// preempts these, 20 ms later.
const spareThreads = 2

// serve runs a daemon with a configuration, logs the errors at its end, and returns the exit code. Under systemd it
// first waits if several processes in a row have ended early, and counts its own start and end.
func serve(
	f flags, cfg *config.Config, files filed, stderr *spool.Spool, signals <-chan os.Signal, open openers,
) int {
	runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), cfg.Settings.Workers+spareThreads))
	l := newLogs(cfg.Log, stderr)
	program, err := programPath(os.Args[0])
	if err != nil {
		l.sampled.Warn("the path of this program is not known: uelink upgrade needs --binary", zap.Error(err))
	}
	d := &daemon{
		program: program, file: f.config, confirm: newConfirmation(f.confirm), config: cfg, logs: l, log: l.sampled,
		notify: notifier{os.Getenv("NOTIFY_SOCKET")},
	}
	d.files.set(files)
	unclean := startsOf(cfg.Control.Socket)
	if startedBySystemd() && !d.waitBeforeStart(unclean, signals) {
		return 0
	}
	err = d.run(signals, open)
	unclean.ended(exitCode(err))
	for _, line := range lines(err) {
		d.log.Error(line)
	}
	return exitCode(err)
}

// lines returns the messages of an error, one a line.
func lines(err error) []string {
	if err == nil {
		return nil
	}
	return strings.Split(err.Error(), "\n")
}

// exitCode returns 0 for nil, the exit code of an error that has one, and else one by its cause.
func exitCode(err error) int {
	var coded interface{ ExitCode() int }
	switch {
	case err == nil:
		return 0
	case errors.As(err, &coded):
		return coded.ExitCode()
	case errors.Is(err, fs.ErrPermission):
		return exitPrivilege
	default:
		return exitFailed
	}
}
