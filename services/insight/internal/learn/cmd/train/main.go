// Command train fits the weights of package learn to annotated contracts, and writes them
// with their manifests to a folder.
package main

import (
	"flag"
	"log"

	"github.com/rectohq/recto/services/insight/internal/learn/training"
)

func main() {
	data := flag.String("data", "", "folder of annotated contracts: gold.json and txt")
	labels := flag.String("labels", "", "folder of the labels of payments")
	out := flag.String("out", "", "folder for the weights and their manifests")
	flag.Parse()
	if *data == "" || *labels == "" || *out == "" {
		log.Fatal("train needs -data, -labels and -out")
	}
	progress := func(text string) { log.Print(text) }
	if err := training.WritePayments(*data, *labels, *out, progress); err != nil {
		log.Fatal(err)
	}
	if err := training.Write(*data, *out, progress); err != nil {
		log.Fatal(err)
	}
}
