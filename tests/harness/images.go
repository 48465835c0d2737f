package harness

import "os"

// image returns the image of a server, as make test-images names it.
func image(server string) string { return os.Getenv("RECTO_TEST_" + server + "_IMAGE") }

// recto returns the image of a service.
func recto(service string) string {
	version := os.Getenv("RECTO_TEST_VERSION")
	return "recto/" + service + ":" + version
}

// objectsPort is where the object store serves.
const objectsPort = "7070"

func objectsEnv() []string {
	return []string{"ROOT_ACCESS_KEY=" + objectsAccessKey, "ROOT_SECRET_KEY=" + objectsSecretKey, "MINIO_ROOT_USER=" + objectsAccessKey, "MINIO_ROOT_PASSWORD=" + objectsSecretKey, "VGW_REGION=" + region}
}

func objectsCommand() []string { return nil }
