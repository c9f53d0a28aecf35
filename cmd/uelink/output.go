package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"uelink/internal/nonnull"
	"uelink/internal/table"
)

// format is the value of --output.
type format string

// The values of --output: tables for people, or JSON for programs.
const (
	asTable format = "table"
	asJSON  format = "json"
)

// String returns the output format's name: table or json.
func (f *format) String() string { return string(*f) }

// Set sets the output format by its name, table or json. Any other name is an error.
func (f *format) Set(name string) error {
	if name != string(asTable) && name != string(asJSON) {
		return fmt.Errorf("table or json is wanted")
	}
	*f = format(name)
	return nil
}

// Type returns the word that stands for the flag's value in the help: "format".
func (f *format) Type() string { return "format" }

// show prints v to the command's output, as JSON if asked for, else as the text that write prints.
func (t *tool) show(cmd *cobra.Command, v any, write func(io.Writer)) error {
	return t.write(cmd.OutOrStdout(), v, write)
}

// page collects the text for a writer whose lines have a limited width.
type page struct {
	strings.Builder
	width int // characters; 0: any
}

// Width returns the width of a line in characters, for package table; 0 for no limit.
func (p *page) Width() int { return p.width }

// write prints v to w, as JSON if asked for, else as the text that the argument write prints.
func (t *tool) write(w io.Writer, v any, write func(io.Writer)) error {
	if t.output != asJSON {
		p := page{width: table.Width(w)}
		write(&p)
		_, err := io.WriteString(w, table.Fold(p.String(), p.width))
		return err
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(nonnull.Lists(v))
}

// list returns a list with the object that get returns for the name in args, or, without a name, the list that all
// returns.
func list[T any](args []string, all func() ([]T, error), get func(string) (T, error)) ([]T, error) {
	if len(args) == 0 {
		return all()
	}
	object, err := get(args[0])
	if err != nil {
		return nil, err
	}
	return []T{object}, nil
}
