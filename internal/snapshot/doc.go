// Package snapshot saves the state of a machine as text and restores it in another process, perhaps of another version.
//
// A machine has one method for both directions, which passes each of its fields by name:
//
//	func (m *machine) PassState(s *snapshot.State) {
//		snapshot.Number(s, "seq", &m.seq)
//		s.Bool("live", &m.live)
//		s.Check(m.seq <= seqMax, "seq %d is out of range", m.seq)
//	}
//
// [Save] calls the method to read the fields, [Restore] to set them. The text has a line for each field that is not
// zero, between a line with the version of the format and a line with length and checksum:
//
//	uelink-state 1 llr
//	tx {
//	  seq 4711
//	}
//	end 33 3e1a2b5c
//
// So two versions of a program understand each other as long as they can:
//
//   - A field missing in the text is zero. A machine of a newer version starts with zero in its new fields.
//   - A field that the machine does not know is an error that names the field. An older machine reads the state of a
//     newer version as long as the new fields are zero.
//   - The fields stand in the order of the method. A field may be added anywhere, but neither moved nor renamed.
//
// A machine is restored into a new machine. After an error the machine must not be used.
package snapshot
