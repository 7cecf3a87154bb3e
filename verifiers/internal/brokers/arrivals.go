package brokers

import (
	"errors"
	"io"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// arrivals reads what has come over a connection. Read waits for more, unless looking is set.
type arrivals struct {
	conn    net.Conn
	raw     syscall.RawConn // nil where the connection can't be looked at without waiting
	looking bool
}

// errNotYet is the error of looking where nothing has come.
var errNotYet = errors.New("nothing has come yet")

func newArrivals(conn net.Conn) *arrivals {
	a := &arrivals{conn: conn}
	if system, ok := conn.(syscall.Conn); ok {
		if raw, err := system.SyscallConn(); err == nil {
			a.raw = raw
		}
	}
	return a
}

// Read implements io.Reader.
func (a *arrivals) Read(p []byte) (n int, err error) {
	if !a.looking {
		return a.conn.Read(p)
	}
	if a.raw == nil {
		return 0, errNotYet
	}
	// Go's sockets never block: a read that would is an error.
	if lost := a.raw.Read(func(fd uintptr) bool { n, err = unix.Read(int(fd), p); return true }); lost != nil {
		return 0, lost
	}
	switch {
	case err != nil:
		return 0, errNotYet // whatever it is, waiting will meet it, too
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}

// wakeAt makes the system report arrivals only when there are that many bytes, or the connection ends (SO_RCVLOWAT,
// socket(7)). Where it can't, the system reports all of them: that costs more, and changes nothing else.
func (a *arrivals) wakeAt(bytes int) {
	if a.raw != nil {
		_ = a.raw.Control(func(fd uintptr) { _ = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVLOWAT, bytes) })
	}
}
