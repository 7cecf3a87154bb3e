package containers

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/moby/moby/client"

	"github.com/chaeos/chaeos/clusters/kafkadisk"
	"github.com/chaeos/chaeos/clusters/scratch"
	"github.com/chaeos/chaeos/harness"
)

var _ harness.Disks = (*cluster)(nil)

// Wipe gives a stopped node an empty disk: its container is made again, with storage formatted on a new directory id.
func (c *cluster) Wipe(ctx context.Context, id int) error {
	return c.node(id, "wipe", func(n *node) error {
		return n.onDisk(ctx, func() error { return c.replace(ctx, n) })
	})
}

// CutLogs cuts the logs of a stopped node: its disk is copied out, cut, and copied into a new container of the node.
func (c *cluster) CutLogs(ctx context.Context, id int, cut harness.LogCut) ([]harness.CutLog, error) {
	var lost []harness.CutLog
	err := c.node(id, "cut the logs of", func(n *node) error {
		return n.onDisk(ctx, func() (err error) {
			lost, err = c.cutLogs(ctx, n, cut)
			return err
		})
	})
	return lost, err
}

func (c *cluster) cutLogs(ctx context.Context, n *node, cut harness.LogCut) ([]harness.CutLog, error) {
	folder, err := scratch.Make(ctx, scratch.Root(), "disk")
	if err != nil {
		return nil, err
	}
	defer func() { _ = folder.Remove(context.WithoutCancel(ctx)) }()
	dir := filepath.Join(folder.Path, "files")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	if err := c.engine.copyOut(ctx, n.container, dataDir, dir); err != nil {
		return nil, err
	}
	data := filepath.Join(dir, path.Base(dataDir))
	lost, err := kafkadisk.Cut(data, cut)
	if err != nil {
		return nil, err
	}
	if err := c.replace(ctx, n); err != nil {
		return nil, err
	}
	return lost, c.engine.copyIn(ctx, n.container, dir, path.Dir(dataDir))
}

// replace makes a node's container again. Its log continues in the same file.
func (c *cluster) replace(ctx context.Context, n *node) error {
	if c.files == nil {
		return errors.New("only the run that started a cluster can change its disks")
	}
	n.log.flushed(flushWithin)
	if err := c.engine.removeContainers(ctx, []string{n.container}); err != nil {
		return err
	}
	if err := c.createNode(ctx, n); err != nil {
		return err
	}
	if n.log != nil {
		n.log = &follower{engine: c.engine, id: n.container, file: n.log.file}
	}
	return nil
}

// onDisk changes what the node has on its disk; it must be stopped, and is not started meanwhile.
func (n *node) onDisk(ctx context.Context, change func() error) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	state, err := n.state(ctx)
	if err != nil {
		return err
	}
	if state.Running {
		return fmt.Errorf("node %d runs: its disk can't be changed under it", n.id)
	}
	// A container made again was never ended, but it is down on purpose.
	n.onPurpose = true
	return change()
}

// copyOut copies a folder of a container into dir.
func (e *Engine) copyOut(ctx context.Context, id, folder, dir string) error {
	answer, err := e.CopyFromContainer(ctx, id, client.CopyFromContainerOptions{SourcePath: folder})
	if err != nil {
		return fmt.Errorf("copy %s: %w", folder, err)
	}
	defer answer.Content.Close()
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	entries := tar.NewReader(answer.Content)
	for {
		entry, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = unpack(root, entry, entries)
		}
		if err != nil {
			return fmt.Errorf("copy %s: %w", folder, err)
		}
	}
}

func unpack(root *os.Root, entry *tar.Header, content io.Reader) error {
	name := path.Clean(entry.Name)
	if entry.Typeflag == tar.TypeDir {
		return root.MkdirAll(name, 0o755)
	}
	if entry.Typeflag != tar.TypeReg {
		return nil // Kafka only keeps plain files
	}
	file, err := root.Create(name)
	if err != nil {
		return err
	}
	_, err = io.CopyN(file, content, entry.Size)
	return errors.Join(err, file.Close())
}

// copyIn copies what is in dir into a folder of a container.
func (e *Engine) copyIn(ctx context.Context, id, dir, folder string) error {
	read, write := io.Pipe()
	go func() {
		archive := tar.NewWriter(write)
		write.CloseWithError(errors.Join(pack(archive, dir), archive.Close()))
	}()
	_, err := e.CopyToContainer(ctx, id, client.CopyToContainerOptions{DestinationPath: folder, Content: read})
	_ = read.Close() // ends the writer if the engine stopped reading
	if err != nil {
		return fmt.Errorf("copy into %s: %w", folder, err)
	}
	return nil
}

// pack writes dir's folders and files, owned by root as everything in the containers is.
func pack(archive *tar.Writer, dir string) error {
	return fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		header := &tar.Header{Name: name, Mode: int64(info.Mode().Perm()), ModTime: info.ModTime(), Size: info.Size(), Typeflag: tar.TypeReg}
		if d.IsDir() {
			header.Typeflag, header.Size = tar.TypeDir, 0
			return archive.WriteHeader(header)
		}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		file, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		defer file.Close()
		_, err = io.Copy(archive, file)
		return err
	})
}
