package machine

import (
	"context"
	"errors"
	"strings"
)

// Mirror is the URI of the Debian archive that this machine installs from.
type Mirror string

// errNoMirror is the error where apt has no archive of Debian.
var errNoMirror = errors.New("apt-get indextargets names no Debian archive: add one to /etc/apt/sources.list.d")

// targetFormat makes apt print a line for each index: origin, code name, component and URI.
const targetFormat = "$(ORIGIN)\t$(CODENAME)\t$(COMPONENT)\t$(REPO_URI)"

// ConfiguredMirror returns the Debian mirror in this machine's configuration of apt. If there are no package lists
// yet, it downloads them first.
func ConfiguredMirror(ctx context.Context) (Mirror, error) {
	m, err := askMirror(ctx)
	if !errors.Is(err, errNoMirror) {
		return m, err
	}
	if _, err := output(ctx, "apt-get", "update", "-qq"); err != nil {
		return "", err
	}
	return askMirror(ctx)
}

// askMirror returns the Debian mirror by the package lists that apt has; errNoMirror if it has none of Debian.
func askMirror(ctx context.Context) (Mirror, error) {
	text, err := output(ctx, "apt-get", "indextargets", "--format", targetFormat, "Created-By: Packages")
	if err != nil {
		return "", err
	}
	return parseTargets(text)
}

// parseTargets returns the mirror of Debian's main archive in the output of `apt-get indextargets`. Archives of
// updates and security, which have a hyphen in their code names, are skipped.
func parseTargets(text string) (Mirror, error) {
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(f) == 4 && f[0] == "Debian" && f[2] == "main" && f[1] != "" && !strings.Contains(f[1], "-") {
			return Mirror(f[3]), nil
		}
	}
	return "", errNoMirror
}

// keyring is the file with the keys of Debian's releases; package debian-archive-keyring.
const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"

// source returns the line of a sources.list that names the main component of a suite on the mirror.
func (m Mirror) source(suite string) string {
	return "deb [signed-by=" + keyring + "] " + string(m) + " " + suite + " main"
}
