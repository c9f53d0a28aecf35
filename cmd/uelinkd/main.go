// Command uelinkd owns network interfaces and joins them by Ultra Ethernet links.
//
// Exit codes: 0 fine; 1 failed while running; 2 bad usage or configuration; 3
// missing privilege or kernel feature; 4 not confirmed in time (--confirm).
package main

import (
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
	"uelink/control"
	"uelink/dataplane"
	"uelink/lldp/agent"
)

// The exit codes that uelinkd decides itself; an error with a method ExitCode
// brings its own.
const (
	exitFailed      = 1
	exitUsage       = 2
	exitPrivilege   = 3
	exitUnconfirmed = 4
)

func main() {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM)
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr, signals, openers{
		frames: func(s dataplane.Settings, log *zap.Logger) (frames, error) {
			d, err := dataplane.Open(s, recordDirectory(), shelf(notifier{os.Getenv("NOTIFY_SOCKET")}), log)
			if err != nil {
				return nil, err
			}
			return d, nil
		},
		lldp: func(c agent.Config, log *zap.Logger) (discovery, error) { return agent.Open(c, log) },
		drop: dropPrivileges,
	}))
}

// recordDirectory is where the daemon writes down what it changes on interfaces: in the
// directory that systemd made for it by StateDirectory, which may have made several, or
// where that would be.
func recordDirectory() string {
	state, _, _ := strings.Cut(os.Getenv("STATE_DIRECTORY"), ":")
	if state == "" {
		state = "/var/lib/uelink"
	}
	return filepath.Join(state, "interfaces")
}

// usage is the whole of the help.
const usage = `usage: uelinkd --config FILE [--check | --confirm TIME]
       uelinkd --version

  --config FILE  the configuration
  --check        say what is wrong with the configuration, and exit; the folder
                 and the group of the control socket are looked at, and credit
                 limits are compared with the MTUs of interfaces that are there
  --confirm TIME take everything back after that time, such as 30s, and exit
                 with 4, unless "uelink confirm" comes before; a reload is
                 taken back likewise, and the daemon goes on
  --version      say which version this is, and exit

What the daemon changes on interfaces is written down in $STATE_DIRECTORY
(/var/lib/uelink), and put back at the next start if the daemon was killed.
How far each link has come is kept in $RUNTIME_DIRECTORY (/run/uelink), or by
systemd, so that the partner need send again only what was not taken.

SIGTERM and SIGINT: deliver what is held, then exit; a second one: exit at once.
SIGHUP: read the configuration again.
`

// flags are what the command line says.
type flags struct {
	config  string
	check   bool
	version bool
	confirm time.Duration // 0: nothing has to be confirmed
}

func parse(args []string) (flags, error) {
	var f flags
	set := flag.NewFlagSet("uelinkd", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.StringVar(&f.config, "config", "", "")
	set.BoolVar(&f.check, "check", false, "")
	set.DurationVar(&f.confirm, "confirm", 0, "")
	set.BoolVar(&f.version, "version", false, "")
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
	if f.config == "" && !f.version {
		return f, errors.New("--config FILE is missing")
	}
	return f, nil
}

// run is uelinkd with these arguments; it returns the exit code.
func run(args []string, stdout io.Writer, stderr *os.File, signals <-chan os.Signal, open openers) int {
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
		fmt.Fprintln(stdout, "uelinkd", control.Version())
		return 0
	}
	cfg, err := config.Load(f.config)
	if err != nil {
		for _, line := range lines(err) {
			fmt.Fprintf(stderr, "uelinkd: %s\n", line)
		}
		return exitCode(err)
	}
	if f.check {
		return check(f.config, cfg, stdout, stderr)
	}
	return serve(f, cfg, stderr, signals, open)
}

// others is how many threads may run Go besides the workers, each of which keeps
// one to itself: on a single CPU too, where workers would otherwise wait for
// whatever else the daemon does until Go's scheduler takes notice, 20 ms later.
const others = 2

// serve runs a daemon and logs why it ended, if that was not by a signal.
func serve(f flags, cfg *config.Config, stderr *os.File, signals <-chan os.Signal, open openers) int {
	runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), cfg.Settings.Workers+others))
	log, level := newLogger(cfg.Log, stderr)
	defer func() { _ = log.Sync() }() // a terminal cannot be synced: nothing is lost by that
	d := &daemon{
		file: f.config, confirm: newConfirmation(f.confirm), config: cfg, log: log, level: level,
		notify: notifier{os.Getenv("NOTIFY_SOCKET")},
	}
	err := d.run(signals, open)
	for _, line := range lines(err) {
		log.Error(line)
	}
	return exitCode(err)
}

// lines are the messages of an error, one a line.
func lines(err error) []string {
	if err == nil {
		return nil
	}
	return strings.Split(err.Error(), "\n")
}

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
