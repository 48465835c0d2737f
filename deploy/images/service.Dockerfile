# The image of a service: its program on an empty base or, if it needs LibreOffice, on a
# base file system. root may bring further files, such as fonts. /data is for services that
# store files. The layers that change most often come last.
ARG BASE
FROM ${BASE}
ARG PORTS
USER 65532:65532
EXPOSE ${PORTS}
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["/service", "health"]
ENTRYPOINT ["/service"]
COPY --chown=65532:65532 data /data
COPY root /
