// Command internet is what the pods of the test cluster find outside of it: it accepts
// connections on every port that it is given, so that a test can tell a policy that
// denies one from an address that does not exist. Port 443 speaks HTTPS, the others HTTP.
// Every request is answered with the address of the caller.
//
//	internet CERTIFICATE KEY PORT...
package main

import (
	"fmt"
	"log"
	"net/http"
	"os"
	"time"
)

func main() {
	if len(os.Args) < 4 {
		log.Fatal("usage: internet CERTIFICATE KEY PORT...")
	}
	failed := make(chan error)
	for _, port := range os.Args[3:] {
		go func() { failed <- serve(port, os.Args[1], os.Args[2]) }()
	}
	log.Fatal(<-failed)
}

// serve accepts connections on a port until that fails.
func serve(port, certificate, key string) error {
	server := &http.Server{Addr: ":" + port, Handler: http.HandlerFunc(answer), ReadHeaderTimeout: 10 * time.Second}
	if port == "443" {
		return server.ListenAndServeTLS(certificate, key)
	}
	return server.ListenAndServe()
}

func answer(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintf(w, "Hello from the internet, %s.\n", r.RemoteAddr)
}
