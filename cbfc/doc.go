// Package cbfc is credit-based flow control of one link (UE-LINK §4): the sender and the
// receiver of up to 32 virtual channels, and how a channel comes under credits and out of them.
// It is pure: now (nanoseconds, monotonic) is an argument, and nothing of it allocates.
//
// The receiver gives each lossless channel a limit, in credits. A frame costs as many as
// Size.Credits says. The sender charges them when it sends the frame first, never for a replay,
// and gets them back by CF_Update when the receiver has freed its buffer:
//
//	sender                                              receiver
//	S_CC consumed   ──── frame, charged ────────────►   R_CC consumed, when it is accepted
//	S_CF freed      ◄─── CF_Update(R_CF) ────────────   R_CF freed, when its buffer is free again
//	                ──── CC_Update(S_CC) ────────────►  what was lost on the way is freed
//
// Counts are cyclic: of 20 bits, of which 15 travel. Used is S_CC − S_CF, held is R_CC − R_CF. At rest
// all four are equal.
//
// One link has one Port:
//
//	p := cbfc.NewPort(settings)
//	p.Control(list, now)                        // for what comes in a control frame
//	credits, gate := p.Tx.Gate(vc, octets)      // may this frame leave?
//	p.Tx.Charge(vc, credits, now)               // it leaves
//	credits := p.Rx.Store(vc, octets)           // a frame was accepted
//	p.Rx.Free(vc, credits)                      // its buffer is free again
//	list = p.Poll(now, env, list)               // what there is to say: CF_Update, VC
//	if p.Tx.CCDue(now) { p.Tx.Counts(&u, now) } // CC_Update, numbered by LLR
//	p.Deadline()
package cbfc
