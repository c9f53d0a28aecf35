package support

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"uelink/config"
)

// configurationMax bounds the configuration that is read, in octets: the daemon reads no more.
const configurationMax = 1 << 20

// readConfiguration reads a configuration file into the report, without secrets: the named one, or the file that the
// daemon was started with, whose path may be relative to the daemon's working directory. Nothing is read without
// either. It notes the mistakes of the configuration, or the interfaces that it names.
func (r *Report) readConfiguration(file string) {
	path := file
	if r.ConfigurationFile = file; file == "" {
		if r.Uelinkd == nil {
			return
		}
		r.ConfigurationFile, path = r.Uelinkd.Config, r.Uelinkd.Config
		if !filepath.IsAbs(path) {
			path = filepath.Join(fmt.Sprintf("/proc/%d/cwd", r.Uelinkd.PID), path)
		}
	}
	f, err := os.Open(path)
	if err != nil {
		r.Missing = append(r.Missing, fmt.Sprintf("configuration: %v", err))
		return
	}
	defer f.Close()
	octets, err := io.ReadAll(io.LimitReader(f, configurationMax))
	if err != nil {
		r.Missing = append(r.Missing, fmt.Sprintf("configuration: %v", err))
		return
	}
	r.Configuration = withoutSecrets(string(octets))
	c, err := config.Parse(r.ConfigurationFile, octets)
	if err != nil {
		r.wrong = strings.Split(err.Error(), "\n")
		return
	}
	for _, p := range c.Settings.Ports {
		r.configured = append(r.configured, p.Interface)
	}
}

// secretKey matches a key with a secret value, in the block or the flow style of YAML, and the value. The
// configuration of uelink has no such key; secrets may be in the file by mistake.
var secretKey = regexp.MustCompile(
	`(?i)(["']?[\w.-]*(?:pass|secret|token|credential|private|api_?key|community)[\w.-]*["']?\s*:\s*)` +
		`("[^"]*"|'[^']*'|\[[^\]]*\]|\{[^}]*\}|[^,}\s][^,}\n]*)`)

// userInfo matches name and password in an address.
var userInfo = regexp.MustCompile(`://[^/@\s]*@`)

// withoutSecrets returns a configuration without comments, without the values of secret keys, and without user names
// and passwords of addresses.
func withoutSecrets(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimRight(withoutComment(line), " \t\r\n")
		if line == "" {
			continue
		}
		line = secretKey.ReplaceAllString(line, "${1}(removed)")
		b.WriteString(userInfo.ReplaceAllString(line, "://(removed)@") + "\n")
	}
	return b.String()
}

// withoutComment removes the comment of a line of YAML. It begins at a # that is not in quotes and begins the line or
// follows a blank.
func withoutComment(line string) string {
	var quote rune
	before := ' '
	for i, r := range line {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case (r == '"' || r == '\'') && strings.ContainsRune(" \t[{,:", before):
			quote = r
		case r == '#' && (before == ' ' || before == '\t'):
			return line[:i]
		}
		before = r
	}
	return line
}
