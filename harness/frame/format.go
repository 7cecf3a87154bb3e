// Package frame is the form of chaeos' own files: a magic word and a version, then frames. A frame is its body's length,
// the body, and the CRC-32C of both. A file that was cut or damaged can be read up to the first frame that is not whole.
package frame

import (
	"encoding/binary"
	"hash/crc32"
)

// Length is how a frame writes its body's length.
type Length int

const (
	// Varint lengths take a byte for short bodies.
	Varint Length = iota
	// Fixed lengths take four bytes, little-endian.
	Fixed
)

// Format is how one kind of file looks.
type Format struct {
	// Magic begins every file; one byte follows it, the version.
	Magic  string
	Length Length
	// Most bounds a body, in bytes: a damaged length must not make a reader allocate the machine.
	Most uint64
	// Buffer is the size of a reader's buffer, in bytes. Larger frames are copied.
	Buffer int
}

const crcSize = 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// AppendHeader appends the beginning of a file.
func (f Format) AppendHeader(dst []byte, version byte) []byte {
	return append(append(dst, f.Magic...), version)
}

// HeaderSize is the size of what AppendHeader appends, in bytes.
func (f Format) HeaderSize() int64 { return int64(len(f.Magic) + 1) }

// Append appends a frame whose body the function appends to its argument.
func (f Format) Append(dst []byte, body func([]byte) []byte) []byte {
	start := len(dst)
	if f.Length == Fixed {
		dst = body(append(dst, 0, 0, 0, 0))
		binary.LittleEndian.PutUint32(dst[start:], uint32(len(dst)-start-4))
	} else {
		dst = prefix(body(dst), start)
	}
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[start:], castagnoli))
}

// prefix puts the length of what begins at start before it.
func prefix(dst []byte, start int) []byte {
	var length [binary.MaxVarintLen64]byte
	body := len(dst) - start
	n := binary.PutUvarint(length[:], uint64(body))
	dst = append(dst, length[:n]...)
	copy(dst[start+n:], dst[start:start+body])
	copy(dst[start:], length[:n])
	return dst
}

// length reads a body's length and returns how many bytes that took, 0 if it is cut short.
func (f Format) length(b []byte) (body uint64, n int) {
	if f.Length == Varint {
		body, n = binary.Uvarint(b)
		return body, max(n, 0)
	}
	if len(b) < 4 {
		return 0, 0
	}
	return uint64(binary.LittleEndian.Uint32(b)), 4
}
