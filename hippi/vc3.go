package hippi

import "uelink/internal/snapshot"

// vc3 is the agreement of both ends to Messages on VC3 (HIPPI-6400 §6.2): each end says in its frames whether it allows
// them. An end that takes its permission back still receives the Messages under way, up to the next Link Reset.
type vc3 struct {
	takesVC3 bool // the partner allows Messages on VC3, as its last frame says
	agreed   bool // both ends have allowed them since the last Link Reset or Initialize
	offered  bool // this end has allowed them in a frame since the last Link Reset or Initialize
}

// MayArrive reports whether the partner may send Messages on a virtual channel: on VC3 only if this end has allowed it.
// Clauses: HIPPI-6400/fields.3.
func (v *vc3) MayArrive(vc uint8) bool { return vc != 3 || v.offered }

// passState saves or restores the agreement.
func (v *vc3) passState(s *snapshot.State) {
	s.Bool("takes", &v.takesVC3)
	s.Bool("agreed", &v.agreed)
	s.Bool("offered", &v.offered)
}
