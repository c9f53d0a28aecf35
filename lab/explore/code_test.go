package explore

import (
	"encoding/binary"

	"uelink/wire"
)

// save encodes the state of w: the words of memory that differ from the first state, and the wire.
func (e *explorer) save() []byte {
	w, b := e.w, e.code[:0]
	n, last := 0, -1
	for _, r := range w.image.regions {
		for i, word := range r.words {
			if word != r.base[i] {
				b = binary.AppendUvarint(b, uint64(n+i-last))
				b = binary.AppendUvarint(b, word)
				last = n + i
			}
		}
		n += len(r.words)
	}
	b = append(b, 0, w.nextID, w.expect, w.wants)
	b = appendFrames(b, w.waiting)
	b = appendFrames(b, w.data)
	b = appendFrames(b, w.saved)
	b = appendLists(b, w.down)
	b = appendLists(b, w.up)
	for _, buffer := range w.buffer {
		b = append(append(b, byte(len(buffer))), buffer...)
	}
	e.code = b
	return b
}

func appendFrames(b []byte, frames []frame) []byte {
	b = append(b, byte(len(frames)))
	for _, f := range frames {
		b = append(b, f.id, f.vc, bit(f.notes)|bit(f.twice)<<1|bit(f.plain)<<2, f.vcs, f.count[0], f.count[1], f.seq)
	}
	return b
}

func appendLists(b []byte, lists []list) []byte {
	b = append(b, byte(len(lists)))
	for _, l := range lists {
		b = append(b, byte(len(l.says)), bit(l.twice))
		for _, c := range l.says {
			var octets [wire.CtlOSLen]byte
			wire.PutCtlOS(octets[:], wire.ViewPCS, c)
			b = append(b, octets[:]...)
		}
	}
	return b
}

func bit(is bool) byte {
	if is {
		return 1
	}
	return 0
}

// load makes w the state of a code.
func (e *explorer) load(b []byte) {
	w := e.w
	for _, r := range w.image.regions {
		copy(r.words, r.base)
	}
	for at := -1; ; {
		step, n := binary.Uvarint(b)
		if b = b[n:]; step == 0 {
			break
		}
		word, n := binary.Uvarint(b)
		b = b[n:]
		at += int(step)
		w.image.set(at, word)
	}
	w.nextID, w.expect, w.wants, b = b[0], b[1], b[2], b[3:]
	w.waiting, b = parseFrames(w.waiting[:0], b)
	w.data, b = parseFrames(w.data[:0], b)
	w.saved, b = parseFrames(w.saved[:0], b)
	w.down, b = parseLists(w.down[:0], b)
	w.up, b = parseLists(w.up[:0], b)
	for vc := range w.buffer {
		n := int(b[0])
		w.buffer[vc] = append(w.buffer[vc][:0], b[1:1+n]...)
		b = b[1+n:]
	}
	w.wrong = ""
}

// set changes one word of memory.
func (i *image) set(at int, word uint64) {
	for _, r := range i.regions {
		if at < len(r.words) {
			r.words[at] = word
			return
		}
		at -= len(r.words)
	}
	panic("no such word")
}

func parseFrames(frames []frame, b []byte) ([]frame, []byte) {
	n := int(b[0])
	for b = b[1:]; n > 0; n, b = n-1, b[7:] {
		frames = append(frames, frame{
			id: b[0], vc: b[1], notes: b[2]&1 != 0, twice: b[2]&2 != 0, plain: b[2]&4 != 0, vcs: b[3],
			count: [vcs]uint8{b[4], b[5]}, seq: b[6],
		})
	}
	return frames, b
}

func parseLists(lists []list, b []byte) ([]list, []byte) {
	n := int(b[0])
	for b = b[1:]; n > 0; n-- {
		says, twice := int(b[0]), b[1] != 0
		b = b[2:]
		l := list{twice: twice}
		for ; says > 0; says, b = says-1, b[wire.CtlOSLen:] {
			c, _ := wire.ParseCtlOS(b, wire.ViewPCS)
			l.says = append(l.says, c)
		}
		lists = append(lists, l)
	}
	return lists, b
}
