package plan

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"uelink/sai"
)

// initCases returns the cases of profiles, the handshake, and the start.
func initCases() []Case {
	return []Case{
		{ID: "1", Title: "Profile: attributes are read back, wrong ones refused", run: profileCase,
			Stimulus: "an LLR profile with all ten attributes by SAI, then OUTSTANDING_FRAMES_MAX 0 and above the maximum"},
		{ID: "2", Title: "Initialisation", run: initCase,
			Stimulus: "both ends start; an LLR_INIT_ECHO with wrong init_data must have no effect"},
		{ID: "3", Title: "Several ports are independent", run: portsCase,
			Stimulus: "four links start at once; then one of them is initialised again"},
		{ID: "14", Title: "All ports start", long: true, run: bulkCase,
			Stimulus: "both daemons start five times, with four links of one profile"},
		{ID: "17", Title: "Restart", lossy: true, run: restartCase,
			Stimulus: "A ends and starts again, and the first five LLR_INIT_ECHOs for A are lost; then 5 % of the frames " +
				"are lost",
			Correction: "a restart of the daemon stands for the warm boot of a host: no ASIC keeps the state of LLR"},
	}
}

// profileCase runs case 1: it makes an LLR profile with all ten attributes by SAI, and reads the attributes back. Two
// wrong values are refused, and no object is left behind.
func profileCase(ctx context.Context, t *trial) error {
	if err := t.fresh(ctx, common()); err != nil {
		return err
	}
	c := t.ends[0].client
	before, err := c.SAIObjects(ctx)
	if err != nil {
		return err
	}
	wanted := []int64{1000, 50000, 10000, 3, 1000000, 2000000, 1, 0, 1, 1024}
	list, ids := []sai.Set{}, []uint32{}
	for id, n := range wanted {
		list, ids = append(list, sai.Set{ID: uint32(id), Value: sai.Value{Number: n}}), append(ids, uint32(id))
	}
	profile, err := c.SAICreate(ctx, sai.TypeLLRProfile, list)
	if err != nil {
		return err
	}
	values, err := c.SAIGet(ctx, profile, ids...)
	if err != nil {
		return err
	}
	var got []int64
	for _, v := range values {
		got = append(got, v.Number)
	}
	equal(t, "attributes read back", fmt.Sprint(wanted), fmt.Sprint(got))
	for _, bad := range []int64{0, 1<<19 + 1} {
		wrong := slices.Clone(list)
		wrong[0].Value.Number = bad
		_, err := c.SAICreate(ctx, sai.TypeLLRProfile, wrong)
		equal(t, fmt.Sprintf("OUTSTANDING_FRAMES_MAX %d, not from 1 to 524288, is refused", bad), true, err != nil)
	}
	if err := c.SAIRemove(ctx, profile); err != nil {
		return err
	}
	after, err := c.SAIObjects(ctx)
	equal(t, "SAI objects left behind", 0, len(after)-len(before))
	return err
}

// initCase runs case 2: both ends start, and the first two LLR_INIT_ECHOs for A have wrong init_data. A refuses these,
// the statistics of the handshake agree, and 100 frames cross.
func initCase(ctx context.Context, t *trial) error {
	if _, err := t.rule("id=false from=b kind=init_echo first=2 rewrite=init_data:DEAD"); err != nil {
		return err
	}
	if err := t.fresh(ctx, common()); err != nil {
		return err
	}
	counters, err := t.both(ctx)
	if err != nil {
		return err
	}
	for i, e := range t.ends {
		other := counters[1-i]
		l, err := e.client.LLRCountersOf(ctx, e.port)
		if err != nil {
			return err
		}
		least(t, e.name+" TX_INIT_CTL_OS", 1, counters[i].TxInitCtlOS)
		within(t, e.name+" RX_INIT_CTL_OS, at most as many as the other end sent", 1,
			other.TxInitCtlOS, counters[i].RxInitCtlOS)
		least(t, e.name+" TX_INIT_ECHO_CTL_OS", 1, counters[i].TxInitEchoCtlOS)
		within(t, e.name+" RX_INIT_ECHO_CTL_OS, at most as many as the other end sent", 1,
			other.TxInitEchoCtlOS, counters[i].RxInitEchoCtlOS)
		least(t, "time of "+e.name+" in TX INIT", time.Nanosecond, l.TxInitTime)
		equal(t, e.name+" LLR_TX_STATUS", "ADVANCE", l.TxStatus.String())
		equal(t, e.name+" LLR_RX_STATUS", "SEND_ACKS", l.RxStatus.String())
	}
	hits, err := t.wire.hits("false")
	if err != nil {
		return err
	}
	equal(t, "LLR_INIT_ECHOs with wrong init_data that A refused", hits, counters[0].RxInitEchoMismatch)
	least(t, "LLR_INIT_ECHOs with wrong init_data", 1, hits)
	_, err = t.carry(ctx, 100, 256, 32)
	return err
}

// portsCase runs case 3: four links start, and link1 is initialised again. The other links send no LLR_INIT then.
func portsCase(ctx context.Context, t *trial) error {
	if t.ends[0].daemon == nil {
		return &impossible{"the case needs four links, and the daemons given with sockets have one"}
	}
	if err := t.fresh(ctx, common().several()); err != nil {
		return err
	}
	if err := t.allUp(ctx); err != nil {
		return err
	}
	a := t.ends[0].client
	before, err := a.LLRCounters(ctx)
	if err != nil {
		return err
	}
	for _, l := range before {
		least(t, l.Port+" TX_INIT_CTL_OS", 1, l.TxInitCtlOS)
		equal(t, l.Port+" LLR_TX_STATUS", "ADVANCE", l.TxStatus.String())
	}
	if err := a.ReinitLLR(ctx, "link1"); err != nil {
		return err
	}
	if err := t.allUp(ctx); err != nil {
		return err
	}
	after, err := a.LLRCounters(ctx)
	if err != nil || len(after) != len(before) {
		return fmt.Errorf("%d links, then %d: %w", len(before), len(after), err)
	}
	for i := range after {
		name := after[i].Port + " TX_INIT_CTL_OS since link1 was initialised again"
		if n := after[i].TxInitCtlOS - before[i].TxInitCtlOS; after[i].Port == "link1" {
			least(t, name, 1, n)
		} else {
			equal(t, name, 0, n)
		}
	}
	return nil
}

// allUp waits until all links of both ends are in ADVANCE and SEND_ACKS.
func (t *trial) allUp(ctx context.Context) error {
	return await(ctx, "all links are up", func() (bool, string) {
		for _, e := range t.ends {
			links, err := e.client.LLRInterfaces(ctx)
			if err != nil {
				return false, err.Error()
			}
			for i := range links {
				if !links[i].Established() {
					return false, fmt.Sprintf("%s %s: %s, %s", e.name, links[i].Port, links[i].TxStatus, links[i].RxStatus)
				}
			}
		}
		return true, ""
	})
}

// bulkCase runs case 14: both daemons start five times with four links. The longest start takes at most 10 s.
func bulkCase(ctx context.Context, t *trial) error {
	if t.ends[0].daemon == nil {
		return &impossible{"the case starts daemons with four links, and this program did not start the daemons"}
	}
	var times []time.Duration
	var sum time.Duration
	for range 5 {
		began := time.Now()
		if err := t.fresh(ctx, common().several()); err != nil {
			return err
		}
		if err := t.allUp(ctx); err != nil {
			return err
		}
		times = append(times, time.Since(began))
		sum += times[len(times)-1]
	}
	sortTimes(times)
	most(t, "longest time to start both daemons until all links are up", 10*time.Second, times[len(times)-1])
	t.show("shortest and mean time to start both daemons until all links are up", fmt.Sprintf("%v, %v",
		times[0].Round(time.Millisecond), (sum/time.Duration(len(times))).Round(time.Millisecond)))
	cpu, memory, err := usage(t.ends[0].daemon.Cmd.Process.Pid)
	t.show("CPU time and memory of A's daemon", fmt.Sprintf("%v, %d MiB", cpu, memory>>20))
	return err
}

func sortTimes(times []time.Duration) { slices.Sort(times) }

// usage returns the CPU time and the resident memory of a process, in octets.
func usage(pid int) (cpu time.Duration, memory int64, err error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, 0, err
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	number := func(i int) (n int64) {
		n, _ = strconv.ParseInt(fields[i], 10, 64)
		return n
	}
	const tick = 10 * time.Millisecond // USER_HZ
	return time.Duration(number(11)+number(12)) * tick, number(21) * int64(os.Getpagesize()), nil
}

// restartCase runs case 17: the daemon of A starts again, and the first five LLR_INIT_ECHOs for it are lost. The link
// is up within 5 s, the profile is the same, and 1,000 frames arrive over a wire that loses 5 %.
func restartCase(ctx context.Context, t *trial) error {
	s := common().withTimer(20 * time.Millisecond)
	if err := t.fresh(ctx, s); err != nil {
		return err
	}
	e := t.ends[0]
	if e.daemon == nil {
		return &impossible{"the case restarts a daemon, and this program did not start the daemons"}
	}
	before, err := e.client.LLRProfile(ctx, "plan")
	if err != nil {
		return err
	}
	if _, err := t.rule("id=echo from=b kind=init_echo first=5 drop"); err != nil {
		return err
	}
	if err := e.restart(); err != nil {
		return err
	}
	began := time.Now()
	if err := t.up(ctx); err != nil {
		return err
	}
	most(t, "time to ADVANCE", 5*time.Second, time.Since(began))
	after, err := e.client.LLRProfile(ctx, "plan")
	if err != nil {
		return err
	}
	equal(t, "LLR profile after the restart of A's daemon", fmt.Sprintf("%+v", before), fmt.Sprintf("%+v", after))
	hits, err := t.wire.hits("echo")
	if err != nil {
		return err
	}
	equal(t, "LLR_INIT_ECHOs lost", 5, hits)
	if err := t.onlyRule("from=a kind=data copy=first p=5% drop"); err != nil {
		return err
	}
	if _, err := t.carry(ctx, 1000, 256, 32); err != nil {
		return err
	}
	c, err := t.counters(ctx, 0)
	least(t, "A TX_REPLAY", 1, c.TxReplay)
	return err
}
