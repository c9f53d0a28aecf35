package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/redis/go-redis/v9/logging"
	"github.com/spf13/cobra"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"uelink/internal/spool"
	"uelink/internal/table"
	"uelink/sonic"
	"uelink/sonic/session"
)

const sonicLong = `Join the running daemon to the databases of SONiC, until Ctrl-C or SIGTERM: rows of CONFIG_DB
configure LLR of its links, and SONiC's commands (show llr, config llr, llrstat) find what they
read. docs/SONIC.md has the tables and the keys of the configuration file.

Redis and the daemon may start later, or again: they are waited for, and everything is written
again. All rows are removed at the end; the links stay as they are.`

// sonicCommand returns the command that joins the daemon to SONiC's databases until it is interrupted.
func sonicCommand(t *tool) *cobra.Command {
	var file string
	var own bool
	cmd := &cobra.Command{
		Use:   "sonic",
		Short: "Join the daemon to SONiC's Redis, until Ctrl-C",
		Long:  sonicLong,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			log := sonicLog(cmd.ErrOrStderr())
			settings, lookup, err := readSonic(file, log)
			if err != nil {
				return err
			}
			logging.Disable() // the Redis client's own log: this command itself logs failures
			c := t.client()
			defer c.Close()
			return session.New(settings, lookup, c, own, log).Run(cmd.Context())
		},
	}
	cmd.Flags().StringVar(&file, "config", "/etc/uelink/sonic.yaml", "configuration file of this command")
	cmd.Flags().BoolVar(&own, "own", false, "take over rows of SONiC's databases that another process has written")
	return cmd
}

// readSonic reads the configuration file of `uelink sonic`, and the table of LLR profiles by speed and cable that the
// configuration names. Mistakes in the table are logged.
func readSonic(file string, log *zap.Logger) (sonic.Settings, sonic.Lookup, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return sonic.Settings{}, nil, fmt.Errorf("%w: give --config the path of an existing file", err)
	}
	settings, err := sonic.ParseSettings(file, text)
	if err != nil || settings.Lookup == "" {
		return settings, nil, err
	}
	if text, err = os.ReadFile(settings.Lookup); err != nil {
		return settings, nil, fmt.Errorf("profile_lookup: %w", err)
	}
	lookup, problems := sonic.ParseLookup(settings.Lookup, string(text))
	for _, p := range problems {
		log.Warn(p.Text, zap.String("key", p.Key), zap.String("field", p.Field))
	}
	return settings, lookup, nil
}

// sonicLog returns a logger that writes to w: text if w is a terminal, else JSON lines. If w is a spool that has lost
// lines, one line of the log says how many.
func sonicLog(w io.Writer) *zap.Logger {
	c := zap.NewProductionEncoderConfig()
	c.TimeKey, c.EncodeTime = "time", zapcore.RFC3339NanoTimeEncoder
	encoder := zapcore.NewJSONEncoder(c)
	if table.IsTerminal(w) {
		c.EncodeTime = zapcore.TimeEncoderOfLayout("15:04:05.000")
		encoder = zapcore.NewConsoleEncoder(c)
	}
	if s, ok := w.(*spool.Spool); ok {
		s.SetNotice(func(lost uint64) []byte {
			const text = "lines are missing here: nobody read them"
			line, err := encoder.EncodeEntry(zapcore.Entry{Level: zapcore.WarnLevel, Time: time.Now(), Message: text},
				[]zapcore.Field{zap.Uint64("lost", lost)})
			if err != nil {
				return []byte(text + "\n")
			}
			return bytes.Clone(line.Bytes())
		})
	}
	return zap.New(zapcore.NewCore(encoder, zapcore.Lock(zapcore.AddSync(w)), zapcore.InfoLevel))
}
