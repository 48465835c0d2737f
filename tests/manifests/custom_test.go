package manifests

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// The types of custom resources have only the fields that the manifests use; importing
// those of KEDA, the Gateway API and the Prometheus operator would add hundreds of modules.

// scaledObject is KEDA's ScaledObject.
type scaledObject struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		ScaleTargetRef struct {
			Name string `json:"name"`
		} `json:"scaleTargetRef"`
		MinReplicaCount int `json:"minReplicaCount"`
		MaxReplicaCount int `json:"maxReplicaCount"`
		PollingInterval int `json:"pollingInterval"`
		Advanced        struct {
			ScalingModifiers struct {
				Formula string `json:"formula"`
				Target  string `json:"target"`
			} `json:"scalingModifiers"`
		} `json:"advanced"`
		Triggers []struct {
			Name     string `json:"name"`
			Type     string `json:"type"`
			Metadata struct {
				Endpoint string `json:"natsServerMonitoringEndpoint"`
				Account  string `json:"account"`
				Stream   string `json:"stream"`
				Consumer string `json:"consumer"`
			} `json:"metadata"`
		} `json:"triggers"`
	} `json:"spec"`
}

// gatewayObject is a Gateway of the Gateway API.
type gatewayObject struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		GatewayClassName string `json:"gatewayClassName"`
		Listeners        []struct {
			Name     string `json:"name"`
			Protocol string `json:"protocol"`
			Port     int32  `json:"port"`
			Hostname string `json:"hostname"`
			TLS      struct {
				Mode            string      `json:"mode"`
				CertificateRefs []reference `json:"certificateRefs"`
			} `json:"tls"`
		} `json:"listeners"`
	} `json:"spec"`
}

// httpRoute is an HTTPRoute of the Gateway API.
type httpRoute struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		ParentRefs []reference `json:"parentRefs"`
		Hostnames  []string    `json:"hostnames"`
		Rules      []struct {
			BackendRefs []reference `json:"backendRefs"`
			Timeouts    struct {
				Request string `json:"request"`
			} `json:"timeouts"`
		} `json:"rules"`
	} `json:"spec"`
}

// reference is a reference to an object in the same namespace.
type reference struct {
	Name string `json:"name"`
	Port int32  `json:"port"`
}

// podMonitor is a PodMonitor of the Prometheus operator.
type podMonitor struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		JobLabel  string               `json:"jobLabel"`
		Selector  metav1.LabelSelector `json:"selector"`
		Endpoints []struct {
			Port          string `json:"port"`
			Path          string `json:"path"`
			Interval      string `json:"interval"`
			ScrapeTimeout string `json:"scrapeTimeout"`
		} `json:"podMetricsEndpoints"`
	} `json:"spec"`
}

// prometheusRule is a PrometheusRule of the Prometheus operator. Package observability
// checks its rules.
type prometheusRule struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Groups []any `json:"groups"`
	} `json:"spec"`
}
