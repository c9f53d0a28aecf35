package traffic

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"uelink/internal/nonnull"
	"uelink/internal/table"
	"uelink/wire/uet"
)

const example = `  uelink traffic --from veth0 --to veth1
  uelink traffic --from eth0@hostA --to eth0@hostB --size imix --frames 1000000
  uelink traffic --from eth0@hostA --to eth0@hostB --vlan 100 --vlan 200 --rate 50000 --duration 10s -o json
  uelink traffic --from eth0@hostA --to eth0@hostB --priority 0 --priority 3 --rate 50000 --sink-rate 3=5000
  uelink traffic --from eth0@hostA --to eth0@hostB --uet rud_req,ack,nack --dscp 8
  uelink traffic --from eth0@hostA --to eth0@hostB --uet all --uet-dialect ue1 --uet-ip`

const long = `Numbered, checksummed frames between two interfaces, both ways at once, on AF_XDP
sockets: how many were lost, duplicated, reordered or corrupted, and how long
they took. By default a window between sender and receiver keeps every ring from
overrunning, so every missing frame was lost between the ends; --rate sends at a
fixed rate instead.

Both ends obey PFC and PAUSE as a NIC of 1 Gb/s does, or of the rate given by
--pfc-rate. With --sink-rate the --to end is a slow host: it drains only that many
frames a second, and stops the other end by PFC while too many wait.

With --uet the frames are packets of Ultra Ethernet Transport over IPv4: a flow of
each kind, whose loss and order are counted separately. A kind is named after a
header; the error for an unknown name lists all kinds. --size is at least the length
of the headers; imix and sweep begin at that length.

Exit code 0 says that every frame was delivered exactly once, in order and
unchanged.`

// Command returns the command `uelink traffic`, which sends numbered frames between two interfaces.
func Command() *cobra.Command {
	c := DefaultConfig()
	cmd := &cobra.Command{
		Use: "traffic --from INTERFACE[@NETNS] --to INTERFACE[@NETNS]", Short: "Send numbered frames between two interfaces and count losses",
		Long: long, Example: example, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return command(cmd, c) },
	}
	f := cmd.Flags()
	f.Var((*endFlag)(&c.From), "from", "interface of end A")
	f.Var((*endFlag)(&c.To), "to", "interface of end B")
	f.Var((*macFlag)(&c.FromMAC), "from-mac", "MAC address that end A sends from")
	f.Var((*macFlag)(&c.ToMAC), "to-mac", "MAC address that end B sends from")
	f.Var((*vlanFlag)(&c.VLANs), "vlan", "VLAN tag; given twice, the first is the outer one (QinQ)")
	f.Var((*priorityFlag)(&c.Priorities), "priority",
		"priority of the frames, in their VLAN tags or else in a priority tag; given more than once, frames of each")
	f.Var((*sinkFlag)(&c.SinkRate), "sink-rate",
		"frames a second that the --to end drains, of each priority or of a single one: 5000 or 3=5000")
	f.Var((*rateFlag)(&c.PFCRate), "pfc-rate",
		"rate of the ports, such as 10Gbps, at which both ends count the quanta of PFC and PAUSE "+
			"(default: 1Gbps for pauses received, 10Gbps for pauses sent)")
	f.StringSliceVar(&c.UET.Kinds, "uet", nil, "`kinds` of UET packets to send, divided by commas, or all")
	f.TextVar(&c.UET.Dialect, "uet-dialect", c.UET.Dialect, "`dialect` of the UET headers: seed or ue1")
	f.BoolVar(&c.UET.OverIP, "uet-ip", false, fmt.Sprintf(
		"send UET directly over IP (protocol %d), not over UDP (port %d)", uet.DefaultProtocol, uet.DefaultPort))
	f.Uint8Var(&c.UET.DSCP, "dscp", 0, "DSCP of UET packets, 0 to 63")
	f.StringVar(&c.Size, "size", c.Size, "octets of a frame without FCS, tags included: 60 to MTU+14, imix (7:4:1 of "+
		"60, 590, 1514) or sweep (every size)")
	f.Uint64Var(&c.Frames, "frames", c.Frames,
		"frames of each priority to send each way, 0 for no limit; no limit with --duration")
	f.DurationVar(&c.Duration, "duration", c.Duration, "how long to send, 0 for no limit")
	f.IntVar(&c.Window, "window", c.Window, "frames of each priority, and of each kind of UET packet, in flight in "+
		"each direction; the default is at most what --ring-size has room for")
	f.Float64Var(&c.Rate, "rate", c.Rate,
		"frames a second of each priority each way, instead of a window")
	f.DurationVar(&c.LossTimeout, "loss-timeout", c.LossTimeout,
		"how long a frame may be missing, while later frames arrive, before the window moves past this frame")
	f.DurationVar(&c.GiveUp, "give-up", c.GiveUp, "a direction ends after this time without an arrival")
	f.DurationVar(&c.Spin, "spin", c.Spin, "time of polling after the last frame, before the thread sleeps")
	f.IntVar(&c.RingSize, "ring-size", c.RingSize, "entries of each AF_XDP ring, a power of two")
	cmd.MarkFlagsOneRequired("from")
	cmd.MarkFlagsRequiredTogether("from", "to")
	complete := func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return append(kindNames(c.UET.Dialect), everyKind), cobra.ShellCompDirectiveNoFileComp
	}
	if err := cmd.RegisterFlagCompletionFunc("uet", complete); err != nil {
		panic(err) // no flag uet
	}
	return cmd
}

// command sends the traffic, with a progress line on stderr, and prints the result to stdout, also of an
// interrupted run. Without the flag frames, a run with a duration has no number of frames; without the flag window, the
// windows of all flows fit into a ring. It returns an error if the run failed or a frame was not delivered exactly
// once, in order and unchanged.
func command(cmd *cobra.Command, c Config) error {
	if c.Duration > 0 && !cmd.Flags().Changed("frames") {
		c.Frames = 0
	}
	if !cmd.Flags().Changed("window") {
		c.Window = max(min(c.Window, c.RingSize/c.flows()), 1)
	}
	line := NewProgressLine(cmd.ErrOrStderr())
	r, err := Run(cmd.Context(), c, line.Show)
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

// show prints a result: a table and remarks about losses, or JSON.
func show(cmd *cobra.Command, r Result) error {
	if WantsJSON(cmd) {
		return WriteJSON(cmd.OutOrStdout(), r)
	}
	out := cmd.OutOrStdout()
	if err := NewTable(r.Directions).Write(out); err != nil {
		return err
	}
	if text := r.text(); text != "" {
		_, err := io.WriteString(out, "\n"+table.Paragraph(text, table.Width(out)))
		return err
	}
	return nil
}

// WantsJSON reports whether --output, a flag of all uelink commands, is json.
func WantsJSON(cmd *cobra.Command) bool {
	f := cmd.Flag("output")
	return f != nil && f.Value.String() == "json"
}

// WriteJSON writes v to w as indented JSON, and an empty list as [].
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(nonnull.Lists(v))
}
