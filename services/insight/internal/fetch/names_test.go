package fetch_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync"

	"golang.org/x/net/dns/dnsmessage"
)

// nameServer is a DNS server within the process. The n-th question for a name gets the
// n-th of its answers, and every later one the last.
type nameServer struct {
	answers map[string][][]string
	// others are the addresses of every other name, if there are any.
	others []string

	mu    sync.Mutex
	asked map[dnsmessage.Question]int
}

// names returns a name server whose names always have the same addresses.
func names(addresses map[string][]string) *nameServer {
	s := &nameServer{answers: map[string][][]string{}}
	for name, a := range addresses {
		s.answers[name] = [][]string{a}
	}
	return s
}

func (s *nameServer) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		go func() {
			defer there.Close()
			s.serve(there)
		}()
		return here, nil
	}}
}

// serve answers questions in the TCP format of DNS.
func (s *nameServer) serve(conn net.Conn) {
	for {
		var size uint16
		if binary.Read(conn, binary.BigEndian, &size) != nil {
			return
		}
		question := make([]byte, size)
		if _, err := io.ReadFull(conn, question); err != nil {
			return
		}
		answer, err := s.answer(question)
		if err != nil {
			return
		}
		if _, err := conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...)); err != nil {
			return
		}
	}
}

func (s *nameServer) answer(packed []byte) ([]byte, error) {
	var m dnsmessage.Message
	if err := m.Unpack(packed); err != nil {
		return nil, err
	}
	q := m.Questions[0]
	m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
	addresses, known := s.look(q)
	if !known {
		m.RCode = dnsmessage.RCodeNameError
	}
	for _, text := range addresses {
		addr := netip.MustParseAddr(text)
		header := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}
		switch {
		case q.Type == dnsmessage.TypeA && addr.Is4():
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AResource{A: addr.As4()}})
		case q.Type == dnsmessage.TypeAAAA && addr.Is6():
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AAAAResource{AAAA: addr.As16()}})
		}
	}
	return m.Pack()
}

func (s *nameServer) look(q dnsmessage.Question) ([]string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	answers, known := s.answers[strings.TrimSuffix(q.Name.String(), ".")]
	if !known {
		return s.others, len(s.others) > 0
	}
	if s.asked == nil {
		s.asked = map[dnsmessage.Question]int{}
	}
	n := s.asked[q]
	s.asked[q]++
	return answers[min(n, len(answers)-1)], true
}
