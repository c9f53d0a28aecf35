// Package sonic tests `uelink sonic` with Debian's redis-server and real daemons.
package sonic
