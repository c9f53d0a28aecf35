// Package session runs a sonic.Machine between a daemon and SONiC's Redis: it reads rows and the state of the daemon,
// carries out the machine's calls, and writes the machine's rows, until its context ends. Redis and the daemon may end
// and come back at any time. The session then waits for them, which the log says once, and writes all rows again.
package session
