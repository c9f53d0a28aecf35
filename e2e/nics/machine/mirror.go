package machine

import (
	"context"
	"errors"
	"strings"
)

// Mirror is the URI of the Debian archive that this machine installs from.
type Mirror string

// errNoMirror says that apt has no archive of Debian.
var errNoMirror = errors.New("apt-get indextargets names no Debian archive: add one to /etc/apt/sources.list.d")

// targetFormat is a line for each index that apt knows: origin, code name, component and URI.
const targetFormat = "$(ORIGIN)\t$(CODENAME)\t$(COMPONENT)\t$(REPO_URI)"

// ConfiguredMirror is the mirror that apt is configured with. The lists of packages are fetched
// if there are none.
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

func askMirror(ctx context.Context) (Mirror, error) {
	text, err := output(ctx, "apt-get", "indextargets", "--format", targetFormat, "Created-By: Packages")
	if err != nil {
		return "", err
	}
	return parseTargets(text)
}

// parseTargets finds the main archive of Debian: no updates, no security, which are kept elsewhere.
func parseTargets(text string) (Mirror, error) {
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(f) == 4 && f[0] == "Debian" && f[2] == "main" && f[1] != "" && !strings.Contains(f[1], "-") {
			return Mirror(f[3]), nil
		}
	}
	return "", errNoMirror
}

// keyring has the keys of Debian's releases; package debian-archive-keyring.
const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"

// source is the line of a sources.list for a suite of the mirror.
func (m Mirror) source(suite string) string {
	return "deb [signed-by=" + keyring + "] " + string(m) + " " + suite + " main"
}
