package history

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
)

// Tail says how a history file ended.
type Tail struct {
	// Entries is the number of whole entries, End and Process included.
	Entries int
	// LostBytes is what follows the last whole entry and could not be read: a truncated or damaged frame.
	LostBytes int64
	// Ended says that the writer closed the file in order.
	Ended bool
	// Reason says why reading stopped early, where LostBytes is not 0.
	Reason string
}

// Whole says that the writer closed the file and every byte of it was read.
func (t Tail) Whole() bool { return t.Ended && t.LostBytes == 0 }

// ReadFile calls fn with every whole entry of a history file, in order. A truncated or damaged rest is no error: the
// tail reports it. It fails when the file is missing, isn't a history, or is of another version, and with fn's error.
func ReadFile(path string, fn func(Entry) error) (Tail, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Tail{}, fmt.Errorf("history: %w", err)
	}
	tail, err := read(data, fn)
	if err != nil {
		return tail, fmt.Errorf("history %s: %w", path, err)
	}
	return tail, nil
}

func read(data []byte, fn func(Entry) error) (Tail, error) {
	var tail Tail
	header := len(fileMagic) + 1
	if len(data) < header {
		// Killed, or out of disk, before the header was whole: nothing of it can be read, and nothing claims otherwise.
		return Tail{LostBytes: int64(len(data)), Reason: "the header is cut short"}, nil
	}
	if !bytes.HasPrefix(data, []byte(fileMagic)) {
		return tail, fmt.Errorf("not a history file")
	}
	if v := data[header-1]; v != Version {
		return tail, fmt.Errorf("version %d; this chaeos reads version %d", v, Version)
	}
	rest := data[header:]
	for len(rest) > 0 {
		entry, n, err := nextFrame(rest)
		if err != nil {
			tail.LostBytes, tail.Reason = int64(len(rest)), err.Error()
			return tail, nil
		}
		rest = rest[n:]
		tail.Entries++
		_, end := entry.(*End)
		tail.Ended = end
		if err := fn(entry); err != nil {
			return tail, err
		}
	}
	return tail, nil
}

// nextFrame decodes the first frame of b and returns its whole length.
func nextFrame(b []byte) (Entry, int, error) {
	size, n := binary.Uvarint(b)
	if n <= 0 || size > uint64(len(b)) || n+int(size)+4 > len(b) {
		return nil, 0, fmt.Errorf("the last frame is cut short")
	}
	end := n + int(size)
	if binary.LittleEndian.Uint32(b[end:]) != crc32.Checksum(b[:end], castagnoli) {
		return nil, 0, fmt.Errorf("a frame's CRC is wrong")
	}
	entry, err := unmarshal(b[n:end])
	return entry, end + 4, err
}
