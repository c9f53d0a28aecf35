// Package session runs a sonic.Machine between a daemon and SONiC's Redis: it reads rows and the daemon, carries out
// the machine's calls, and writes its rows, until it is told to end.
//
// Redis and the daemon may go away and come back at any time. Each is then waited for, which the log says once, and
// everything is written again.
package session
