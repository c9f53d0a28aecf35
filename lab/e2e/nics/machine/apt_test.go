package machine

import (
	"slices"
	"strings"
	"testing"
)

func TestDependsOfRecords(t *testing.T) {
	const records = `Package: linux-image-7.3.4+deb13-amd64
Depends: dracut | linux-initramfs-tool, linux-binary-7.3.4+deb13-amd64 (= 7.3.4-1), linux-modules-7.3.4+deb13-amd64
Recommends: firmware

Package: linux-image-amd64
Depends: linux-image-6.12.1-amd64
`
	want := []string{"dracut", "linux-binary-7.3.4+deb13-amd64", "linux-modules-7.3.4+deb13-amd64",
		"linux-image-6.12.1-amd64"}
	if got := depends(records); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestPartsOfAKernel(t *testing.T) {
	for name, release := range map[string]string{
		"linux-image-6.12.107+deb13-amd64": "6.12.107+deb13-amd64",
		"linux-binary-7.3.4+deb13-amd64":   "7.3.4+deb13-amd64",
		"linux-modules-7.3.4+deb13-amd64":  "7.3.4+deb13-amd64",
		"linux-modules-amd64":              "",
		"linux-base-7.3.4+deb13-amd64":     "",
		"linux-headers-6.12.107+deb13":     "",
		"other-linux-image-6.12.107+deb13": "",
	} {
		got := ""
		if part := kernelPart.FindStringSubmatch(name); part != nil {
			got = part[2]
		}
		if got != release {
			t.Errorf("%s: release %q, want %q", name, got, release)
		}
	}
}

// Nothing of this machine's package manager is looked at but its programs.
func TestAptHasAStateOfItsOwn(t *testing.T) {
	args := (&apt{dir: "/own"}).arguments("update")
	if args[len(args)-1] != "update" {
		t.Errorf("%q does not end with the command", args)
	}
	text := strings.Join(args, " ")
	for _, option := range []string{"Dir::State=/own/state", "Dir::State::lists=/own/lists", "Dir::Cache=/own/cache",
		"Dir::Etc::sourcelist=/own/sources.list", "Dir::Etc::sourceparts=/dev/null", "Dir::State::status=/dev/null"} {
		if !strings.Contains(text, "-o "+option) {
			t.Errorf("%q lacks %s", text, option)
		}
	}
}
