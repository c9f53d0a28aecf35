package cbfc

// A channel comes under credits and out of them by a transaction that its sender begins:
//
//	              wanted                   what was sent is                STARTED
//	                                       acknowledged
//	BEST_EFFORT ──────────► DRAINING ──────────────────────► ASKING ────────────────► LOSSLESS
//	     ▲                   ▲    ▲                            │                          │
//	     │                   │    └────────────────────────────┼──────────────────────────┘
//	     │                   │      no longer wanted (STOP), the partner is another start,
//	     │                   │      UNKNOWN, a reset (START)   │
//	     └───────────────────┴─────────────────────────────────┘
//	       STOPPED, REFUSED, or no answer in a second; a start that failed is tried again later
//
// HELD is an answer too: the receiver still holds frames sent before the question. A start waits while HELD is
// received. In DRAINING and ASKING no frame leaves. So no frame without credits follows a frame under credits.

// Phase is the state of a sender's channel.
// Clauses: UE-LINK/machines.4.
type Phase uint8

// The phases of a sender's channel.
const (
	BestEffort Phase = iota // frames need no credits, and may be dropped
	Draining                // the frames sent before the question are not all acknowledged
	Asking                  // START or STOP is sent until the answer comes
	Lossless                // frames need credits
)

// String returns the phase's name in the API: best_effort, draining, asking or lossless.
func (p Phase) String() string {
	return [...]string{"best_effort", "draining", "asking", "lossless"}[p&3]
}

// MarshalText returns the phase's name in the API (best_effort, draining, asking, lossless) as octets. The error is
// always nil.
func (p Phase) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// Failure is why a channel did not start, or not yet.
type Failure uint8

// The reasons why a channel did not start.
const (
	NoFailure    Failure = iota
	Refused              // the partner grants this channel nothing
	OtherSize            // the partner's credit size or packet overhead differs
	LimitTooLow          // the partner's limit is less than the largest frame costs
	NoAnswer             // the partner has not answered for a second
	NotByPartner         // the partner does not speak CBFC
	StillHeld            // no failure: the start waits until the partner holds no frame of the channel
)

// String returns the reason of the failure in words.
func (f Failure) String() string {
	return [...]string{
		"", "the partner grants this channel no credits", "the partner uses another credit size or packet overhead",
		"the partner's limit is less than the largest frame costs",
		"no answer from the partner", "the partner does not speak CBFC",
		"the partner still holds frames sent to it earlier on this channel",
	}[min(f, StillHeld)]
}

// MarshalText returns the reason of the failure in words, as octets. The error is always nil.
func (f Failure) MarshalText() ([]byte, error) { return []byte(f.String()), nil }
