package api

import "runtime/debug"

// version is set by the linker (see the Makefile) and by nothing else.
var version string

// Version returns the version of this program: the output of `git describe` at make, or the version of the go command.
// It is "(devel)" for a build outside of version control.
func Version() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
