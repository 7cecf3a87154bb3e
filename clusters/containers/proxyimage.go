package containers

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/moby/moby/client"
)

const (
	proxyImage = "chaeos/toxiproxy"
	// ProxyCommand is this program's subcommand that the proxy container runs.
	ProxyCommand = "toxiproxy"
	labelImage   = "chaeos.image"
)

// proxyImageOf returns the name of the proxy image, which contains only this program's binary and is made once for each
// build. Images of earlier builds are removed if nothing uses them.
func (e *Engine) proxyImageOf(ctx context.Context, binary string, progress func(string)) (string, error) {
	if err := CheckProgram(binary); err != nil {
		return "", err
	}
	hash, err := hashOf(binary)
	if err != nil {
		return "", err
	}
	name := proxyImage + ":" + hash
	if _, id, err := e.FindImage(ctx, name, ""); err != nil || id != "" {
		return name, err
	}
	progress("building the proxy image (once)")
	archive, write := io.Pipe()
	go func() { write.CloseWithError(packBinary(write, binary)) }()
	err = e.importImage(ctx, name, archive, `ENTRYPOINT ["/chaeos"]`, "LABEL "+labelImage+"=proxy")
	_ = archive.Close() // ends the writer if the engine stopped reading
	if err == nil {
		e.removeProxyImages(ctx, name)
	}
	return name, err
}

// CheckProgram refuses a binary that would not run in an image without anything else.
func CheckProgram(binary string) error {
	file, err := elf.Open(binary)
	if err != nil {
		return fmt.Errorf("the proxy image is made of %s: %w", binary, err)
	}
	defer func() { _ = file.Close() }()
	if slices.ContainsFunc(file.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
		return errors.New("the proxy image is made of this program, which must be linked statically: build it with make build (CGO_ENABLED=0)")
	}
	return nil
}

func hashOf(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil))[:16], nil
}

// packBinary writes an image's file system: the program and nothing else.
func packBinary(w io.Writer, binary string) error {
	file, err := os.Open(binary)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	archive := tar.NewWriter(w)
	if err := archive.WriteHeader(&tar.Header{Name: "chaeos", Mode: 0o755, Size: info.Size()}); err != nil {
		return err
	}
	if _, err := io.Copy(archive, file); err != nil {
		return err
	}
	return archive.Close()
}

// removeProxyImages removes proxy images other than the named one; the engine keeps those that containers use.
func (e *Engine) removeProxyImages(ctx context.Context, but string) {
	images, err := e.ImageList(ctx, client.ImageListOptions{Filters: make(client.Filters).Add("label", labelImage+"=proxy")})
	if err != nil {
		return // they only take space
	}
	for _, image := range images.Items {
		if !slices.Contains(image.RepoTags, but) {
			_, _ = e.ImageRemove(ctx, image.ID, client.ImageRemoveOptions{})
		}
	}
}
