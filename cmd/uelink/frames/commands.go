// Package frames has the commands that show frames: those of a capture, those that a port sends and takes, and what
// became of them.
package frames

import (
	"io"

	"github.com/spf13/cobra"

	"uelink/client"
)

// Commands makes the commands that show frames. Its fields are the functions of the tool that the commands call.
type Commands struct {
	// JSON reports whether the output is JSON. It is called when a command runs.
	JSON func() bool
	// Ask calls request with a client of the daemon, which it closes at the end.
	Ask func(request func(*client.Client) error) error
	// Ports completes the name of a port.
	Ports cobra.CompletionFunc
	// Raw returns the writer behind a command's output for binary data.
	Raw func(io.Writer) io.Writer
}
