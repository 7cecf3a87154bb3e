package proxies

import (
	"fmt"
	"maps"
	"net"
	"reflect"
	"unsafe"

	"github.com/Shopify/toxiproxy/v2"
	"golang.org/x/sys/unix"
)

// tcpInfo asks the kernel what it knows of a connection. Our own handle on it makes that safe against a close.
func tcpInfo(conn net.Conn) (*unix.TCPInfo, error) {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return nil, fmt.Errorf("not a TCP connection: %T", conn)
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return nil, err
	}
	var info *unix.TCPInfo
	var infoErr error
	err = raw.Control(func(fd uintptr) { info, infoErr = unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO) })
	if err != nil {
		return nil, err
	}
	return info, infoErr
}

// Toxiproxy exports the type of a proxy's list of connections and its lock, but not the list. Reading it with reflection
// is the one way to tell which sockets belong to which proxy without a fork. checkConnectionsField refuses to start on a
// Toxiproxy that looks different.
const (
	connectionsField = "connections"
	listField        = "list"
)

func checkConnectionsField() error {
	connections, ok := reflect.TypeFor[toxiproxy.Proxy]().FieldByName(connectionsField)
	if !ok || connections.Type != reflect.TypeFor[toxiproxy.ConnectionList]() {
		return fmt.Errorf("this Toxiproxy keeps its connections elsewhere: Proxy.%s is not a ConnectionList", connectionsField)
	}
	list, ok := connections.Type.FieldByName(listField)
	if !ok || list.Type != reflect.TypeFor[map[string]net.Conn]() {
		return fmt.Errorf("this Toxiproxy keeps its connections elsewhere: ConnectionList.%s is not a map of connections", listField)
	}
	return nil
}

// connections copies a proxy's open connections by Toxiproxy's name for them.
func connections(proxy *toxiproxy.Proxy) map[string]net.Conn {
	field := reflect.ValueOf(proxy).Elem().FieldByName(connectionsField)
	held := (*toxiproxy.ConnectionList)(unsafe.Pointer(field.UnsafeAddr())) //nolint:gosec // see connectionsField
	held.Lock()
	defer held.Unlock()
	list := reflect.ValueOf(held).Elem().FieldByName(listField)
	open := *(*map[string]net.Conn)(unsafe.Pointer(list.UnsafeAddr())) //nolint:gosec // see connectionsField
	return maps.Clone(open)
}
