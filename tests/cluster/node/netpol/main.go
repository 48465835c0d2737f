// Command netpol enforces NetworkPolicies in the test cluster. It exists because the
// common enforcers are not Go modules that can be fetched and built. It covers one node
// and IPv4, all of networking.k8s.io/v1 within that, and nothing else: a test that passes
// with it shows that the policies say what we mean, not how any product enforces them.
//
// Whenever pods, namespaces or policies change, it replaces one table of nftables. A pod
// is filtered from the moment its address is in its status, which is up to a second after
// it gets the address. Connections that are open then stay open. Packets that the node
// itself sends, such as the kubelet's probes, are not filtered.
package main

import (
	"log"
	"os"
	"os/exec"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

// settle is how long netpol waits after a change for others that come with it.
const settle = 20 * time.Millisecond

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		log.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		log.Fatal(err)
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	changed, err := watch(factory)
	if err != nil {
		log.Fatal(err)
	}
	current := ""
	for range changed {
		time.Sleep(settle)
		now, err := read(factory)
		if err != nil {
			log.Fatal(err)
		}
		if table := now.table(); table != current {
			if err := apply(table); err != nil {
				log.Fatalf("%v\n%s", err, table)
			}
			current = table
			log.Printf("%d policies for %d pods are in force", len(now.policies), len(now.pods))
		}
	}
}

// watch starts the informers. The channel that it returns has a value if anything has
// changed since the last one was received.
func watch(factory informers.SharedInformerFactory) (<-chan struct{}, error) {
	changed := make(chan struct{}, 1)
	notify := func() {
		select {
		case changed <- struct{}{}:
		default: // There is a notice already.
		}
	}
	handler := cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { notify() },
		UpdateFunc: func(any, any) { notify() },
		DeleteFunc: func(any) { notify() },
	}
	for _, informer := range []cache.SharedIndexInformer{
		factory.Core().V1().Pods().Informer(),
		factory.Core().V1().Namespaces().Informer(),
		factory.Networking().V1().NetworkPolicies().Informer(),
	} {
		if _, err := informer.AddEventHandler(handler); err != nil {
			return nil, err
		}
	}
	factory.Start(nil)
	factory.WaitForCacheSync(nil)
	notify()
	return changed, nil
}

// read returns what the informers know.
func read(factory informers.SharedInformerFactory) (*world, error) {
	pods, err := factory.Core().V1().Pods().Lister().List(labels.Everything())
	if err != nil {
		return nil, err
	}
	namespaces, err := factory.Core().V1().Namespaces().Lister().List(labels.Everything())
	if err != nil {
		return nil, err
	}
	policies, err := factory.Networking().V1().NetworkPolicies().Lister().List(labels.Everything())
	if err != nil {
		return nil, err
	}
	return newWorld(pods, namespaces, policies), nil
}

// apply makes nft run the commands, all or none of them.
func apply(commands string) error {
	nft := exec.Command("nft", "-f", "-")
	nft.Stdin = strings.NewReader(commands)
	nft.Stderr = os.Stderr
	return nft.Run()
}
