# The image of all of Recto in one process. Its data is in /recto-data, the default of its
# commands. The layers that change most often come last.
ARG BASE
FROM ${BASE}
USER 65532:65532
WORKDIR /
EXPOSE 8443 8444 9464
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["/recto", "health"]
ENTRYPOINT ["/recto"]
CMD ["up", "--addr", "0.0.0.0:8443", "--objects-addr", "0.0.0.0:8444", "--metrics-addr", "0.0.0.0:9464"]
COPY --chown=65532:65532 data /recto-data
VOLUME /recto-data
COPY root /
