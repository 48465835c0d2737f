// Command bare is the baseline for the gateway: a Fiber handler behind TLS that answers
// with a fixed body and does nothing else.
package main

import (
	"crypto/tls"
	"fmt"
	"log"
	"net"
	"os"

	"github.com/gofiber/fiber/v2"
)

// main takes the paths of a certificate, its key and a file, and serves the file at every
// path. Its cost is the minimum for any service in Go with Fiber. It runs as a separate
// process, like the program under test.
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
