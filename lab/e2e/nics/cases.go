package main

// lane is a case: a NIC with a driver, on a kernel, and the keys of uelink's link.
type lane struct {
	Name       string         `json:"name"`
	Suite      string         `json:"suite"`  // suite of Debian with the kernel
	Driver     string         `json:"driver"` // kernel module of the NICs
	Model      string         `json:"model"`  // QEMU's model of the NICs
	Properties map[string]any `json:"properties,omitempty"`
	Far        string         `json:"far,omitempty"`    // model of a second machine's NICs; empty: only one machine
	Script     string         `json:"script,omitempty"` // script of the guest; empty: scriptFaults
	Link       string         `json:"link"`             // keys of the link ports
	Mode       string         `json:"expected"`         // XDP mode and bind mode that the daemon must report
}

// Debian suites with the kernels of the cases: of the release before this one, of this release, and the newest.
const (
	oldstable = "bookworm"
	stable    = "trixie"
	backports = "trixie-backports"
)

// modern are the properties of a virtio device as in virtual machines with protected memory. Only such a device has
// zero copy.
var modern = map[string]any{"disable-legacy": "on", "iommu_platform": true}

// lanes are all cases, in the order in which they run.
var lanes = []lane{
	{Name: "virtio-net", Suite: stable, Driver: "virtio_net", Model: "virtio-net-pci",
		Properties: map[string]any{"disable-legacy": "off"}, Mode: "driver, copy"},
	{Name: "e1000e", Suite: stable, Driver: "e1000e", Model: "e1000e", Mode: "generic, copy"},
	{Name: "igb", Suite: stable, Driver: "igb", Model: "igb", Mode: "driver, copy"},
	{Name: "vmxnet3", Suite: stable, Driver: "vmxnet3", Model: "vmxnet3", Mode: "generic, copy"},
	{Name: "igb zero copy", Suite: backports, Driver: "igb", Model: "igb",
		Link: "xdp: driver, bind: zerocopy, opener: native, chunk_size: 4096", Mode: "driver, zerocopy"},
	{Name: "igb zero copy, asavie", Suite: backports, Driver: "igb", Model: "igb",
		Link: "xdp: driver, bind: zerocopy, opener: asavie, chunk_size: 4096", Mode: "driver, zerocopy"},
	{Name: "virtio-net zero copy", Suite: backports, Driver: "virtio_net", Model: "virtio-net-pci", Properties: modern,
		Link: "xdp: driver, bind: zerocopy, opener: native", Mode: "driver, zerocopy"},
	{Name: "igb in use", Suite: stable, Driver: "igb", Model: "igb", Script: scriptInUse, Link: "promiscuous: true",
		Mode: "driver, copy"},
	{Name: "virtio-net in use", Suite: stable, Driver: "virtio_net", Model: "virtio-net-pci",
		Properties: map[string]any{"disable-legacy": "off"}, Script: scriptInUse, Link: "encapsulation: addressed",
		Mode: "driver, copy"},
	{Name: "virtio-net, lossy wire", Suite: stable, Driver: "virtio_net", Model: "virtio-net-pci",
		Properties: map[string]any{"disable-legacy": "off"}, Far: "virtio-net-pci", Script: scriptClient,
		Link: "encapsulation: addressed", Mode: "driver, copy"},
	{Name: "veth, Debian 12", Suite: oldstable, Driver: "veth", Model: "e1000e", Script: scriptVeth, Mode: "driver, copy"},
	{Name: "veth, super-frames", Suite: oldstable, Driver: "veth", Model: "e1000e", Script: scriptSuper, Mode: "driver, copy"},
	{Name: "veth, super-frames, newest kernel", Suite: backports, Driver: "veth", Model: "e1000e", Script: scriptSuper,
		Mode: "driver, copy"},
	{Name: "igb to e1000e", Suite: stable, Driver: "igb", Model: "igb", Far: "e1000e", Mode: "driver, copy"},
}

// Scripts of guests: each names the traffic in the guest, and the events meanwhile.
const (
	scriptFaults = "faults" // numbered frames through a link, and faults
	scriptPlain  = "plain"  // datagrams without uelink, and faults
	scriptInUse  = "inuse"  // a link on a NIC that the host uses
	scriptVeth   = "veth"   // live frames on a link over a veth
	scriptSuper  = "super"  // edges with super-frames, on veths
	scriptClient = "client" // TCP and UDP through a link across a lossy wire
)

func caseNames() (names []string) {
	for _, l := range lanes {
		names = append(names, l.Name)
	}
	return names
}
