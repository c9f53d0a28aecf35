// Package netif owns network interfaces. An interface that is owned has its frames taken: by
// an XDP program, an AF_XDP socket for each RX queue, and promiscuous mode or groups. Its MTU, its
// offloads, and the offloads of the other end of a veth may be changed for a while. All of it
// is put back. The daemon, `uelink traffic` and `uelink cable` have no other way to an
// interface.
//
//	records := netif.OpenRecords("/var/lib/uelink/interfaces", log)
//	records.PutBack()                    // what processes changed that were killed
//	i, err := records.Own("eth1", log)   // one interface
//	err = i.SetMTU(1514)                 // before Take: drivers refuse it under XDP
//	err = i.Take(netif.Options{Attach: attach, Offloads: netif.OffloadsOff, Sockets: &sockets})
//	...                                  // i.Sockets() move frames
//	err = i.Release()                    // puts all of it back
//
// Program, sockets, promiscuous mode and groups end with the process, however that ends. What would
// stay, the MTU and the offloads, is written down in a file for each interface before it is
// changed: what it was and what it is set to. So the changes of a process that was killed can
// be put back by the next. Only what still is as it was set is put back: what somebody else has
// changed since then stays.
//
// The process keeps a lock (flock) on the files of its interfaces. The kernel lets go
// of it when the process ends, however that happens. So a file without a lock belongs to
// nobody, and one with a lock is never touched by another process: it may be in the same
// network namespace with other interfaces, or in another namespace with the same
// directory.
package netif
