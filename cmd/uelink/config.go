package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"uelink/client"
	"uelink/cmd/uelink/view"
	"uelink/config"
	"uelink/control/api"
	"uelink/internal/table"
)

const configLong = `The configuration in force: the daemon's file, with the changes of commands and of SAI.
A change ends with the next start of the daemon, and a command's change with the next reload too,
unless it is saved. Static entries of a bridge's table stay through a reload.`

// unsavedEntry returns err, the result of a command that changes a static entry of a bridge's table. If the command has
// succeeded, unsavedEntry prints on standard error that the change is not in the configuration file yet.
func unsavedEntry(cmd *cobra.Command, err error) error {
	if err == nil {
		fmt.Fprintln(cmd.ErrOrStderr(), "In force until the next start of uelinkd; to keep it: uelink config save")
	}
	return err
}

// unsaved returns err, the result of a command that changes settings. If the command has succeeded, unsaved prints on
// standard error that the change is not in the configuration file yet.
func unsaved(cmd *cobra.Command, err error) error {
	if err == nil {
		fmt.Fprintln(cmd.ErrOrStderr(),
			"In force until the next reload or start of uelinkd; to keep it: uelink config save")
	}
	return err
}

func configCommand(t *tool) *cobra.Command {
	cmd := group("config", "Show the configuration in force, compare it, save it; set a key of the file",
		configShowCommand(t), configDiffCommand(t), configSaveCommand(t), configSetCommand(t),
		configLLRCommand(t))
	cmd.Long = configLong
	return cmd
}

// configShowCommand returns the command that prints the configuration in force.
func configShowCommand(t *tool) *cobra.Command {
	return &cobra.Command{
		Use: "show", Short: "Print the configuration in force, as a configuration file", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return t.ask(func(c *client.Client) error {
				current, err := c.Configuration(cmd.Context())
				if err != nil {
					return err
				}
				return t.show(cmd, current, func(w io.Writer) {
					io.WriteString(w, current.Running)
					for _, lost := range current.Lost {
						fmt.Fprintln(w, "# a configuration file cannot have this: "+lost)
					}
				})
			})
		},
	}
}

// configDiffCommand returns the command that compares the configuration in force with a file.
func configDiffCommand(t *tool) *cobra.Command {
	return &cobra.Command{
		Use:   "diff [FILE]",
		Short: "Show which keys a file would change, and what a reload with it interrupts",
		Long: `Compares the configuration in force with a file, by default the daemon's. Exit code 1 says that there
is a difference. The last column says what a reload with the file interrupts; docs/OPERATING.md has
the words.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.ask(func(c *client.Client) error {
				current, err := c.Configuration(cmd.Context())
				if err != nil {
					return err
				}
				file := current.File
				if len(args) > 0 {
					file = args[0]
				}
				text, err := readBeside(file, current)
				if err != nil {
					return err
				}
				list, err := config.Diff([]byte(current.Running), text)
				if err != nil {
					return err
				}
				if err := t.show(cmd, list, func(w io.Writer) {
					writeDifferences(w, list, []string{"Key", "In force", "File", "Reload"})
				}); err != nil {
					return err
				}
				if len(list) > 0 {
					return errWrong
				}
				return nil
			})
		},
	}
}

// readBeside returns what a reload with a configuration file would read, as one text: the file with its drop-ins, and
// the ports that the API of the daemon has made.
func readBeside(file string, current api.Configuration) ([]byte, error) {
	texts, err := config.ReadTexts(file)
	if err != nil {
		return nil, err
	}
	for _, f := range current.Files {
		if f.File != current.File && filepath.Dir(f.File) != config.DropIns(current.File) { // made by the API
			texts = texts.WithFile(f.File, []byte(f.Running))
		}
	}
	_, text, err := texts.Load()
	return text, err
}

// writeDifferences prints a table of the keys whose values differ, or a line that there are none. titles are those of
// the columns: key, value before, value after and, if there is a fourth title, the cost of a reload.
func writeDifferences(w io.Writer, list []config.Difference, titles []string) {
	if len(list) == 0 {
		fmt.Fprintln(w, "There is no difference.")
		return
	}
	t := table.Table{Titles: titles}
	for _, d := range list {
		row := []string{d.Key, view.OrDash(d.Before), view.OrDash(d.After), d.Cost}
		t.Add(row[:len(titles)]...)
	}
	view.WriteTable(w, &t)
}

// configSaveCommand returns the command that writes the configuration in force into a file.
func configSaveCommand(t *tool) *cobra.Command {
	return &cobra.Command{
		Use:   "save [FILE]",
		Short: "Write what commands and SAI have changed into the configuration file",
		Long: `Writes the configuration in force into a file, by default the daemon's. Only the values that commands
and SAI have changed are different from the daemon's file: comments, order and layout stay. Without
FILE, the keys of a port that is configured in another file (a drop-in, or a file of the API) are saved
in that file. Changes that a file cannot have are listed, and the exit code is then 1.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.ask(func(c *client.Client) error { return t.saveConfig(cmd, c, args) })
		},
	}
}

// saveConfig writes the configuration in force (the files with the changes by commands and SAI) into the file in args,
// or into the daemon's files, and prints the changed keys.
func (t *tool) saveConfig(cmd *cobra.Command, c *client.Client, args []string) error {
	current, err := c.Configuration(cmd.Context())
	if err != nil {
		return err
	}
	if len(args) > 0 {
		list, err := config.Diff([]byte(current.Text), []byte(current.Running))
		if err == nil {
			err = writeConfig(args[0], current.Running)
		}
		if err != nil {
			return err
		}
		return t.reportSaved(cmd, current, args[0], list)
	}
	if current.Unread {
		return fmt.Errorf("%s has changes that the daemon has not read: uelink config diff shows it. Reload uelinkd "+
			"first, or name another file", current.File)
	}
	var all []config.Difference
	for _, f := range current.Files {
		list, err := saveFile(f)
		if err != nil {
			return err
		}
		all = append(all, list...)
	}
	return t.reportSaved(cmd, current, current.File, all)
}

// saveFile writes the text with the changes (f.Running) into a file of the configuration, unless the file has that text
// already, and returns the changed keys.
func saveFile(f api.ConfigurationFile) ([]config.Difference, error) {
	before, err := os.ReadFile(f.File)
	if err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	list, err := config.Diff(before, []byte(f.Running))
	if err == nil && string(before) != f.Running {
		err = writeConfig(f.File, f.Running)
	}
	return list, err
}

// reportSaved prints which keys were saved in the configuration file, with their values before and now. It returns an
// error that lists the changes which could not be saved.
func (t *tool) reportSaved(cmd *cobra.Command, current api.Configuration, file string, list []config.Difference) error {
	saved := struct {
		File  string              `json:"file"`
		Saved []config.Difference `json:"saved"`
		Lost  []string            `json:"lost"`
	}{file, append([]config.Difference{}, list...), current.Lost}
	if err := t.show(cmd, saved, func(w io.Writer) {
		if len(list) == 0 {
			fmt.Fprintf(w, "No value to save: %s already had the configuration in force.\n", file)
			return
		}
		fmt.Fprintf(w, "Saved in %s:\n\n", file)
		writeDifferences(w, list, []string{"Key", "Before", "Now"})
	}); err != nil {
		return err
	}
	if len(current.Lost) > 0 {
		return errors.New("not saved: " + strings.Join(current.Lost, "\nnot saved: "))
	}
	return nil
}

// writeConfig replaces the content of a file in one step, and keeps the file's owner and permissions; a new file can
// be read by all. A symbolic link stays, and the file it leads to is replaced.
func writeConfig(file, text string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("save the configuration: %w", err)
		}
	}()
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
	}
	mode, owner, group := fs.FileMode(0o644), -1, -1
	var st unix.Stat_t
	if err := unix.Stat(file, &st); err == nil {
		mode, owner, group = fs.FileMode(st.Mode&0o7777), int(st.Uid), int(st.Gid)
	}
	f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // an error is ignored: the temporary file has its final name
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Chown(owner, group), f.Chmod(mode), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}

// confirmCommand returns the command that confirms a start or a reload, which the daemon undoes if nobody confirms it.
func confirmCommand(t *tool) *cobra.Command {
	return &cobra.Command{
		Use:   "confirm",
		Short: "Confirm the start or the reload of a daemon with --confirm",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return t.ask(func(c *client.Client) error { return c.Confirm(cmd.Context()) })
		},
	}
}
