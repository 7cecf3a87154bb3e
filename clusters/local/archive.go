package local

import (
	"context"
	"fmt"
	"path/filepath"
	"syscall"
	"time"

	"github.com/chaeos/chaeos/clusters/kafkaconf"
	"github.com/chaeos/chaeos/clusters/ready"
	"github.com/chaeos/chaeos/clusters/scratch"
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/procs"
)

// archiveWithin bounds the recording of an archive: one broker's start and orderly stop.
const archiveWithin = 2 * time.Minute

// archive returns a class data sharing archive for exactly these jars and this Java, recorded once from a broker that
// runs alone until it is ready.
func (p *Provider) archive(ctx context.Context, k kafka, javaVersion string, progress func(string)) (string, error) {
	print, err := k.fingerprint(javaVersion)
	if err != nil {
		return "", err
	}
	return cached(ctx, filepath.Join(p.cacheDir, "kafka-"+k.Version, "classes-"+print+".jsa"), func(tmp string) error {
		progress("recording class data (once)")
		ctx, cancel := context.WithTimeoutCause(ctx, archiveWithin, fmt.Errorf("not recorded within %s", archiveWithin))
		defer cancel()
		return record(ctx, k, tmp)
	})
}

func record(ctx context.Context, k kafka, archive string) error {
	folder, err := scratch.Make(ctx, scratch.Root(), "classes")
	if err != nil {
		return err
	}
	defer func() { _ = folder.Remove(context.WithoutCancel(ctx)) }()
	dir := folder.Path
	l, reservation, err := reserve(harness.Topology{})
	if err != nil {
		return err
	}
	defer reservation.Close()
	properties := kafkaconf.Render(soloNode(dataDir(dir), l), nil)
	if err := k.writeNodeDir(dir, 1, newID(), l.hostsFile(1, true), properties); err != nil {
		return err
	}
	cmd := k.broker(dir, "-XX:ArchiveClassesAtExit="+archive)
	broker, err := procs.Start(cmd)
	if err != nil {
		return err
	}
	defer func() { _ = broker.Kill(); <-broker.Done() }()
	if err := ready.Await(ctx, []string{l.own(1, clientPort)}); err != nil {
		return err
	}
	if err := broker.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	// A JVM ends with 143 after SIGTERM: only the file shows whether it went well.
	if _ = broker.Wait(ctx); !exists(archive) {
		return fmt.Errorf("the JVM left no archive: %w", context.Cause(ctx))
	}
	return nil
}
