# The image of a service: its program, over nothing or, where it needs
# LibreOffice, over a base file system. A service that keeps a file has /data.
# What changes most comes last.
ARG BASE
FROM ${BASE}
ARG PORTS
USER 65532:65532
EXPOSE ${PORTS}
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["/service", "health"]
ENTRYPOINT ["/service"]
COPY --chown=65532:65532 data /data
COPY root /
