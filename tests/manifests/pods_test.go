package manifests

import (
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// workload is a Deployment or a StatefulSet.
type workload struct {
	name     string
	selector *metav1.LabelSelector
	pod      corev1.PodTemplateSpec
	claims   []string
}

// service returns the name of the service whose pods these are.
func (w workload) service() string { return w.pod.Labels["app.kubernetes.io/name"] }

// container returns the only container.
func (w workload) container() corev1.Container { return w.pod.Spec.Containers[0] }

// isRecto reports whether the workload runs a service of Recto rather than a server that
// it needs.
func (w workload) isRecto() bool { return slices.Contains(services, w.service()) }

var services = []string{"gateway", "document", "annotation", "conversion", "insight"}

func workloads(objects []object) []workload {
	var all []workload
	for _, d := range each[appsv1.Deployment](objects) {
		all = append(all, workload{name: d.Name, selector: d.Spec.Selector, pod: d.Spec.Template})
	}
	for _, s := range each[appsv1.StatefulSet](objects) {
		w := workload{name: s.Name, selector: s.Spec.Selector, pod: s.Spec.Template}
		for _, c := range s.Spec.VolumeClaimTemplates {
			w.claims = append(w.claims, c.Name)
		}
		all = append(all, w)
	}
	return all
}

// TestRestricted checks the security settings of every pod: those of the restricted
// profile and a read-only root file system.
func TestRestricted(t *testing.T) {
	forEach(t, func(t *testing.T, objects []object) {
		for _, w := range workloads(objects) {
			spec, c := w.pod.Spec, w.container()
			if len(spec.Containers) != 1 || len(spec.InitContainers) != 0 || spec.SecurityContext == nil || c.SecurityContext == nil {
				t.Errorf("%s: %d containers, %d init containers, or no security context", w.name, len(spec.Containers), len(spec.InitContainers))
				continue
			}
			pod, own := spec.SecurityContext, c.SecurityContext
			for setting, ok := range map[string]bool{
				"runAsNonRoot, runAsUser or runAsGroup": is(pod.RunAsNonRoot, true) && is(pod.RunAsUser, 65532) && is(pod.RunAsGroup, 65532),
				"seccompProfile":                        pod.SeccompProfile != nil && pod.SeccompProfile.Type == corev1.SeccompProfileTypeRuntimeDefault,
				"allowPrivilegeEscalation":              is(own.AllowPrivilegeEscalation, false),
				"readOnlyRootFilesystem":                is(own.ReadOnlyRootFilesystem, true),
				"capabilities":                          own.Capabilities != nil && slices.Equal(own.Capabilities.Drop, []corev1.Capability{"ALL"}) && own.Capabilities.Add == nil,
				"overrides of the container":            own.RunAsNonRoot == nil && own.RunAsUser == nil && own.RunAsGroup == nil && own.SeccompProfile == nil && own.Privileged == nil,
				"host namespaces":                       !spec.HostNetwork && !spec.HostPID && !spec.HostIPC,
				"automountServiceAccountToken":          is(spec.AutomountServiceAccountToken, false),
				"serviceAccountName":                    spec.ServiceAccountName != "",
			} {
				if !ok {
					t.Errorf("%s has the wrong %s", w.name, setting)
				}
			}
		}
	})
}

// is reports whether p points to the value.
func is[T comparable](p *T, value T) bool { return p != nil && *p == value }

// headroom is the least memory that a process needs next to its files in memory.
const headroom = 128 << 20

// TestResources checks that every container has requests and a limit on memory that its
// files in memory fit in.
func TestResources(t *testing.T) {
	forEach(t, func(t *testing.T, objects []object) {
		for _, w := range workloads(objects) {
			r := w.container().Resources
			if r.Requests.Cpu().IsZero() || r.Requests.Memory().IsZero() || r.Requests.Memory().Cmp(*r.Limits.Memory()) > 0 {
				t.Errorf("%s has the requests %v and the limits %v", w.name, r.Requests, r.Limits)
			}
			files := int64(0)
			for _, v := range w.pod.Spec.Volumes {
				if v.EmptyDir == nil || v.EmptyDir.Medium != corev1.StorageMediumMemory {
					continue
				}
				if v.EmptyDir.SizeLimit == nil {
					t.Errorf("%s: the volume %s has no size limit", w.name, v.Name)
					continue
				}
				files += v.EmptyDir.SizeLimit.Value()
			}
			if limit := r.Limits.Memory().Value(); limit < files+headroom {
				t.Errorf("%s: a limit of %d bytes of memory is too low for %d bytes of files", w.name, limit, files)
			}
		}
	})
}

// TestProbes checks that every container has probes on ports that it has, and that those
// of Recto ask the right questions.
func TestProbes(t *testing.T) {
	forEach(t, func(t *testing.T, objects []object) {
		for _, w := range workloads(objects) {
			c := w.container()
			for kind, probe := range map[string]*corev1.Probe{"startup": c.StartupProbe, "liveness": c.LivenessProbe, "readiness": c.ReadinessProbe} {
				switch {
				case probe == nil:
					t.Errorf("%s has no %s probe", w.name, kind)
				case probe.HTTPGet != nil && hasPort(c, probe.HTTPGet.Port.StrVal):
					want := map[string]string{"startup": "/livez", "liveness": "/livez", "readiness": "/readyz"}[kind]
					if w.isRecto() && (probe.HTTPGet.Path != want || probe.HTTPGet.Port.StrVal != "metrics") {
						t.Errorf("%s: the %s probe asks %s at %v", w.name, kind, probe.HTTPGet.Path, probe.HTTPGet.Port)
					}
				case probe.TCPSocket != nil && hasPort(c, probe.TCPSocket.Port.StrVal) && !w.isRecto():
				default:
					t.Errorf("%s: the %s probe is %+v", w.name, kind, probe.ProbeHandler)
				}
			}
		}
	})
}

// hasPort reports whether the container has a port with the name.
func hasPort(c corev1.Container, name string) bool {
	return slices.ContainsFunc(c.Ports, func(p corev1.ContainerPort) bool { return p.Name == name })
}

// TestVolumes checks that every mount has a volume and every volume a mount.
func TestVolumes(t *testing.T) {
	forEach(t, func(t *testing.T, objects []object) {
		for _, w := range workloads(objects) {
			volumes := slices.Clone(w.claims)
			for _, v := range w.pod.Spec.Volumes {
				volumes = append(volumes, v.Name)
			}
			var mounts []string
			for _, m := range w.container().VolumeMounts {
				mounts = append(mounts, m.Name)
			}
			slices.Sort(volumes)
			slices.Sort(mounts) // a volume may be mounted in several places
			mounts = slices.Compact(mounts)
			if !slices.Equal(volumes, mounts) {
				t.Errorf("%s has the volumes %v and mounts %v", w.name, volumes, mounts)
			}
		}
	})
}

// TestRollout checks that no update removes a pod before another is ready.
func TestRollout(t *testing.T) {
	forEach(t, func(t *testing.T, objects []object) {
		for _, d := range each[appsv1.Deployment](objects) {
			if r := d.Spec.Strategy.RollingUpdate; r == nil || r.MaxUnavailable.String() != "0" || r.MaxSurge.String() != "1" {
				t.Errorf("%s has the strategy %+v", d.Name, d.Spec.Strategy)
			}
		}
	})
}
