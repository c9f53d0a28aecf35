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
// HELD is an answer too: the receiver still holds frames of before. A start waits for as long as it comes.
// In DRAINING and ASKING nothing leaves: the frames wait. So no frame without credits comes
// behind one that has them.

// Phase is where a channel of a sender is.
type Phase uint8

// The phases.
const (
	BestEffort Phase = iota // its frames need no credits, and may be dropped
	Draining
	Asking
	Lossless // its frames need credits
)

// String is the phase's word in the API.
func (p Phase) String() string {
	return [...]string{"best_effort", "draining", "asking", "lossless"}[p&3]
}

// MarshalText is String.
func (p Phase) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// Failure is why a channel did not start, or not yet.
type Failure uint8

// The reasons.
const (
	NoFailure    Failure = iota
	Refused              // the partner grants this channel nothing
	OtherSize            // its credit size or its overhead is another
	LimitTooLow          // its limit is less than the largest frame costs
	NoAnswer             // for a second
	NotByPartner         // it does not speak CBFC
	StillHeld            // it has not failed: the start waits until the partner holds nothing of the channel
)

// String is the reason in words.
func (f Failure) String() string {
	return [...]string{
		"", "the partner grants it no credits", "the partner counts credits otherwise",
		"the partner's limit is less than the largest frame costs",
		"no answer from the partner", "the partner does not speak CBFC",
		"the partner still holds frames of before",
	}[min(f, StillHeld)]
}

// MarshalText is String.
func (f Failure) MarshalText() ([]byte, error) { return []byte(f.String()), nil }
