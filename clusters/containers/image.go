package containers

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"
)

// Names of images. The official one is the default; ours is what make images builds if none can be pulled.
const (
	officialImage = "apache/kafka"
	builtImage    = "chaeos/kafka"
)

// A pull is given up after pullSilence without progress, or after pullWithin.
const (
	pullSilence = 10 * time.Second
	pullWithin  = 10 * time.Minute
)

// ImageError is the error if an image isn't there and can't be pulled.
type ImageError struct{ Image, Why string }

func (e *ImageError) Error() string {
	return fmt.Sprintf("the image %s is not on this machine and can't be pulled: %s (build one with: make images; or name one with --image)",
		e.Image, e.Why)
}

// candidates are the images to look for, the first of which is pulled if none is there.
func candidates(image, version string) []string {
	if image != "" {
		return []string{image}
	}
	return []string{officialImage + ":" + version, builtImage + ":" + version}
}

// FindImage returns the name and id of the first image that is there, "" if none is.
func (e *Engine) FindImage(ctx context.Context, image, version string) (name, id string, err error) {
	for _, name := range candidates(image, version) {
		found, err := e.ImageInspect(ctx, name)
		if err == nil {
			return name, found.ID, nil
		}
		if !errdefs.IsNotFound(err) {
			return "", "", fmt.Errorf("look for image %s: %w", name, err)
		}
	}
	return "", "", nil
}

// image returns an image to run Kafka from, pulled if need be.
func (e *Engine) image(ctx context.Context, image, version string, progress func(string)) (name, id string, err error) {
	name, id, err = e.FindImage(ctx, image, version)
	if err != nil || id != "" {
		return name, id, err
	}
	name = candidates(image, version)[0]
	progress("pulling " + name)
	if err := e.pull(ctx, name); err != nil {
		if ctx.Err() != nil {
			return "", "", context.Cause(ctx)
		}
		return "", "", &ImageError{Image: name, Why: err.Error()}
	}
	found, err := e.ImageInspect(ctx, name)
	return name, found.ID, err
}

func (e *Engine) pull(ctx context.Context, name string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silent := time.AfterFunc(pullSilence, func() { cancel(fmt.Errorf("the registry does not answer within %s", pullSilence)) })
	defer silent.Stop()
	late := time.AfterFunc(pullWithin, func() { cancel(fmt.Errorf("not done within %s", pullWithin)) })
	defer late.Stop()
	answer, err := e.ImagePull(ctx, name, client.ImagePullOptions{})
	if err != nil {
		return causeOr(ctx, err)
	}
	defer answer.Close()
	for message, err := range answer.JSONMessages(ctx) {
		if err != nil {
			return causeOr(ctx, err)
		}
		if message.Error != nil {
			return fmt.Errorf("%s", strings.TrimSpace(message.Error.Message))
		}
		silent.Reset(pullSilence)
	}
	return nil
}

// causeOr returns why the context ended, or the error if it did not end.
func causeOr(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// importImage makes an image of a tar archive.
func (e *Engine) importImage(ctx context.Context, name string, archive io.Reader, changes ...string) error {
	answer, err := e.ImageImport(ctx, client.ImageImportSource{Source: archive, SourceName: "-"}, name, client.ImageImportOptions{Changes: changes})
	if err != nil {
		return fmt.Errorf("import image %s: %w", name, err)
	}
	defer answer.Close()
	if _, err := io.Copy(io.Discard, answer); err != nil {
		return fmt.Errorf("import image %s: %w", name, err)
	}
	return nil
}
