package bench

import (
	"fmt"
	"os"
	"runtime/pprof"
	"syscall"
)

func profiled(part string) func() {
	f, err := os.Create(fmt.Sprintf("/tmp/prof/%s-%d.pprof", part, os.Getpid()))
	if err != nil {
		return func() {}
	}
	_ = pprof.StartCPUProfile(f)
	return func() {
		pprof.StopCPUProfile()
		f.Close()
		var ru syscall.Rusage
		_ = syscall.Getrusage(syscall.RUSAGE_SELF, &ru)
		fmt.Fprintf(os.Stderr, "%s user %.2f sys %.2f maxrss %dM\n", part, float64(ru.Utime.Nano())/1e9, float64(ru.Stime.Nano())/1e9, ru.Maxrss/1024)
	}
}
