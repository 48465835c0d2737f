package blob

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"strings"

	"github.com/minio/minio-go/v7/pkg/s3utils"

	"github.com/rectohq/recto/libs/config"
)

// Config configures access to the object store.
type Config struct {
	Endpoint        string `env:"S3_ENDPOINT,notEmpty" desc:"URL of the object store as services reach it"`
	PublicEndpoint  string `env:"S3_PUBLIC_ENDPOINT" desc:"URL of the object store as clients reach it, for presigned upload and download URLs. If not set, S3_ENDPOINT"`
	Region          string `env:"S3_REGION" envDefault:"us-east-1" desc:"region of the bucket"`
	Bucket          string `env:"S3_BUCKET" envDefault:"recto" desc:"bucket that holds all objects"`
	CreateBucket    bool   `env:"S3_CREATE_BUCKET" envDefault:"true" desc:"create the bucket at startup if it does not exist"`
	AccessKey       string `env:"S3_ACCESS_KEY,notEmpty" desc:"access key; it needs ListBucket (or a missing object looks forbidden), GetObject, PutObject and DeleteObject, and may have CreateBucket, GetLifecycleConfiguration, PutLifecycleConfiguration, GetBucketCORS and PutBucketCORS"`
	SecretKey       string `env:"S3_SECRET_KEY,notEmpty" secret:"true" desc:"secret key"`
	PathStyle       bool   `env:"S3_PATH_STYLE" envDefault:"true" desc:"put the bucket in the path of URLs rather than in the host name"`
	PublicPathStyle *bool  `env:"S3_PUBLIC_PATH_STYLE" desc:"the same for upload and download URLs. If not set, S3_PATH_STYLE"`
	LocalDir        string `env:"S3_LOCAL_DIR" desc:"folder of an object store on this machine that keeps buckets as folders and objects as files; files that services upload are then synced to disk"`
	CAFile          string `env:"S3_CA_FILE" desc:"path of a CA certificate that verifies the object store, in addition to the system's CAs"`
}

// Validate implements config.Validator. Missing variables are reported elsewhere.
func (c Config) Validate() []error {
	var p config.Problems
	p.Origin("S3_ENDPOINT", c.endpoint(), "http", "https")
	p.Origin("S3_PUBLIC_ENDPOINT", strings.TrimSuffix(c.PublicEndpoint, "/"), "http", "https")
	p.Require(c.Region != "", "S3_REGION must not be empty: signatures name the region; us-east-1 is what most object stores expect")
	p.Require(s3utils.CheckValidBucketNameStrict(c.Bucket) == nil, "S3_BUCKET must be the name of a bucket: 3 to 63 lower case letters, digits, dots and hyphens")
	_, err := c.tls()
	p.Require(err == nil, "S3_CA_FILE: %v", err)
	return p
}

// endpoint returns the URL of the object store for services.
func (c Config) endpoint() string { return strings.TrimSuffix(c.Endpoint, "/") }

// publicEndpoint returns the URL of the object store for clients.
func (c Config) publicEndpoint() string {
	return strings.TrimSuffix(cmp.Or(c.PublicEndpoint, c.Endpoint), "/")
}

// publicPathStyle reports whether clients' URLs have the bucket in their path.
func (c Config) publicPathStyle() bool {
	if c.PublicPathStyle == nil {
		return c.PathStyle
	}
	return *c.PublicPathStyle
}

// tls returns the TLS configuration for connections to the object store.
func (c Config) tls() (*tls.Config, error) { return TLS(c.CAFile) }

// TLS returns a configuration that trusts the CAs in a PEM file in addition to those of
// the system. If caFile is "", it trusts only the latter.
func TLS(caFile string) (*tls.Config, error) {
	if caFile == "" {
		return &tls.Config{MinVersion: tls.VersionTLS12}, nil
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		return nil, fmt.Errorf("read the system's CA certificates: %w", err)
	}
	pem, err := os.ReadFile(caFile)
	if err != nil {
		return nil, err
	}
	if !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s contains no PEM certificate", caFile)
	}
	return &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, nil
}
