package files

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	"golang.org/x/sys/unix"
)

// Output writes data to a path that a user names for it. A file appears whole or not at all. A pipe or a device is written
// into, and the file that a link names is written in its place: neither is replaced.
func Output(path string, data []byte) error {
	target := path
	for range mostLinks {
		if fd, is := descriptor(target); is {
			return into(fd, data)
		}
		next, err := os.Readlink(target)
		if err != nil { // no link, or nothing
			return toTarget(target, data)
		}
		if !filepath.IsAbs(next) {
			next = filepath.Join(filepath.Dir(target), next)
		}
		target = next
	}
	return fmt.Errorf("%s: too many links", path)
}

// mostLinks is how many links name a file at most: the kernel's own bound.
const mostLinks = 40

func toTarget(path string, data []byte) error {
	info, err := os.Stat(path)
	if err != nil || info.Mode().IsRegular() || info.IsDir() { // to write into a folder fails by itself
		return ReplaceBytes(path, data)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// ownDescriptors is the folder of this process's open files.
var ownDescriptors = regexp.MustCompile(`^/proc/(\d+)(/task/\d+)?/fd$`)

// descriptor reports whether path stands for an open file of this process, as /dev/stdout and a shell's >(command) do.
func descriptor(path string) (fd int, is bool) {
	folder, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return 0, false
	}
	of := ownDescriptors.FindStringSubmatch(folder)
	if of == nil || of[1] != strconv.Itoa(os.Getpid()) {
		return 0, false
	}
	fd, err = strconv.Atoi(filepath.Base(path))
	return fd, err == nil
}

// into writes to an open file at the place where it is, and leaves it open.
func into(fd int, data []byte) error {
	own, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("descriptor %d: %w", fd, err)
	}
	f := os.NewFile(uintptr(own), fmt.Sprintf("descriptor %d", fd))
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}
