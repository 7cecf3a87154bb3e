package frames

import "encoding/binary"

// Limits of what can be the head of a request. Brokers refuse requests above socket.request.max.bytes (default 100 MiB); the first
// bytes of TLS and HTTP read as sizes far above the limit here.
const (
	maxFrame   = 256 << 20
	maxKey     = 255
	maxVersion = 63
	// fixedHead is a request's head without the client id: size, key, version, correlation id, length of the client id.
	fixedHead = 14
	sizeBytes = 4
	// correlationAt is where the correlation id is in a request, correlationInResponse where it is in a response.
	correlationAt         = 8
	correlationInResponse = 4
)

// Request is the head of a request.
type Request struct {
	// Size is the number of bytes of the frame after its size field.
	Size         int
	Key, Version int16
	Correlation  int32
	// ClientID is empty if the client sent none.
	ClientID string
}

// Requests finds the requests in a stream. The zero value is at the stream's beginning.
type Requests struct{ cutter }

// Step takes some of the bytes, and returns how many and what they are. Bytes of a head are kept, see Head.
func (r *Requests) Step(data []byte) (int, Part) { return r.step(data, requestHead) }

// Request reads the head that is complete.
func (r *Requests) Request() Request {
	h := r.head
	return Request{
		Size: int(binary.BigEndian.Uint32(h)),
		Key:  int16(binary.BigEndian.Uint16(h[4:])), Version: int16(binary.BigEndian.Uint16(h[6:])),
		Correlation: int32(binary.BigEndian.Uint32(h[correlationAt:])),
		ClientID:    string(h[fixedHead:]),
	}
}

// requestHead is the plan of a request's head.
func requestHead(head []byte) (length, frame int, plausible bool) {
	if len(head) < sizeBytes {
		return sizeBytes, 0, true
	}
	size := int(binary.BigEndian.Uint32(head))
	if size < fixedHead-sizeBytes || size > maxFrame {
		return 0, 0, false
	}
	if len(head) < fixedHead {
		return fixedHead, 0, true
	}
	key, version := binary.BigEndian.Uint16(head[4:]), binary.BigEndian.Uint16(head[6:])
	client := int(int16(binary.BigEndian.Uint16(head[12:])))
	length = fixedHead + max(0, client)
	if key > maxKey || version > maxVersion || client < -1 || length > sizeBytes+size {
		return 0, 0, false
	}
	return length, sizeBytes + size, true
}

// SetCorrelation changes the correlation id in the bytes of a request's head.
func SetCorrelation(request []byte, id int32) {
	binary.BigEndian.PutUint32(request[correlationAt:], uint32(id))
}
