// Package machine makes virtual machines with emulated NICs, and all that they need, on a Debian
// host: QEMU of Debian's next release in a folder of its own, kernels that are downloaded and
// unpacked but not installed, an initramfs with programs of ours, and a monitor that pulls cables
// and cards. Nothing needs hardware virtualisation.
//
//	mirror.go     where this machine's packages come from
//	apt.go        packages of another suite, without touching this machine's
//	room.go       the folder with QEMU and the tools of a guest
//	kernel.go     kernels and their modules
//	cpio.go       the archive format of an initramfs
//	initramfs.go  what a guest's root has
//	device.go     NICs and what they are plugged into
//	guest.go      a QEMU process and the line to its guest
//	monitor.go    QEMU's monitor
//
// Everything that was downloaded is kept in a cache directory; what is in it is complete, for it is
// made beside its place and then renamed.
package machine
