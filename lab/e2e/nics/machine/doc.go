// Package machine runs virtual machines with emulated NICs on a Debian host. It gets QEMU of Debian's next release
// into its own folder, downloads kernels and unpacks them without installing them, builds an initramfs with programs
// of this tree, and unplugs cables and cards by QEMU's monitor. It needs no hardware virtualisation.
//
//	mirror.go     URI of the Debian archive of this machine
//	apt.go        packages of another suite, with an apt state of its own
//	room.go       the folder with QEMU and the tools of a guest
//	kernel.go     kernels and their modules
//	cpio.go       the archive format of an initramfs
//	initramfs.go  files of a guest's root
//	device.go     NICs and their connections
//	guest.go      a QEMU process and the serial line to its guest
//	monitor.go    QEMU's monitor
//
// Downloads are kept in a cache directory. Each part of the cache is complete: it is made under another name, and
// renamed when it is done.
package machine
