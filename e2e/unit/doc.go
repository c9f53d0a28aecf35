// Package unit runs a program as the service manager would run it by a systemd unit,
// without systemd: as an unprivileged user with the unit's capabilities, limits,
// system calls and view of the file system. It is for tests.
//
//	u, err := unit.Load("../deploy/uelinkd.service")
//	cmd := u.Command(machine, u.Start)   // an exec.Cmd of this program, which becomes the service
//
// The program that uses it calls Main first. Load refuses a directive that it does
// not know, so that one that is added to the unit is either applied here or listed
// with the reason why it changes nothing.
package unit
