package trouble

import (
	"fmt"

	"uelink/dataplane/model"
)

// A program counts as blind after the NIC has counted unseenFrames, in unseenChecks checks in a row, without a frame
// seen by the program. A few frames may lie between the two counters, and some drivers count PAUSE frames.
const (
	unseenFrames = 16
	unseenChecks = 3
)

// receiveCheck compares the frames counted by a NIC with the frames seen by the XDP program. Some drivers lose the
// program when the interface goes down and up, or when they restart the NIC: frames arrive and are counted, and the
// program sees none.
type receiveCheck struct {
	nic, xdp uint64 // frames counted until the last check
	unseen   uint64 // frames counted by the NIC since the program's last frame
	checks   int    // checks in a row with unseen frames
	begun    bool   // at least one check was made
}

// update compares how many frames the NIC has counted with how many the XDP program has seen since the last call.
// unseen is the number of frames that the program does not see: 0 while it sees some, or no frames arrive. sees
// reports that the program has seen frames since the last call.
func (r *receiveCheck) update(nic, xdp uint64) (unseen uint64, sees bool) {
	old := *r
	r.nic, r.xdp, r.begun = nic, xdp, true
	switch {
	case !old.begun || nic < old.nic || xdp < old.xdp: // first check, or the counters restarted
		r.unseen, r.checks = 0, 0
	case xdp > old.xdp:
		r.unseen, r.checks = 0, 0
		return 0, true
	case nic > old.nic:
		r.unseen += nic - old.nic
		r.checks++
	}
	if r.unseen < unseenFrames || r.checks < unseenChecks {
		return 0, false
	}
	return r.unseen, false
}

// restart starts the comparison of NIC and XDP program from the beginning, after the program was attached again.
func (r *receiveCheck) restart() { r.unseen, r.checks = 0, 0 }

// CheckReceive compares the frames counted by the NIC of an interface with those seen by the XDP program. It returns
// how many frames the program does not see if the program is to be attached again (see ReattachedBlind), else 0. It
// asks for that only once, because some drivers restart the NIC for a program, and the NIC is away for seconds: frames
// that the program does not see afterwards, either, are a trouble.
func (m *Monitor) CheckReceive(nic, xdp uint64, ifname string) (reattach uint64) {
	unseen, sees := m.receive.update(nic, xdp)
	switch {
	case sees:
		m.End(Unseen, "XDP sees the frames of the NIC again")
		m.reattached = false
	case unseen == 0:
	case !m.reattached:
		m.reattached = true
		m.receive.restart()
		return unseen
	case m.texts[Unseen] == "":
		m.Begin(Unseen, fmt.Sprintf("the NIC has counted %d frames that XDP does not see, also after the program was "+
			"attached again: the driver may have lost XDP when it restarted the NIC. Set the interface down and up, try xdp: "+
			"generic, and see ethtool -S %s for what the NIC drops", unseen, ifname))
	}
	return 0
}

// ReattachedBlind records that the XDP program was attached again after the NIC had counted frames, unseen in number,
// that the program did not see. err: it could not be attached, which begins a trouble.
func (m *Monitor) ReattachedBlind(unseen uint64, err error) {
	cause := fmt.Sprintf("the NIC has counted %d frames, and XDP saw none of them: its driver may have lost the program",
		unseen)
	if err != nil {
		m.Begin(Program, fmt.Sprintf("%s, and the XDP program cannot be attached again: %v", cause, err))
		return
	}
	m.Notify(model.NoticeProgram, cause+": the XDP program is attached again")
}

// ReattachedDetached records that the XDP program, which somebody had detached, was attached again. err: it could not
// be attached, which begins a trouble.
func (m *Monitor) ReattachedDetached(err error) {
	const cause = "somebody has taken uelink's XDP program off the interface (bpftool link detach?)"
	if err != nil {
		m.Begin(Program, fmt.Sprintf("%s, and the XDP program cannot be attached again: %v", cause, err))
		return
	}
	m.Set(Program, "")
	m.Notify(model.NoticeProgram, cause+": the XDP program is attached again; frames that came meanwhile went to the "+
		"network stack of this machine")
}
