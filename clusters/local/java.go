package local

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/chaeos/chaeos/harness/procs"
)

// What a machine needs to start brokers, and the commands that install it.
const (
	OldestJava   = 17
	InstallJava  = "apt-get install openjdk-17-jdk-headless"
	InstallMaven = "apt-get install maven"
)

// javaWithin bounds the question which version a Java runtime has.
const javaWithin = 30 * time.Second

// java is a Java runtime of this machine.
type java struct {
	path    string
	version string // for example 17.0.15
}

// findJava returns the runtime of $JAVA_HOME, or else the one on the path.
func findJava(ctx context.Context) (java, error) {
	missing := &MissingToolError{Tool: fmt.Sprintf("a Java runtime, %d or newer,", OldestJava), Install: InstallJava}
	path, err := JavaPath()
	if err != nil {
		missing.Reason = "there is no java on the path and JAVA_HOME names none"
		return java{}, missing
	}
	version, err := askJava(ctx, path, javaWithin)
	if err != nil {
		missing.Reason = err.Error()
		return java{}, missing
	}
	if JavaMajor(version) < OldestJava {
		missing.Reason = fmt.Sprintf("%s is version %s", path, version)
		return java{}, missing
	}
	return java{path: path, version: version}, nil
}

// askJava asks a Java runtime for its version.
func askJava(ctx context.Context, path string, within time.Duration) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, within, fmt.Errorf("no answer within %s", within))
	defer cancel()
	out, err := run(ctx, exec.Command(path, "-version"))
	version := JavaVersion(out)
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s -version: %w", path, context.Cause(ctx))
	case err != nil || version == "":
		return "", fmt.Errorf("%s -version says %q", path, strings.TrimSpace(out))
	}
	return version, nil
}

// FindJava returns the version of the Java runtime that clusters run on, or a *MissingToolError.
func FindJava(ctx context.Context) (version string, err error) {
	found, err := findJava(ctx)
	return found.version, err
}

// JavaPath is the java that clusters run on: that of $JAVA_HOME if there is one, else the first on the path.
func JavaPath() (string, error) {
	if home := os.Getenv("JAVA_HOME"); home != "" {
		if path := filepath.Join(home, "bin", "java"); exists(path) {
			return path, nil
		}
	}
	return exec.LookPath("java")
}

var javaVersion = regexp.MustCompile(`version "([^"]+)"`)

// JavaVersion finds the version in what java -version printed, or returns "".
func JavaVersion(out string) string {
	if m := javaVersion.FindStringSubmatch(out); m != nil {
		return m[1]
	}
	return ""
}

// JavaMajor is the feature release: 17 of 17.0.15, 8 of 1.8.0_402, 0 if there is none.
func JavaMajor(version string) int {
	number := leadingNumber.FindString(strings.TrimPrefix(version, "1."))
	n, _ := strconv.Atoi(number)
	return n
}

var leadingNumber = regexp.MustCompile(`^\d+`)

// findMaven returns the path of mvn.
func findMaven() (string, error) {
	path, err := exec.LookPath("mvn")
	if err != nil {
		return "", &MissingToolError{Tool: "Maven", Install: InstallMaven,
			Reason: "there is no mvn on the path to fetch Kafka's jars with, and no Kafka directory was given with --kafka-home"}
	}
	return path, nil
}

// run runs a short-lived command that dies with this process and with ctx, and returns what it printed.
func run(ctx context.Context, cmd *exec.Cmd) (string, error) {
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	process, err := procs.Start(cmd)
	if err != nil {
		return "", err
	}
	err = process.Wait(ctx)
	if !process.Ended() {
		_ = process.Kill()
		<-process.Done()
	}
	return out.String(), err
}
