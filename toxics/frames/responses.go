package frames

import "encoding/binary"

// responseHeadLength is the length of what every response has: size and correlation id.
const responseHeadLength = 8

// Responses finds the responses in a stream. The zero value is at the stream's beginning.
type Responses struct{ cutter }

// Step takes some of the bytes, and returns how many and what they are. Bytes of a head are kept, see Head.
func (r *Responses) Step(data []byte) (int, Part) { return r.step(data, responseHead) }

// Size is the number of bytes, after its size field, of the response that began last.
func (r *Responses) Size() int { return int(binary.BigEndian.Uint32(r.head)) }

// Correlation is the correlation id of the response that began last.
func (r *Responses) Correlation() int32 {
	return int32(binary.BigEndian.Uint32(r.head[correlationInResponse:]))
}

// responseHead is the plan of a response's head.
func responseHead(head []byte) (length, frame int, plausible bool) {
	if len(head) < sizeBytes {
		return sizeBytes, 0, true
	}
	size := int(binary.BigEndian.Uint32(head))
	if size < responseHeadLength-sizeBytes || size > maxFrame {
		return 0, 0, false
	}
	return responseHeadLength, sizeBytes + size, true
}

// SetResponseCorrelation changes the correlation id in the bytes of a response.
func SetResponseCorrelation(response []byte, id int32) {
	binary.BigEndian.PutUint32(response[correlationInResponse:], uint32(id))
}
