package machine

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// apt is the package manager with its own state directory and one suite of a mirror.
type apt struct{ dir string }

// newApt downloads the package lists of a Debian suite from mirror m, and returns an apt whose files are all in dir.
func newApt(ctx context.Context, dir string, m Mirror, suite string) (*apt, error) {
	a := &apt{dir}
	for _, d := range []string{"lists/partial", "cache/archives/partial", "state", "debs"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			return nil, err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "sources.list"), []byte(m.source(suite)+"\n"), 0o644); err != nil {
		return nil, err
	}
	_, err := output(ctx, "apt-get", a.arguments("update", "-qq")...)
	return a, err
}

// arguments returns the arguments args of apt-get or apt-cache behind the options that make it use only the files in
// a.dir.
func (a *apt) arguments(args ...string) []string {
	var all []string
	for _, option := range []string{
		"Dir::Etc::sourcelist=" + filepath.Join(a.dir, "sources.list"), "Dir::Etc::sourceparts=/dev/null",
		"Dir::State=" + filepath.Join(a.dir, "state"), "Dir::State::lists=" + filepath.Join(a.dir, "lists"),
		"Dir::State::status=/dev/null", "Dir::Cache=" + filepath.Join(a.dir, "cache"), "APT::Sandbox::User=root",
	} {
		all = append(all, "-o", option)
	}
	return append(all, args...)
}

// download downloads packages by name and returns the paths of their files.
func (a *apt) download(ctx context.Context, packages []string) ([]string, error) {
	debs := filepath.Join(a.dir, "debs")
	args := a.arguments(append([]string{"download", "-qq"}, packages...)...)
	if _, err := outputIn(ctx, debs, "apt-get", args...); err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(debs, "*.deb"))
	if err == nil && len(files) != len(packages) {
		err = fmt.Errorf("%d packages wanted, %d files in %s", len(packages), len(files), debs)
	}
	return files, err
}

// kernelPart matches a package with a part of a kernel: the image, or in split packages the binary and the modules.
var kernelPart = regexp.MustCompile(`^linux-(image|binary|modules)-([0-9]\S*)$`)

// kernel returns the names of the packages of the suite's newest kernel, and the kernel's release. It follows the
// dependencies of the package linux-image-amd64.
func (a *apt) kernel(ctx context.Context) (packages []string, release string, err error) {
	for ask := []string{"linux-image-amd64"}; len(ask) > 0; ask = ask[1:] {
		text, err := output(ctx, "apt-cache", a.arguments("show", ask[0])...)
		if err != nil {
			return nil, "", err
		}
		for _, d := range depends(text) {
			part := kernelPart.FindStringSubmatch(d)
			if part == nil || slices.Contains(packages, d) {
				continue
			}
			packages, release, ask = append(packages, d), part[2], append(ask, d)
		}
	}
	if len(packages) == 0 {
		err = fmt.Errorf("the package linux-image-amd64 depends on no package of a kernel")
	}
	return packages, release, err
}

// depends returns the names in the fields Depends of package records.
func depends(records string) (names []string) {
	for line := range strings.Lines(records) {
		list, ok := strings.CutPrefix(line, "Depends: ")
		if !ok {
			continue
		}
		for dependency := range strings.SplitSeq(list, ",") {
			if name := strings.Fields(dependency); len(name) > 0 {
				names = append(names, name[0])
			}
		}
	}
	return names
}
