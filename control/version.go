package control

import "runtime/debug"

// version is set by the linker (see the Makefile) and by nothing else.
var version string

// Version is what this program was built from: what `git describe` said to make,
// or the version that the go command puts in. It is "(devel)" for a build outside
// of version control.
func Version() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
