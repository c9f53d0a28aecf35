package micropacket

// Type is the TYPE field: what a micropacket contains (HIPPI-6400 §6.3, table 2). 4 bits.
type Type uint8

// The defined TYPEs; 0, 1, 6 and B to E are undefined (9.1.4).
const (
	Reset         Type = 0x2 // begins a Link Reset (12.1)
	ResetACK      Type = 0x3 // the sender has completed its part of the Link Reset
	Initialize    Type = 0x4 // begins an Initialize (12.2)
	InitializeACK Type = 0x5 // the sender has completed its part of the Initialize
	Null          Type = 0x7 // fills a gap; carries an ACK indication
	Data          Type = 0x8 // payload of a Message
	Header        Type = 0x9 // the first micropacket of a Message
	CreditOnly    Type = 0xA // credit and an ACK indication, without data
	Admin         Type = 0xF // a command (VC1) or a response (VC2) of HIPPI-6400-SC
)

// String returns the TYPE's name in HIPPI-6400 table 2, or "undefined".
func (t Type) String() string {
	switch t {
	case Reset:
		return "Reset"
	case ResetACK:
		return "Reset_ACK"
	case Initialize:
		return "Initialize"
	case InitializeACK:
		return "Initialize_ACK"
	case Null:
		return "Null"
	case Data:
		return "Data"
	case Header:
		return "Header"
	case CreditOnly:
		return "Credit-only"
	case Admin:
		return "Admin"
	}
	return "undefined"
}

// defined has a bit for each TYPE that HIPPI-6400 defines.
const defined = 1<<Reset | 1<<ResetACK | 1<<Initialize | 1<<InitializeACK | 1<<Null | 1<<Data | 1<<Header |
	1<<CreditOnly | 1<<Admin

// Defined reports whether HIPPI-6400 defines this TYPE of micropackets.
func (t Type) Defined() bool { return defined>>t&1 != 0 }

// LinkControl reports whether the TYPE is Reset, Reset_ACK, Initialize or Initialize_ACK (6.3.1).
func (t Type) LinkControl() bool { return t >= Reset && t <= InitializeACK }

// Sequenced reports whether a micropacket of the TYPE takes a TSEQ, and is acknowledged and retransmitted (6.3, 6.4).
// Clauses: HIPPI-6400/fields.5.
func (t Type) Sequenced() bool { return t >= Data }

// Buffered reports whether a micropacket of the TYPE uses a credit and enters a VC buffer (6.3).
// Clauses: HIPPI-6400/fields.4.
func (t Type) Buffered() bool { return t >= Data && t != CreditOnly }

// Accumulates reports whether the ECRC of the TYPE covers its Message up to the micropacket, and not the micropacket
// alone (table 2). An undefined TYPE from B on counts as Data (9.1.4).
func (t Type) Accumulates() bool { return t.Buffered() && t != Admin }
