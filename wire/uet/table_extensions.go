package uet

import "uelink/wire/layout"

// extension returns the format of an extension header of length octets, which follows the SES headers of requests of
// dialects d with one of the operation codes. parts are its fields; name, title and source are those of layout.Format.
func extension(d Dialects, codes Opcodes, name, prefix, title, source string, length int,
	parts ...[]layout.Field) Format {
	f := Format{Layer: LayerExtension, Dialects: d, Opcodes: codes, Format: layout.Format{
		Name: name, Prefix: "ueuet." + prefix, Title: title, Len: length, Source: source}}
	for _, part := range parts {
		f.Fields = append(f.Fields, part...)
	}
	return f
}

// atomicHead returns the fields of octets 0 and 1 of the atomic extensions: operation and data type.
func atomicHead(types layout.Names) []layout.Field {
	return []layout.Field{
		field("opcode", 8, "0", "atomic operation").Named(atomicOpcodes),
		field("datatype", 8, "1", "data type of the operands").Named(types),
	}
}

// operands returns the fields of the two operands of compare-and-swap, each in two halves, at the given places.
func operands(places [4]string) []layout.Field {
	return []layout.Field{
		field("compare_high", 64, places[0], "compare or mask value, bits 127 to 64"),
		field("compare_low", 64, places[1], "compare or mask value, bits 63 to 0"),
		field("swap_high", 64, places[2], "swap value, bits 127 to 64"),
		field("swap_low", 64, places[3], "swap value, bits 63 to 0"),
	}
}

// extensions returns the extension header formats of both dialects, in the order of packets. No operation code of the
// dialect seed announces a rendezvous extension: Options.Rendezvous does.
// Clauses: UE-SES/rendezvous.1-3, UE-SES/atomic.1-3,6, UE-SES/cas.1-5.
func extensions() []Format {
	seedControl := []layout.Field{
		field("semantic_control", 16, "2-3", "coherence of the memory"), reserved(32, "4-7"),
	}
	ue1Control := []layout.Field{
		field("semantic_control", 8, "2", "coherence of the memory: 1 cacheable, 2 CPU coherent"),
		reserved(8, "3"),
	}
	seedCAS := atomicHead(seedDatatypes)
	seedCAS[0] = seedCAS[0].Within(firstSwap, lastSwap)
	swaps := span(firstSwap, lastSwap)
	ue1Atomics := opcodes(0x03, 0x04, 0x0D, 0x0E, 0x11)
	list := []Format{
		extension(Seed, 0, "rendezvous_extension", "rendezvous", "Rendezvous Extension", "UE-SES §3.6, Figure 3-15",
			32,
			[]layout.Field{
				field("eager_length", 32, "0-3", "octets that come with the request"),
				field("memory_key", 64, "4-11", "memory key of the initiator"),
				field("buffer_offset", 64, "12-19", "offset of the rest of the message in the initiator's buffer"),
				field("remaining_length", 32, "20-23", "octets of the rest, which the target reads"),
				reserved(64, "24-31"),
			}),
		extension(Seed, opcodes(0x03, 0x04, 0x0B, 0x0C), "atomic_extension", "atomic", "Atomic Extension",
			"UE-SES §3.7, Figure 3-16", 8, atomicHead(seedDatatypes), seedControl),
		extension(Seed, opcodes(0x05, 0x0D), "cas_extension", "atomic", "Compare-and-Swap Extension",
			"UE-SES §3.8, Figure 3-17", 40, seedCAS, seedControl, operands([4]string{"8-15", "16-23", "24-31",
				"32-39"})),
		extension(UE1, opcodes(0x06, 0x0A), "rndv_ext", "rendezvous", "Rendezvous Extension", ue1SESSource, 24,
			[]layout.Field{
				field("eager_length", 32, "0-3", "octets that come with the request"),
				field("ri_generation", 8, "4", "generation of the resource index to read from"),
				field("pid_on_fep", 12, "5+6[7:4]", "process to read from"),
				field("resource_index", 12, "6[3:0]+7", "resource to read from"),
				field("buffer_offset", 64, "8-15", "offset in the initiator's buffer to read from"),
				field("memory_key", 64, "16-23", "memory key to read with"),
			}),
		extension(UE1, opcodes(0x10, 0x11), "sync_ext", "sync", "Sync Extension", ue1SESSource, 4, []layout.Field{
			field("group", 16, "0-1", "group of requests"),
			field("count", 16, "2-3", "requests in the group"),
		}),
		extension(UE1, ue1Atomics, "atomic_ext", "atomic", "Atomic Extension", ue1SESSource, 4,
			atomicHead(ue1Datatypes), ue1Control),
		extension(UE1, ue1Atomics, "cswap_ext", "atomic", "Compare-and-Swap Extension", ue1SESSource, 36,
			atomicHead(ue1Datatypes), ue1Control, operands([4]string{"4-11", "12-19", "20-27", "28-35"})),
	}
	list[len(list)-2].Atomic = ^swaps
	list[len(list)-1].Atomic = swaps
	return list
}
