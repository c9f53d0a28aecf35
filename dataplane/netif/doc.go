// Package netif owns network interfaces: it attaches an XDP program, an AF_XDP socket for each RX queue, and
// promiscuous mode or multicast groups, and restores everything at the end. The MTU, the offloads, and the
// offloads of the other end of a veth can be changed for a while, too. The daemon, `uelink traffic` and
// `uelink cable` use interfaces only through this package.
//
//	records := netif.OpenRecords("/var/lib/uelink/interfaces", log)
//	records.PutBack()                    // restore the changes of killed processes
//	i, err := records.Own("eth1", log)   // one interface
//	err = i.SetMTU(1514)                 // before Attach: drivers refuse it under XDP
//	err = i.Attach(netif.Options{Attach: attach, Offloads: netif.OffloadsOff, Sockets: &sockets})
//	...                                  // i.Sockets() move frames
//	err = i.Release()                    // restores everything
//
// A veth may push back (PushBack): the kernel leaves the host's frames with the host until a Pump asks for them.
//
// Program, sockets, promiscuous mode and groups end with the process, however the process ends. MTU, offloads, and the
// changes of the host's end of a veth would stay. So a file for each interface records the old and the new value
// before a change, and the next process can restore the changes of a killed process. A value is restored only while it
// still is as this package has set it: later changes by others stay.
//
// The process keeps a lock (flock) on the files of its interfaces. The kernel releases the lock when the process
// ends, however that happens. So a file without a lock belongs to nobody, and a locked file is never touched by
// another process, be it in the same network namespace with other interfaces, or in another namespace with the same
// directory.
package netif
