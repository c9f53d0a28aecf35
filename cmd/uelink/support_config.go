package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// configurationMax bounds what is read of the configuration, in octets: what the daemon
// reads at most.
const configurationMax = 1 << 20

// readConfiguration reads the file that the daemon was started with. Its path may be
// relative to the daemon's working directory.
func (r *report) readConfiguration() {
	r.ConfigurationFile = r.Uelinkd.Config
	path := r.ConfigurationFile
	if !filepath.IsAbs(path) {
		path = filepath.Join(fmt.Sprintf("/proc/%d/cwd", r.Uelinkd.PID), path)
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
}

// secretKey is a key, in the block or the flow style of YAML, whose value is to be kept
// to oneself, and the value. The configuration of uelink has none; what was put into the
// file by mistake is not to be sent either.
var secretKey = regexp.MustCompile(
	`(?i)(["']?[\w.-]*(?:pass|secret|token|credential|private|api_?key|community)[\w.-]*["']?\s*:\s*)` +
		`("[^"]*"|'[^']*'|\[[^\]]*\]|\{[^}]*\}|[^,}\s][^,}\n]*)`)

// userInfo is name and password in an address.
var userInfo = regexp.MustCompile(`://[^/@\s]*@`)

// withoutSecrets is a configuration without comments, in which anything may be, without the
// values of secret keys, and without user names and passwords of addresses.
func withoutSecrets(text string) string {
	var b strings.Builder
	for one := range strings.Lines(text) {
		one = strings.TrimRight(withoutComment(one), " \t\r\n")
		if one == "" {
			continue
		}
		one = secretKey.ReplaceAllString(one, "${1}(removed)")
		b.WriteString(userInfo.ReplaceAllString(one, "://(removed)@") + "\n")
	}
	return b.String()
}

// withoutComment cuts a line of YAML off where its comment begins: at a # that is not in
// quotes and begins the line or follows a blank.
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
