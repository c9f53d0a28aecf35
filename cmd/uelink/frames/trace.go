package frames

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"uelink/client"
	"uelink/cmd/uelink/view"
)

const traceLong = `Follow the next frames that a port receives, and show what became of each: the port and the queue
by which it left, how long it waited, its sequence number on a link, how often LLR sent it again,
and when the partner acknowledged it; or that it was dropped, and the counter of the reason. Frames
that LLR drops on arrival, such as replays of frames that came before, are shown too.

A frame is shown when it has ended; those under way are shown when the time is over. Of a busy port
not each frame is followed: up to 64 are under way at a time. Exit code 1 says that fewer frames
came than --count.`

const traceExample = `  uelink trace edge0
  uelink trace edge0 --host 10.0.0.2 --type 0x800 --count 3
  uelink trace link0 --vc 3 --timeout 1m -o json | jq -c '[.number, .result]'`

// Trace returns the command that shows what becomes of the next frames of a port.
func (c Commands) Trace() *cobra.Command {
	q := client.TraceQuery{Count: 10, Timeout: 10 * time.Second}
	cmd := &cobra.Command{
		Use: "trace PORT", Short: "Show what becomes of the next frames that a port receives", Long: traceLong,
		Example: traceExample, Args: cobra.ExactArgs(1), ValidArgsFunction: c.Ports,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.Ask(func(daemon *client.Client) error {
				trace, err := daemon.Trace(cmd.Context(), args[0], q)
				if err != nil {
					return err
				}
				defer trace.Close()
				return c.showTrace(cmd, trace, q.Count)
			})
		},
	}
	set := cmd.Flags()
	set.IntVar(&q.Count, "count", q.Count, "how many frames, 1 to 1000")
	set.DurationVar(&q.Timeout, "timeout", q.Timeout, "end after this time")
	set.Var((*hostsFlag)(&q.Hosts), "host", "only frames from or to one of these MAC or IP addresses")
	set.Var((*kindsFlag)(&q.Types), "type", "only frames of one of these EtherTypes, such as 0x800")
	set.UintSliceVar(&q.VCs, "vc", nil, "only frames that leave by one of these queues or virtual `channels`")
	return cmd
}

// showTrace shows the frames of a trace until its end. Fewer frames than count are an error.
func (c Commands) showTrace(cmd *cobra.Command, trace *client.Trace, count int) error {
	out := cmd.OutOrStdout()
	n := 0
	for ; ; n++ {
		f, err := trace.Next()
		switch {
		case errors.Is(err, io.EOF) && n < count:
			return fmt.Errorf("%d of %d frames came", n, count)
		case errors.Is(err, io.EOF), cmd.Context().Err() != nil:
			return nil // Ctrl-C ends a trace
		case err != nil:
			return fmt.Errorf("trace: %w", err)
		case c.JSON():
			err = json.NewEncoder(out).Encode(f)
		default:
			view.WriteTraced(out, f)
		}
		if err != nil {
			return err
		}
	}
}
