// Command bare is what the gateway is measured against: a Fiber handler behind
// TLS that answers a fixed body and does nothing else.
package main

import (
	"crypto/tls"
	"fmt"
	"log"
	"net"
	"os"

	"github.com/gofiber/fiber/v2"
)

// main serves one file, at any path, with the certificate of its arguments: it
// is what any service in Go and Fiber costs at the least, and the baseline of
// the benches. It runs as a process of its own, as the program under test does.
func main() {
	cert, err := tls.LoadX509KeyPair(os.Args[1], os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	body, err := os.ReadFile(os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Get("/*", func(c *fiber.Ctx) error {
		c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
		return c.Send(body)
	})
	fmt.Println(ln.Addr())
	log.Fatal(app.Listener(tls.NewListener(ln, &tls.Config{Certificates: []tls.Certificate{cert}})))
}
