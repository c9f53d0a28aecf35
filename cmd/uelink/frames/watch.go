package frames

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"uelink/client"
	"uelink/control/api"
	"uelink/lab/decode"
)

const watchLong = `Show the frames that a port sends and takes, from now on, until interrupted: decoded as by
"uelink decode", or with --write as pcapng for Wireshark. The port does not wait for this
command: when frames come faster than the command takes them, some are left out, and their
number is printed. --every N shows one of N frames.`

const watchExample = `  uelink watch frames link0
  uelink watch frames link0 -w - | wireshark -k -i -
  uelink watch frames link0 --only nack --count 1
  uelink watch frames link0 --vc 3 --host 10.0.0.2 --type 0x800
  uelink watch frames link0 --every 1000 -o json | jq .summary`

// watcher has the flags of uelink watch frames.
type watcher struct {
	decoder
	commands Commands
	write    string // file for pcapng, "-" is standard output, "" none
	every    uint32
}

// Watch returns the command that shows the frames of a port as they come.
func (c Commands) Watch() *cobra.Command {
	w := &watcher{decoder: decoder{options: decode.Defaults()}, commands: c}
	cmd := &cobra.Command{
		Use: "frames PORT", Short: "Show the frames that a port sends and takes", Long: watchLong,
		Example: watchExample,
		Args:    cobra.ExactArgs(1), ValidArgsFunction: c.Ports,
		RunE: w.run,
	}
	cmd.Flags().StringVarP(&w.write, "write", "w", "", "write pcapng to this file, - for standard output")
	cmd.Flags().Uint32Var(&w.every, "every", 1, "show one frame in this number of frames")
	w.addFlags(cmd)
	return cmd
}

// run shows or writes the frames of the port in args, until they end or the command is interrupted.
func (w *watcher) run(cmd *cobra.Command, args []string) error {
	w.asJSON = w.commands.JSON()
	if w.every == 0 {
		return errors.New("--every 0: one of N frames is shown, and N is 1 or more")
	}
	if w.write != "" && (w.filter.chooses() || w.filter.count > 0) {
		return errors.New("--write writes all frames: choose frames by a display filter of Wireshark, or leave " +
			"--write out")
	}
	return w.commands.Ask(func(c *client.Client) error {
		frames, err := c.WatchFrames(cmd.Context(), args[0], uint64(w.every))
		if err != nil {
			return err
		}
		defer frames.Close()
		in := &breaksOff{Reader: frames}
		err = w.stream(in, cmd.OutOrStdout())
		if cmd.Context().Err() != nil || err == nil && w.filter.enough() {
			return nil // Ctrl-C and --count end a watch
		}
		var ended *client.EndError
		switch {
		case errors.As(err, &ended) && ended.Reason == api.EndUpgraded:
			err = fmt.Errorf("%w: start the command again", ended)
		case errors.As(err, &ended):
			err = ended
		case err == nil || in.cut:
			err = errors.New("the daemon has ended the stream: the daemon stops, the port is gone, or this command took no " +
				"frames for 30 seconds")
		}
		return fmt.Errorf("watch of frames: %w", err)
	})
}

// breaksOff records whether its reader ended within a message: the daemon has cut the stream off.
type breaksOff struct {
	io.Reader
	cut bool
}

// Read reads from the wrapped reader, and records whether the stream broke off (io.ErrUnexpectedEOF).
func (b *breaksOff) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	b.cut = b.cut || errors.Is(err, io.ErrUnexpectedEOF)
	return n, err
}

// stream prints the watched frames, or writes them to the file of flag --write as pcapng, until the frames end.
func (w *watcher) stream(frames io.Reader, out io.Writer) (err error) {
	switch w.write {
	case "":
		return w.frames(frames, out)
	case "-":
		_, err = io.Copy(w.commands.Raw(out), frames)
		return err
	}
	file, err := os.OpenFile(w.write, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, frames)
	return errors.Join(err, file.Close())
}
