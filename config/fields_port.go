package config

import (
	"math"
	"slices"

	"uelink/config/schema"
	"uelink/dataplane/attach"
	"uelink/dataplane/model"
	"uelink/dataplane/qos"
	"uelink/wire"
)

// portFields returns the schema of the configuration keys of a port: of every port, of ports that carry frames,
// of links, of edges, and of LLDP.
func portFields() schema.Section[portEntry] {
	return slices.Concat(identityFields(), labelsFields(), schema.Within(frameFields(), frames), saiFields(),
		portQoSFields(),
		schema.Within(slices.Concat(linkProtocolFields(), linkFields()), frames), hippiFields(), cbfcFields(),
		pfcFields(), hostFields(),
		schema.Within(edgeFields(), frames), lldpFields())
}

func frames(p *portEntry) *model.PortSettings { return &p.frames }

// identityFields returns the schema of the configuration keys of every port.
func identityFields() schema.Section[portEntry] {
	return schema.Section[portEntry]{
		schema.Required("name", schema.Name(), "Name of the port; unique.", func(p *portEntry) *string { return &p.frames.Name }),
		schema.Required("interface", interfaceName(maxAltname), "Network interface of the port, by its name or an altname; unique.", func(p *portEntry) *string { return &p.frames.Interface }),
		schema.Required("role", schema.Choice(model.RoleLink, model.RoleEdge, model.RoleHost),
			"`link`: speaks the UE link protocol with one partner. `edge`: plain Ethernet. `host`: the interface stays the kernel's, only LLDP and DCBX run on it.",
			func(p *portEntry) *model.Role { return &p.frames.Role }),
	}
}

// frameFields returns the schema of the configuration keys of a port whose interface the daemon owns.
func frameFields() schema.Section[model.PortSettings] {
	type port = model.PortSettings
	return schema.Section[port]{
		schema.Value("mtu", schema.Choice(model.MTUAuto, model.MTUCheck, model.MTUSet), "auto",
			"A link needs the MTU of its edge and 14 octets more, 26 with `encapsulation: addressed`. `set`: the daemon sets the needed MTU; `check`: it refuses a smaller MTU; `auto`: as `set`, but on an interface that the daemon's machine itself uses the daemon only warns of a smaller MTU.",
			func(p *port) *model.MTU { return &p.MTU }),
		schema.Value("offloads", schema.Choice(model.OffloadsAuto, model.OffloadsOff, model.OffloadsLeave), "auto",
			"Checksum and segmentation offloads. `off`: switched off while the daemon runs, and restored at its end; `leave`: not touched; `auto`: `leave` for a link on an interface that the daemon's machine itself uses, else `off`.",
			func(p *port) *model.Offloads { return &p.Offloads }),
		schema.Value("promiscuous", schema.Choice(model.PromiscuousAuto, model.PromiscuousOn, model.PromiscuousOff), "auto",
			"Receive frames for other addresses than the interface's own. `auto`: false for a link on an interface that the daemon's machine itself uses, else true.",
			func(p *port) *model.Promiscuous { return &p.Promiscuous }),
		schema.Value("xdp", schema.Choice(attach.ModeAuto, attach.ModeDriver, attach.ModeGeneric), "auto",
			"How the XDP program is attached. `auto`: `driver`, or `generic` if the driver refuses or has a known defect.",
			func(p *port) *attach.Mode { return &p.XDP }),
		schema.Value("bind", schema.Choice(attach.BindAuto, attach.BindCopy, attach.BindZeroCopy), "auto",
			"How the AF_XDP sockets are bound. `auto`: zero copy where the kernel reports that the driver has zero copy (Linux 6.3), no "+
				"defect of the driver is known, the host does not use a link's interface itself, and an edge's interface is not the way to reach the host, "+
				"else copy. "+
				"`zerocopy`: zero copy, and an error where it fails; but copy where `xdp: auto` has fallen back to generic.",
			func(p *port) *attach.Bind { return &p.Bind }),
		schema.Value("allow_zerocopy", schema.Boolean(), "false",
			"Allow `bind: zerocopy` on the interface of the default route, or of the ssh connection in use. With `false` the daemon refuses zero copy there.",
			func(p *port) *bool { return &p.AllowZeroCopy }),
		schema.Value("tx_path", schema.Choice(attach.PathAuto, attach.PathAFXDP, attach.PathLive), "auto",
			"How frames leave. `af_xdp`: by the TX ring of the socket. `live`: batches of 16 frames and more, which form under load, leave as live XDP frames, without an skb (Linux 5.18), at a fraction of the cost, and smaller batches of many ports together; a frame that finds no room at the other end is lost without an error. Only on interfaces with one queue. `auto`: `live` on a link on a veth with one queue, where LLR repairs the loss, else `af_xdp`.",
			func(p *port) *attach.Path { return &p.TxPath }),
		schema.Value("opener", schema.Choice(attach.OpenerAuto, attach.OpenerAsavie, attach.OpenerNative), "auto",
			"Code that opens the AF_XDP sockets: the Go library `asavie`, or uelink's own code, `native`, which fills the fill ring before it binds, as zero-copy drivers need. `auto`: `native`, and in copy mode `asavie` if `native` fails. Sockets of `asavie` have no live frames (`tx_path`), and `uelink upgrade` cannot hand them over.",
			func(p *port) *attach.Opener { return &p.Opener }),
		schema.OrList(schema.Value("queues", queueCount(), "0",
			"RX queues with a socket: a number n for the first n queues, or a list such as `[2, 4-7]`; 0 = all queues of the interface.",
			func(p *port) *attach.Queues { return &p.Queues }), rxQueues(), setQueues),
		schema.Value("tx_queue", txQueue(), "auto", "TX queue for the port's frames, one of `queues`. `auto`: the first of `queues`.",
			func(p *port) *attach.TxQueue { return &p.TxQueue }),
		schema.Value("ring_size", schema.PowerOfTwo(64, 65536), "1024",
			"Entries of the TX ring. Each RX queue also has as many chunks for arriving frames alone: frames that wait to be sent use other chunks.",
			func(p *port) *int { return &p.RingSize }),
		schema.Value("rx_ring_size", schema.OrAuto(schema.PowerOfTwo(64, 65536)), "auto",
			"Entries of the RX ring of each queue, and the largest number of frames received by the queue that can wait. "+
				"`auto`: on an edge 4096, enough for a burst of Linux TCP, or `ring_size` if larger; on a link "+
				"`ring_size`. While more frames arrive at an edge than are forwarded, no more than 512 wait in "+
				"copy mode, unless PFC is on or frames take several chunks.",
			func(p *port) *int { return &p.RxRingSize }),
		schema.Value("chunk_size", schema.OrAuto(schema.OneOf(2048, 4096)), "auto",
			"Octets of a chunk, of which 256 are not for the frame. Longer frames take up to four chunks (Linux 6.6). `auto`: 2048 where the MTU allows, else 4096.",
			func(p *port) *int { return &p.ChunkSize }),
		schema.Value("capture", capturePath(), "", "pcapng file with every frame of the port, readable by its owner only, written from the beginning whenever the daemon attaches to the interface; empty = none. (`tcpdump` does not see frames that XDP takes.)",
			func(p *port) *string { return &p.Capture }),
		schema.Value("capture_limit", schema.Size(4096, math.MaxInt64), "64MiB", "Octets after which the capture ends.",
			func(p *port) *int64 { return &p.CaptureLimit }),
	}
}

// saiFields returns the schema of section sai of a port: the lane numbers by which clients of SAI know the port.
func saiFields() schema.Section[portEntry] {
	lanes := schema.Section[portEntry]{
		schema.Scalars("lanes", schema.Whole[uint32](0, math.MaxUint32), 0, "",
			"Numbers by which clients of SAI know the port (SAI_PORT_ATTR_HW_LANE_LIST), each of one port only. With an empty list: the place of the port among the ports of role link and edge, from 0.",
			func(p *portEntry, list []uint32) { p.lanes = list }),
	}
	return schema.Section[portEntry]{
		schema.Nested("sai", "The port as clients of SAI see it.", lanes, func(p *portEntry) *portEntry { return p }),
	}
}

// linkFields returns the schema of the configuration keys that only a link port has.
func linkFields() schema.Section[model.PortSettings] {
	type port = model.PortSettings
	return schema.Section[port]{
		schema.Value("dialect", schema.Choice(wire.DialectSeed, wire.DialectUE1), "seed",
			"Link only. Layout of the preamble image, the part of the shim with the sequence number; both ends need the same.",
			func(p *port) *wire.Dialect { return &p.Dialect }),
		schema.Value("fcs", schema.Boolean(), "true", "Link only. Send an FCS image, the part of the shim with the check of the frame, with every data frame.",
			func(p *port) *bool { return &p.FCS }),
		schema.Value("encapsulation", schema.Choice(model.Transparent, model.Addressed), "transparent",
			"Link only. Outer addresses of data frames. `transparent`: the addresses of the carried frame. "+
				"`addressed`: the addresses of the two link ports; needs 12 octets more and no promiscuous mode, and crosses bridges.",
			func(p *port) *model.Encapsulation { return &p.Encapsulation }),
		schema.Value("partner", schema.OrAuto(stationAddress()), "auto",
			"Link with `encapsulation: addressed` or `protocol: hippi6400` only. Address of the partner's link port. `auto`: the first station heard; it remains the partner until it has been silent for 3 s.",
			func(p *port) *wire.MAC { return &p.Partner }),
		schema.Value("native", schema.Choice(attach.NativeAuto, attach.NativeSocket, attach.NativePass, attach.NativeDrop), "auto",
			"Link only. Received frames without a shim. `socket`: the daemon handles them; `pass`: they go to the kernel; `drop`: they are dropped. `auto`: `pass` on an interface that the daemon's machine itself uses, else `socket`. With `pass` the daemon sends no frame without a shim either.",
			func(p *port) *attach.NativeAction { return &p.Native }),
		schema.Nested("ethertypes", "Link only. EtherTypes of the link's own frames; both ends need the same.", etherTypeFields(),
			func(p *port) *port { return p }),
		schema.Nested("llr", "Link only. Link layer retry; off without this section.", llrFields(),
			func(p *port) *model.LLRSettings { return &p.LLR }),
		schema.Value("vcs", schema.Whole(1, qos.Classes), "1", "Link only. Number of virtual channels of this end, each with a queue of its own.",
			func(p *port) *int { return &p.VCs }),
	}
}

func etherTypeFields() schema.Section[model.PortSettings] {
	type port = model.PortSettings
	return schema.Section[port]{
		schema.Value("data", etherType(), "0x88B5", "EtherType of data frames with a shim.", func(p *port) *uint16 { return &p.EtherTypeData }),
		schema.Value("control", etherType(), "0x88B6", "EtherType of control frames.", func(p *port) *uint16 { return &p.EtherTypeControl }),
	}
}

// llrFields returns the schema of the configuration key llr of a link.
// Clauses: SAI-LLR/port.1,2,4, SAI-LLR/workflow.2.
func llrFields() schema.Section[model.LLRSettings] {
	type settings = model.LLRSettings
	return schema.Section[settings]{
		schema.Value("mode", schema.Choice(model.LLRStatic, model.LLRDynamic, model.LLROff), "off",
			"`static`: on in the directions of `local` and `remote`. `dynamic`: on while both ends offer LLR by LLDP; `local` and `remote` are the directions that this end is willing to use, by default both.",
			func(l *settings) *model.LLRMode { return &l.Mode }),
		schema.Value("local", schema.Boolean(), "false", "Accept LLR_INIT, so that frames arrive reliably. LLDP offers this to the partner.", func(l *settings) *bool { return &l.Local }),
		schema.Value("remote", schema.Boolean(), "false", "Send LLR_INIT, so that frames are sent reliably.", func(l *settings) *bool { return &l.Remote }),
		schema.Value("profile", schema.Name(), defaultProfile, "Name of the LLR profile.", func(l *settings) *string { return &l.Profile }),
	}
}
