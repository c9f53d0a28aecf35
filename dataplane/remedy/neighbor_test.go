package remedy

import (
	"strings"
	"testing"
)

// Of the two ends of a link that see the same problem, the one with the lower address has the command, and the other
// waits for it, with its address. A neighbour without uelinkd changes nothing: this end acts.
func TestOneOfTwoNeighboursActs(t *testing.T) {
	const low, high = "02:00:00:00:00:01", "02:00:00:00:00:02"
	for problem, row := range neighbors {
		if row.acts != either {
			continue
		}
		here, waits, _ := AtNeighbor(problem, Neighbor{Own: low, Address: high, Partner: true})
		there, text, wishes := AtNeighbor(problem, Neighbor{Own: high, Address: low, Partner: true})
		if !here || waits != "" || there || !strings.HasPrefix(text, "waiting for ") || !strings.HasSuffix(text, " at "+low) {
			t.Errorf("%s: %v %q, %v %q", problem, here, waits, there, text)
		}
		one := Neighbor{Own: low, Address: low, OwnID: "a", ID: "b", Partner: true}
		other := Neighbor{Own: low, Address: low, OwnID: "b", ID: "a", Partner: true}
		if here, _, _ := AtNeighbor(problem, one); !here {
			t.Errorf("%s: with one address for both, nobody acts", problem)
		}
		if here, _, _ := AtNeighbor(problem, other); here {
			t.Errorf("%s: with one address for both, both act", problem)
		}
		if alone, _, _ := AtNeighbor(problem, Neighbor{Own: high, Address: low}); !alone || wishes == "" {
			t.Errorf("%s: nobody has a command, or no wish is concerned", problem)
		}
	}
}

// What the neighbour has to do has no command here, unless the neighbour has no status of its own to say so.
func TestTheNeighbourActs(t *testing.T) {
	for problem, row := range neighbors {
		command, waits, _ := AtNeighbor(problem, Neighbor{Own: "02:00:00:00:00:01", Partner: true})
		foreign, _, _ := AtNeighbor(problem, Neighbor{Own: "02:00:00:00:00:01"})
		switch row.acts {
		case otherEnd:
			if command || !strings.HasSuffix(waits, " at the other end") || foreign != row.alone {
				t.Errorf("%s: %v %q, a stranger: %v", problem, command, waits, foreign)
			}
		case nobody:
			if command || waits != "" {
				t.Errorf("%s: %v %q", problem, command, waits)
			}
		case thisEnd, either:
			if !command && row.acts == thisEnd {
				t.Errorf("%s has no command", problem)
			}
		}
	}
	if command, waits, wishes := AtNeighbor("of a later version", Neighbor{}); !command || waits+wishes != "" {
		t.Error("a problem without a row lost its command")
	}
}
