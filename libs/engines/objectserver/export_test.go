package objectserver

// WithoutAttributes returns cfg for a file system without extended attributes.
func WithoutAttributes(cfg Config) Config {
	cfg.noAttributes = true
	return cfg
}
