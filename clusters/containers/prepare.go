package containers

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/moby/moby/client"

	"github.com/chaeos/chaeos/clusters/kafkaconf"
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/files"
)

// Paths inside containers. Any image with a Java runtime on its path and Kafka's jars at this path will do.
const (
	libsDir    = "/opt/kafka/libs"
	ourDir     = "/opt/chaeos"
	dataDir    = ourDir + "/data"
	soloDir    = ourDir + "/solo" // of the broker that runs alone: it stays in the prepared image
	properties = ourDir + "/server.properties"
	logConfig  = ourDir + "/log4j2.properties"
	archive    = ourDir + "/classes.jsa"
)

const (
	preparedImage = "chaeos/prepared"
	// labelJars and labelKafka keep what was found out about an image: its jars in the order of the classpath, and its
	// Kafka version.
	labelJars  = "chaeos.jars"
	labelKafka = "chaeos.kafka"
	// prepareWithin bounds the preparation of an image: one format, one start and one end of a broker.
	prepareWithin = 2 * time.Minute
)

// kafka is an image to run brokers from.
type kafka struct {
	// name is the image that was asked for, image the prepared one.
	name, image, version string
	jars                 []string
	// archived reports whether the image has a class data sharing archive.
	archived bool
	// bootstrap is a formatted bootstrap.checkpoint of the requested features.
	bootstrap string
}

// java is the command of a main class. The classpath lists every jar, in one order: an archive is only used with the
// classpath it was made with, and never with a wildcard.
func (k kafka) java(flags []string, main string, args ...string) []string {
	all := append([]string{}, flags...)
	return append(append(all, "-cp", strings.Join(k.jars, ":"), main), args...)
}

// broker is the command of a broker.
func (k kafka) broker(flags ...string) []string {
	all := append(slices.Clone(kafkaconf.BrokerFlags), "-Dlog4j2.configurationFile="+logConfig)
	if k.archived {
		all = append(all, kafkaconf.ArchiveFlags(archive)...)
	}
	return k.java(append(all, flags...), kafkaconf.Broker, properties)
}

// prepare returns the image prepared for brokers that start fast, and storage formatted for the features: each made once.
func (p *Provider) prepare(ctx context.Context, e *Engine, s harness.ClusterSpec, progress func(string)) (kafka, error) {
	name, id, err := e.image(ctx, p.Image, s.Kafka, progress)
	if err != nil {
		return kafka{}, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, prepareWithin, fmt.Errorf("image %s not prepared within %s", name, prepareWithin))
	defer cancel()
	k := kafka{name: name, image: preparedName(id)}
	found, err := e.ImageInspect(ctx, k.image)
	if err == nil && found.Config != nil && found.Config.Labels[labelJars] != "" {
		k.jars, k.version = strings.Split(found.Config.Labels[labelJars], ":"), found.Config.Labels[labelKafka]
		k.archived = found.Config.Labels[labelImage] == "prepared"
	} else if err := p.prepareImage(ctx, e, &k, progress); err != nil {
		return kafka{}, err
	}
	k.bootstrap, err = p.format(ctx, e, k, strings.TrimPrefix(id, "sha256:"), s.Features)
	return k, err
}

// preparedName names the prepared image by the image that it is made of, and by how it is prepared.
func preparedName(id string) string {
	how := sha256.Sum256([]byte(strings.Join(append([]string{archive}, kafkaconf.BrokerFlags...), " ")))
	return preparedImage + ":" + strings.TrimPrefix(id, "sha256:")[:16] + "-" + hex.EncodeToString(how[:4])
}

// prepareImage looks at an image's jars, records a class data sharing archive from a broker that runs alone, and commits
// both as an image of our own.
func (p *Provider) prepareImage(ctx context.Context, e *Engine, k *kafka, progress func(string)) error {
	progress("preparing the image (once)")
	bare := kafka{image: k.name}
	solo, err := p.solo(ctx, e, bare, map[string]string{}, soloDir)
	if err != nil {
		return err
	}
	err = e.readJars(ctx, solo, k)
	if err = errors.Join(err, e.removeContainers(ctx, []string{solo})); err != nil {
		return err
	}
	bare.jars = k.jars
	checkpoint, err := p.storageTool(ctx, e, bare, nil)
	if err != nil {
		return err
	}
	return p.record(ctx, e, bare, k, checkpoint)
}

// record runs a broker alone until it is ready, lets it end in order, which writes the archive, and commits the container.
func (p *Provider) record(ctx context.Context, e *Engine, bare kafka, k *kafka, checkpoint string) error {
	id, err := p.solo(ctx, e, bare, map[string]string{
		soloDir + "/" + kafkaconf.BootstrapCheckpoint: checkpoint,
		soloDir + "/meta.properties":                  kafkaconf.MetaProperties(1, kafkaconf.NewID()),
	}, soloDir, bare.broker("-XX:ArchiveClassesAtExit="+archive)...)
	if err != nil {
		return err
	}
	defer func() { _ = e.removeContainers(context.WithoutCancel(ctx), []string{id}) }()
	if err := e.start(ctx, id); err != nil {
		return err
	}
	if err := e.awaitLog(ctx, id, "Kafka Server started"); err != nil {
		return fmt.Errorf("a broker of image %s: %w", k.name, err)
	}
	if _, err := e.ContainerKill(ctx, id, client.ContainerKillOptions{Signal: "SIGTERM"}); err != nil {
		return err
	}
	if _, err := e.ended(ctx, id); err != nil {
		return err
	}
	kind := "prepared"
	if _, err := e.ContainerStatPath(ctx, id, client.ContainerStatPathOptions{Path: archive}); err != nil {
		kind = "unarchived" // brokers start slower, and run the same
	}
	k.archived = kind == "prepared"
	_, err = e.ContainerCommit(ctx, id, client.ContainerCommitOptions{Reference: k.image, Changes: []string{
		"LABEL " + labelImage + "=" + kind, "LABEL " + labelKafka + "=" + k.version, "LABEL " + labelJars + "=" + strings.Join(k.jars, ":"),
	}})
	return err
}

// solo makes a container of one node without a network, with the given files and command.
func (p *Provider) solo(ctx context.Context, e *Engine, k kafka, files map[string]string, data string, cmd ...string) (string, error) {
	local := func(port int) kafkaconf.Address {
		return kafkaconf.Address{Bind: fmt.Sprintf("127.0.0.1:%d", port), Advertise: fmt.Sprintf("127.0.0.1:%d", port)}
	}
	files[properties] = kafkaconf.Render(kafkaconf.Node{
		ID: 1, DataDir: data, Voters: map[int]string{1: local(quorumBase).Bind},
		Client: local(clientPort), Replication: local(replicationBase), Controller: local(quorumBase),
	}, nil)
	files[logConfig] = kafkaconf.LogConfig
	labels, err := labelsOf("preparing-"+strings.ToLower(kafkaconf.NewID()), "solo", false)
	if err != nil {
		return "", err
	}
	c, err := e.create(ctx, spec{image: k.image, entrypoint: []string{"java"}, cmd: cmd, labels: labels, files: files})
	if err != nil {
		return "", err
	}
	return c.GetContainerID(), nil
}

var coreJar = regexp.MustCompile(`^kafka_2\.\d+-(.+)\.jar$`)

// readJars lists the jars of a container's image.
func (e *Engine) readJars(ctx context.Context, id string, k *kafka) error {
	answer, err := e.CopyFromContainer(ctx, id, client.CopyFromContainerOptions{SourcePath: libsDir})
	if err != nil {
		return fmt.Errorf("image %s has no Kafka in %s: %w", k.name, libsDir, err)
	}
	defer answer.Content.Close()
	entries := tar.NewReader(answer.Content)
	for {
		entry, err := entries.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read the jars of image %s: %w", k.name, err)
		}
		if name := path.Base(entry.Name); path.Ext(name) == ".jar" {
			k.jars = append(k.jars, libsDir+"/"+name)
			if m := coreJar.FindStringSubmatch(name); m != nil {
				k.version = m[1]
			}
		}
	}
	if slices.Sort(k.jars); k.version == "" {
		return fmt.Errorf("image %s has no kafka_2.13-….jar in %s", k.name, libsDir)
	}
	return nil
}

// format returns a bootstrap.checkpoint for the features, made once for each image and set of features.
func (p *Provider) format(ctx context.Context, e *Engine, k kafka, image string, features []harness.Feature) (string, error) {
	flags := kafkaconf.FeatureFlags(features)
	file := filepath.Join(p.cacheDir, "images", image, strings.Join(append([]string{"format"}, flags...), "+"))
	if kept, err := os.ReadFile(file); err == nil {
		return string(kept), nil
	}
	checkpoint, err := p.storageTool(ctx, e, k, flags)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return "", err
	}
	return checkpoint, files.ReplaceBytes(file, []byte(checkpoint))
}

// storageTool formats the storage of a node that will never run, and returns its bootstrap.checkpoint.
func (p *Provider) storageTool(ctx context.Context, e *Engine, k kafka, features []string) (string, error) {
	id, err := p.solo(ctx, e, k, map[string]string{}, dataDir, k.java(kafkaconf.ToolFlags, kafkaconf.StorageTool, kafkaconf.FormatArgs(properties, features)...)...)
	if err != nil {
		return "", err
	}
	defer func() { _ = e.removeContainers(context.WithoutCancel(ctx), []string{id}) }()
	if err := e.start(ctx, id); err != nil {
		return "", err
	}
	code, err := e.ended(ctx, id)
	if err != nil {
		return "", err
	}
	if code != 0 {
		return "", fmt.Errorf("format storage with %v in image %s: exit status %d: %s", features, k.image, code, e.lastWords(ctx, id))
	}
	var failed error
	for _, name := range kafkaconf.Checkpoints {
		text, err := e.readFile(ctx, id, dataDir+"/"+name)
		if err == nil {
			return text, nil
		}
		failed = errors.Join(failed, err)
	}
	return "", failed
}

func (e *Engine) readFile(ctx context.Context, id, file string) (string, error) {
	answer, err := e.CopyFromContainer(ctx, id, client.CopyFromContainerOptions{SourcePath: file})
	if err != nil {
		return "", fmt.Errorf("read %s: %w", file, err)
	}
	defer answer.Content.Close()
	entries := tar.NewReader(answer.Content)
	if _, err := entries.Next(); err != nil {
		return "", fmt.Errorf("read %s: %w", file, err)
	}
	var text bytes.Buffer
	_, err = io.Copy(&text, entries)
	return text.String(), err
}
