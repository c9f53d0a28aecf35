// Package netif changes network interfaces for a while and puts them back: the MTU, the
// offloads, and the offloads of the other end of a veth. It also takes their frames: it
// keeps them in promiscuous mode and opens AF_XDP sockets for their RX queues.
//
//	records := netif.OpenRecords("/var/lib/uelink/interfaces", log)
//	records.PutBack()                    // what processes changed that were killed
//	i, err := records.Own(link, log)     // one interface
//	err = i.SetMTU(1514)
//	off, err := i.DisableOffloads()
//	i.Release()                          // puts all of it back
//
// Before something is changed it is written down in a file, one for each interface:
// what it was and what it is set to. So the changes of a process that was killed can be
// put back by the next. Only what still is as it was set is put back: what somebody
// else has changed since then stays.
//
// The process keeps a lock (flock) on the files of its interfaces. The kernel lets go
// of it when the process ends, however that happens. So a file without a lock belongs to
// nobody, and one with a lock is never touched by another process: it may be in the same
// network namespace with other interfaces, or in another namespace with the same
// directory.
package netif
