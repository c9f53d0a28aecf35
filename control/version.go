package control

import "runtime/debug"

// Version is the module version that this program was built from; "(devel)" for
// a build outside of version control.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
