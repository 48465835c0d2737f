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
	labels := flag.String("labels", "", "folder of more labels of these contracts")
	statements := flag.String("statements", "", "folder of confidentiality agreements compared with statements: dev.json")
	written := flag.String("written", "", "folder of contracts written to learn from")
	out := flag.String("out", "", "folder for the weights and their manifests")
	flag.Parse()
	if *data == "" || *labels == "" || *statements == "" || *written == "" || *out == "" {
		log.Fatal("train needs -data, -labels, -statements, -written and -out")
	}
	sources := training.Sources{Contracts: *data, Labels: *labels, Statements: *statements, Written: *written}
	progress := func(text string) { log.Print(text) }
	if err := training.WriteSecrecy(sources, *out, progress); err != nil {
		log.Fatal(err)
	}
	if err := training.WritePayments(sources, *out, progress); err != nil {
		log.Fatal(err)
	}
	if err := training.Write(sources, *out, progress); err != nil {
		log.Fatal(err)
	}
	if err := training.WriteQuestions(sources, *out, progress); err != nil {
		log.Fatal(err)
	}
	if err := training.WriteNames(sources, *out, progress); err != nil {
		log.Fatal(err)
	}
}
