package listener

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"syscall"
)

const (
	// reserved is how many file descriptors a process needs apart from those for
	// its clients: databases, the bus, pipes to child processes. An idle standalone
	// program has about 60 open.
	reserved = 192
	// minRoom is the smallest room that is worth having.
	minRoom = 8
	// few connections are worth a warning.
	few = 1024
)

// Room returns how many connections a listener may have at a time, given the
// file descriptors that a request takes while it is in work, and the limit on
// those of this process. Several listeners share the room if they add up their
// costs. Package os has raised the soft limit as far as it goes when the process
// started, and lowers it again for child processes.
func Room(cost int) (connections int, limit uint64, err error) {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return 0, 0, fmt.Errorf("read the limit on open files: %w", err)
	}
	return room(l.Cur, cost), l.Cur, nil
}

func room(limit uint64, cost int) int {
	const plenty = 1 << 24 // "unlimited" does not fit into an int
	return max((int(min(limit, plenty))-reserved)/cost, minRoom)
}

// Fit returns the smaller one of the connections that a variable allows and the
// room for them, and logs when that is the room.
func Fit(variable string, connections, cost int, log *slog.Logger) (int, error) {
	room, limit, err := Room(cost)
	if err != nil || connections <= room {
		return connections, err
	}
	level := slog.LevelInfo
	if room < few {
		level = slog.LevelWarn
	}
	log.Log(context.Background(), level, "the limit on open files allows fewer connections than configured; raise it with ulimit -n, or LimitNOFILE of systemd",
		"variable", variable, "configured", connections, "effective", room, "open_files", limit)
	return room, nil
}

// Loopback returns the networks of this machine itself.
func Loopback() []netip.Prefix {
	return []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
}
