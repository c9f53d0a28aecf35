package tester

import (
	"fmt"
	"time"

	"uelink/lab/e2e/bed"
)

// prioritized is a stimulus: 30 frames of priority 3 from hostA, on the lossless channel.
func prioritized(s *stage) { s.probes(30, 30, 3<<13) }

// removed makes the lossless channel leave, and come again.
func removed(s *stage) {
	for _, lossless := range []bool{false, true} {
		bed.Must(s.t, s.pair.A.Client.SetVC(s.context(), "link0", 3, lossless))
		time.Sleep(calm)
	}
}

// unanswered has the credits of the frames stay in use for a while, so that CC_Updates leave.
func unanswered(e effect) []effect {
	return []effect{e, on("from=b kind=cf_update vc=3 drop", 0).loses("CF_Update")}
}

// creditInjections are the actions on messages of CBFC.
var creditInjections = []injection{
	struckBy("CF_Update lost", prioritized, on("from=b kind=cf_update vc=3 first=2 drop", 2).loses("CF_Update"), nil),
	struckBy("CF_Update late", prioritized,
		on("from=b kind=cf_update vc=3 first=1 hold=20ms", 1).moves("CF_Update"), late(1, 20*time.Millisecond)),
	struckBy("CF_Update repeated", prioritized,
		on("from=b kind=cf_update vc=3 first=1 duplicate", 1).adds("CF_Update"), nil),
	struckBy("CF_Update damaged", prioritized,
		on("from=b kind=cf_update vc=3 first=1 corrupt=3:01", 1).loses("CF_Update").adds("CF_Update wrong CRC"),
		octetDiffers(1, 3, 1, true)),
	struckBy("CF_Update forged", prioritized,
		on("from=b kind=cf_update vc=3 first=1 rewrite=credit:+5", 1).loses("CF_Update").adds("CF_Update"), freesMore(5)),
	struckBy("CF_Update made", prioritized, on("from=b inject=cf_update:3:+0 first=2", 2).adds("CF_Update"), nil),
	{name: "CC_Update lost", do: prioritized,
		effects: unanswered(on("from=a kind=cc_update first=1 drop", 1).loses("CC_Update"))},
	{name: "CC_Update repeated", do: prioritized,
		effects: unanswered(on("from=a kind=cc_update first=1 duplicate", 1).adds("CC_Update"))},
	{name: "CC_Update damaged", do: prioritized,
		effects: unanswered(on("from=a kind=cc_update first=1 corrupt=30:04", 1).loses("CC_Update").adds("CC_Update bad"))},
	struckBy("a question about a channel lost", removed, on("from=a kind=vc first=1 drop", 1).loses("VC"), nil),
	struckBy("a grant changed", removed,
		on("from=b kind=vc first=1 rewrite=credit:48", 1).loses("VC").adds("VC"), nil),
}

// freesMore checks that a CF_Update from b frees so many credits more, of one channel or of both that it is about.
func freesMore(n int) func(d [2]difference) string {
	return func(d [2]difference) string {
		var old, forged [4]int
		_, _ = fmt.Sscanf(d[1].lost[0].text, "CF_Update VC %d %d VC %d %d", &old[0], &old[1], &old[2], &old[3])
		_, _ = fmt.Sscanf(d[1].added[0].text, "CF_Update VC %d %d VC %d %d", &forged[0], &forged[1], &forged[2], &forged[3])
		for i := range old {
			if want := old[i] + (i%2)*n; old[i/2*2] == 3 && forged[i] != want {
				return fmt.Sprintf("%s has become %s", d[1].lost[0].text, d[1].added[0].text)
			}
		}
		return ""
	}
}

// credited returns why the lossless channel has no credits yet, or has some in use, in words.
func (s *stage) credited() string {
	c, err := s.pair.A.Client.CBFCOf(s.context(), "link0")
	bed.Must(s.t, err)
	for _, v := range c.VCs {
		if v.VC == 3 && (v.Phase != "lossless" || v.CreditsUsed > 0) {
			return fmt.Sprintf("channel 3: %s, %d credits in use", v.Phase, v.CreditsUsed)
		}
	}
	return ""
}
