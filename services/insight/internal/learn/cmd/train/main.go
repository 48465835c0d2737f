// Command train fits the weights of package learn to annotated contracts, and writes them
// with their manifest to a folder.
package main

import (
	"flag"
	"log"

	"github.com/rectohq/recto/services/insight/internal/learn/training"
)

func main() {
	data := flag.String("data", "", "folder of annotated contracts: gold.json and txt")
	out := flag.String("out", "", "folder for clauses.weights and clauses.json")
	flag.Parse()
	if *data == "" || *out == "" {
		log.Fatal("train needs -data and -out")
	}
	if err := training.Write(*data, *out, func(text string) { log.Print(text) }); err != nil {
		log.Fatal(err)
	}
}
