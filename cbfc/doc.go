// Package cbfc is credit-based flow control of one link (UE-LINK §4): the sender and the
// receiver of up to 32 virtual channels, and how a channel comes under credits and out of them.
// The package has no clock, socket or lock: the time is an argument (now, a wire.Time). No method allocates memory.
//
// The receiver gives each lossless channel a limit, in credits. Size.Credits is the cost of a frame. The sender
// charges the cost when it first sends the frame, never for a replay, and gets the credits back by CF_Update when the
// receiver has freed its buffer:
//
//	sender                                              receiver
//	S_CC consumed   ──── frame, charged ────────────►   R_CC consumed, when it is accepted
//	S_CF freed      ◄─── CF_Update(R_CF) ────────────   R_CF freed, when its buffer is free again
//	                ──── CC_Update(S_CC) ────────────►  credits of lost frames are freed
//
// Counts are cyclic, with 20 bits, of which a CF_Update carries 15. Used is S_CC − S_CF, held is R_CC − R_CF. At rest
// all four counts are equal.
//
// One link has one Port:
//
//	p := cbfc.NewPort(settings)
//	p.ReceivedControl(list, env, now)           // the control ordered sets of a control frame
//	credits, gate := p.Tx.Gate(vc, octets)      // may this frame leave?
//	p.Tx.Charge(vc, credits, now)               // the frame leaves
//	credits := p.Rx.Store(vc, octets)           // a frame was accepted
//	p.Rx.Free(vc, credits)                      // its buffer is free again
//	list = p.Poll(now, env, list)               // control ordered sets to send: CF_Update, VC
//	if p.Tx.CCDue(now) { … p.Tx.CCSent(now) }   // send CC_Update, numbered by LLR
//	p.Deadline()                                // when to call Poll again
package cbfc
