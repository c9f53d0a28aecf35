// Package unit runs a program as systemd would run it from a unit file, but without systemd: as an unprivileged user
// with the unit's capabilities, limits, system calls and view of the file system. It is for tests.
//
//	u, err := unit.Load("../deploy/uelinkd.service")
//	cmd := u.Command(machine, u.Start)   // an exec.Cmd of the calling program, which then becomes the service
//
// A program that uses the package must call Main first. Load refuses an unknown directive, so that each directive of
// the unit is either applied here or listed with the reason why it has no effect.
package unit
