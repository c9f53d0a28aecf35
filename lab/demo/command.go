package demo

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"uelink/internal/table"
	"uelink/lab/traffic"
)

const long = `Joins two hosts by a link over a wire that loses, damages, duplicates and reorders
frames, sends numbered frames both ways at once, and counts losses and faults.
Hosts, stations and wire are network namespaces of this machine, made for the
demo and removed afterwards; the two daemons and the cable are real processes.

    hostA ---- A (uelinkd) ---- wire (uelink cable) ---- B (uelinkd) ---- hostB

Exit code 0 says that every frame was delivered exactly once, in order and
unchanged. The demo needs root. Shares are from 0 to 1, of all frames on the wire.`

const example = `  sudo uelink demo
  sudo uelink demo --vcs 4 --stall 2
  sudo uelink demo --protocol hippi6400 --size imix
  sudo uelink demo --frames 20000 --capture /tmp/demo
  sudo uelink demo --frames 3000000 --size imix --loss 0.001 --burst 8 -o json`

// Command returns the command `uelink demo`, which shows a link at work.
func Command() *cobra.Command {
	o := DefaultOptions()
	cmd := &cobra.Command{
		Use: "demo", Short: "Show that nothing is lost over a bad wire", Long: long, Example: example, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return command(cmd, o) },
	}
	o.bind(cmd.Flags())
	return cmd
}

// bind defines the command's flags, which store their values in the options.
func (o *Options) bind(f *pflag.FlagSet) {
	f.Uint64Var(&o.Traffic.Frames, "frames", o.Traffic.Frames, "frames to send each way")
	f.StringVar(&o.Traffic.Size, "size", o.Traffic.Size, "octets of a frame without FCS: 60 to 1514, imix (7:4:1 of 60, "+
		"590, 1514) or sweep (every size)")
	f.IntVar(&o.Traffic.Window, "window", o.Traffic.Window, "frames in flight in each direction, from host to host")
	o.bindLink(f)
	f.IntVar(&o.Stall, "stall", o.Stall, "virtual channel that host B stops draining for half of the run, counted from 0")
	f.Float64Var(&o.Traffic.Rate, "rate", 0, "with --vcs: frames a second of each channel, each way (default 5000)")
}

// bindLink defines the flags for the faults of the wire and for the daemons, which store their values in the
// options.
func (o *Options) bindLink(f *pflag.FlagSet) {
	f.Float64Var(&o.Fault.Loss, "loss", o.Fault.Loss, "share of frames that the wire loses")
	f.Float64Var(&o.Fault.Burst, "burst", o.Fault.Burst, "mean number of frames lost in a row")
	f.Float64Var(&o.Fault.Corrupt, "corrupt", o.Fault.Corrupt, "share of frames in which the wire flips one to three bits")
	f.Float64Var(&o.Fault.Duplicate, "duplicate", o.Fault.Duplicate, "share of frames that arrive twice")
	f.Float64Var(&o.Fault.Reorder, "reorder", o.Fault.Reorder, "share of frames overtaken by one to three later frames")
	f.Uint64Var(&o.Fault.Seed, "seed", o.Fault.Seed, "seed of the random numbers")
	f.IntVar(&o.VCs, "vcs", 0,
		"number of lossless virtual channels, up to 8, each with its own priority and a fixed rate")
	f.StringVar(&o.Protocol, "protocol", o.Protocol, "protocol of the link: llr or hippi6400 (HIPPI-6400-PH)")
	f.StringVar(&o.Dialect, "dialect", o.Dialect, "layout of the preamble image: seed or ue1")
	f.StringVar(&o.Capture, "capture", "",
		"directory for A.pcapng and B.pcapng, the frames of both link ports, up to 64 MiB each")
	f.StringVar(&o.Daemon, "uelinkd", "", "path of the daemon (default: beside this program)")
}

// command runs the demo, with a progress line on stderr, and prints the result to stdout, also of an interrupted
// run. It returns an error if the run failed or a frame was not delivered exactly once, in order and unchanged.
func command(cmd *cobra.Command, o Options) error {
	if o.VCs > 0 {
		frames := uint64(0)
		if cmd.Flags().Changed("frames") {
			frames = o.Traffic.Frames
		}
		o.setChannels(frames)
	}
	description := fmt.Sprintf("hostA - A - wire - B - hostB: %s of size %s; the wire loses %g, corrupts %g, "+
		"duplicates %g, reorders %g",
		o.sent(), o.Traffic.Size, o.Fault.Loss, o.Fault.Corrupt, o.Fault.Duplicate, o.Fault.Reorder)
	fmt.Fprintln(cmd.ErrOrStderr(), table.Paragraph(description, table.Width(cmd.ErrOrStderr())))
	line := traffic.NewProgressLine(cmd.ErrOrStderr())
	r, err := Run(cmd.Context(), o, line.Show)
	line.End()
	if len(r.Directions) > 0 {
		if err := show(cmd, r); err != nil {
			return err
		}
	}
	if err == nil && !r.Clean() {
		return errNotClean
	}
	return err
}

// sent returns in words which frames the hosts will send: how many, or at which rate and how long.
func (o *Options) sent() string {
	if o.VCs > 0 {
		return fmt.Sprintf("%d virtual channels, %g frames a second each, each way, for %v",
			o.VCs, o.Traffic.Rate, o.Traffic.Duration)
	}
	return traffic.Count(o.Traffic.Frames) + " frames each way"
}

// show prints the result to stdout, as a table or as JSON.
func show(cmd *cobra.Command, r Result) error {
	if traffic.WantsJSON(cmd) {
		return traffic.WriteJSON(cmd.OutOrStdout(), r)
	}
	return r.WriteTable(cmd.OutOrStdout())
}
