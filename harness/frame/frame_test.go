package frame

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// formats have a buffer so small that some frames are larger.
var formats = map[string]Format{
	"varint": {Magic: "testV", Most: 1 << 16, Buffer: 64},
	"fixed":  {Magic: "testF", Most: 1 << 16, Buffer: 64, Length: Fixed},
}

func file(f Format, bodies [][]byte) []byte {
	data := f.AppendHeader(nil, 3)
	for _, body := range bodies {
		data = f.Append(data, func(dst []byte) []byte { return append(dst, body...) })
	}
	return data
}

func readAll(r *Reader) (bodies [][]byte, err error) {
	for {
		body, err := r.Next()
		if err != nil {
			return bodies, err
		}
		bodies = append(bodies, bytes.Clone(body))
	}
}

func drawBodies(t *rapid.T) [][]byte {
	return rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 0, 200), 0, 6).Draw(t, "bodies")
}

// TestWhatIsWrittenIsRead: from the beginning, and from where any frame begins.
func TestWhatIsWrittenIsRead(t *testing.T) {
	for name, f := range formats {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				want := drawBodies(t)
				data := file(f, want)
				r := f.NewReader(bytes.NewReader(data), int64(len(data)))
				version, err := r.Header()
				require.NoError(t, err)
				require.EqualValues(t, 3, version)
				for i := range want {
					body, err := r.Next()
					require.NoError(t, err)
					require.Equal(t, string(want[i]), string(body))
					later, err := readAll(f.NewReaderAt(bytes.NewReader(data[r.At():]), r.At(), int64(len(data))))
					require.ErrorIs(t, err, io.EOF)
					require.Len(t, later, len(want)-i)
				}
				_, err = r.Next()
				require.ErrorIs(t, err, io.EOF)
				require.Zero(t, r.Left())
			})
		})
	}
}

// TestCutAnywhere: whole frames before the cut are read, and the rest is counted.
func TestCutAnywhere(t *testing.T) {
	for name, f := range formats {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				want := drawBodies(t)
				data := file(f, want)
				n := rapid.IntRange(0, len(data)).Draw(t, "n")
				r := f.NewReader(bytes.NewReader(data[:n]), int64(n))
				if _, err := r.Header(); int64(n) < f.HeaderSize() {
					require.ErrorIs(t, err, ErrCut)
					require.EqualValues(t, n, r.Left())
					return
				}
				got, err := readAll(r)
				whole := len(file(f, want[:len(got)]))
				require.Equal(t, file(f, got), data[:whole])
				require.EqualValues(t, n-whole, r.Left())
				require.Equal(t, n == whole, errors.Is(err, io.EOF), err)
				require.Equal(t, n != whole, errors.Is(err, ErrCut), err)
			})
		})
	}
}

// TestFlippedAnywhere: one changed bit never changes a body that is read.
func TestFlippedAnywhere(t *testing.T) {
	for name, f := range formats {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				want := append(drawBodies(t), []byte("last"))
				data := file(f, want)
				at := rapid.IntRange(int(f.HeaderSize()), len(data)-1).Draw(t, "at")
				data[at] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
				r := f.NewReader(bytes.NewReader(data), int64(len(data)))
				_, err := r.Header()
				require.NoError(t, err)
				got, err := readAll(r)
				require.NotErrorIs(t, err, io.EOF)
				require.Positive(t, r.Left())
				require.Less(t, len(got), len(want))
				for i := range got {
					require.Equal(t, string(want[i]), string(got[i]))
				}
			})
		})
	}
}

func TestOtherFilesAndLengthsAreRefused(t *testing.T) {
	f := formats["fixed"]
	_, err := f.NewReader(bytes.NewReader([]byte("something else")), 14).Header()
	require.ErrorIs(t, err, ErrMagic)
	data := append(file(f, nil), 0xff, 0xff, 0xff, 0x7f, 0)
	r := f.NewReader(bytes.NewReader(data), int64(len(data)))
	_, err = r.Header()
	require.NoError(t, err)
	_, err = r.Next()
	require.ErrorIs(t, err, ErrLength)
	shrunk := file(f, [][]byte{make([]byte, 500)})
	_, err = readAll(f.NewReaderAt(bytes.NewReader(shrunk[6:20]), 6, int64(len(shrunk))))
	require.ErrorIs(t, err, ErrCut, "a file that became shorter since")
}
