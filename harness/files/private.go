package files

import (
	"fmt"
	"os"
	"syscall"
)

// MakePrivate makes a folder for this user alone, with those above it, and refuses one that is not: what is in it is trusted.
// One of this user's that the user's group may write into is closed to the group.
func MakePrivate(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if mode := info.Mode(); mode.IsDir() && ownerOf(info) == os.Geteuid() && mode.Perm()&0o022 == 0o020 {
		if err := os.Chmod(dir, mode.Perm()&^0o020); err != nil {
			return err
		}
	}
	return Private(dir)
}

// Private returns an error if a folder is neither this user's nor root's, or if others may write into it.
func Private(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	return private(dir, info.Mode(), ownerOf(info), os.Geteuid())
}

func private(dir string, mode os.FileMode, owner, user int) error {
	switch {
	case !mode.IsDir():
		return fmt.Errorf("%s is a link or a file, not a folder of its own: remove it", dir)
	case owner != user && owner != 0:
		return fmt.Errorf("%s belongs to another user (%d), and what is in it would run as you: name another folder, or have it removed", dir, owner)
	case mode.Perm()&0o022 != 0:
		return fmt.Errorf("others may write into %s (mode %04o), and what is in it would run as you: remove it, or `chmod go-w` it if you trust what it holds", dir, mode.Perm())
	}
	return nil
}

// ownerOf is the user id that a file belongs to.
func ownerOf(info os.FileInfo) int { return int(info.Sys().(*syscall.Stat_t).Uid) }
