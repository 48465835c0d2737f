package listener

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"syscall"
)

const (
	// reserved is how many file descriptors a process needs for things other than
	// its clients: databases, the bus, pipes to child processes. An idle standalone
	// program has about 60 open.
	reserved = 192
	// minRoom is the smallest number of connections that Room returns.
	minRoom = 8
	// few is the number of connections below which Fit logs a warning.
	few = 1024
)

// Room returns how many concurrent connections a listener may have, and this
// process's limit on file descriptors. Cost is how many descriptors a request
// takes while it is in progress. Several listeners can share the room by adding
// up their costs. Package os raises the soft limit as far as possible when the
// process starts, and lowers it again for child processes.
func Room(cost int) (connections int, limit uint64, err error) {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return 0, 0, fmt.Errorf("read the limit on open files: %w", err)
	}
	return room(l.Cur, cost), l.Cur, nil
}

func room(limit uint64, cost int) int {
	const plenty = 1 << 24 // an unlimited limit does not fit into an int
	return max((int(min(limit, plenty))-reserved)/cost, minRoom)
}

// Fit returns the smaller of the connections that the environment variable
// allows and the room for them. It logs if the room is smaller.
func Fit(variable string, connections, cost int, log *slog.Logger) (int, error) {
	room, limit, err := Room(cost)
	if err != nil || connections <= room {
		return connections, err
	}
	level := slog.LevelInfo
	if room < few {
		level = slog.LevelWarn
	}
	log.Log(context.Background(), level, "the open-file limit allows fewer connections than configured; raise it with ulimit -n, or with LimitNOFILE= in systemd",
		"variable", variable, "configured", connections, "effective", room, "open_files", limit)
	return room, nil
}

// Loopback returns the loopback networks.
func Loopback() []netip.Prefix {
	return []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
}
