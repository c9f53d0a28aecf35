// Package hippi is one end of a HIPPI-6400-PH link: credits for each of four virtual channels, and go-back-N with
// acknowledgements and a timeout, hop by hop, in micropackets of 32 data octets.
//
//	               Source                                      Destination of the other end
//	Messages ─► VC 0..3 ──credit──► output buffer ──wire──► LCRC, TSEQ, ECRC ─► VC buffers ─► Messages
//	               ▲                      ▲                                        │
//	               └─ credit (VCR, CR) ───┴──── ACK (RSEQ) ◄── in the other direction's micropackets
//
// A Link holds both halves of one end, the state of figure 20 (Normal, Reset-1, Reset-2, Init-1, Init-2, Shutdown), the
// activity monitor, and the service interface of clause 5. It is pure: now (a wire.Time) and the carrier are arguments.
// Only NewLink and ControlRequest with larger buffers allocate. One goroutine owns a Link:
//
//	1  hearing, ok := l.Hear(head)                  // the head of a frame of micropackets that was received
//	2  l.Receive(now, &m, hearing)                  // each micropacket of the frame; or ReceiveBurst
//	3  l.Arriving(vc), l.Accept(vc, chunk, now)     // a Message waits for memory
//	4  l.TransferIndicate(vc), l.TransferResponse   // a Message has arrived
//	5  l.TransferRequest(vc, message, now)          // a Message to send, after the Confirm of the last
//	6  for l.Transmit(now, &m) { … }                // micropackets to send, most of them also by TransmitBurst;
//	                                                // l.FrameHead when a frame is complete
//	7  sleep until a frame arrives, or until l.Deadline(); then l.Expire(now) and Transmit
//
// HIPPI-6400 assumes a wire that keeps the order: an RSEQ that was overtaken is taken for a new one, and acknowledges
// micropackets that never arrived. Ethernet keeps no order, and HIPPI-6400's handshake of a Link Reset does not tell
// the answer to the present Reset from an answer to an earlier one. So a frame has a number, and late frames are
// dropped; and it has an epoch, new at each reset of the sender, with the last epoch of the partner that the sender
// has heard (frames.go). A wire without frames passes Whole to Receive: the machine of the standard remains.
package hippi
