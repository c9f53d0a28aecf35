package cable

import (
	"io"

	"github.com/spf13/pflag"
)

// Parse returns the cable that these arguments of `uelink cable` describe, or the first error in them. It opens
// nothing.
func Parse(args []string) (Config, error) {
	var o options
	f := pflag.NewFlagSet("cable", pflag.ContinueOnError)
	f.SetOutput(io.Discard)
	o.bind(f)
	err := f.Parse(args)
	if err == nil {
		err = o.complete(f.Args())
	}
	return o.Config, err
}
