# The image of a service that is one static program. The context is bin/.
FROM scratch
ARG PROGRAM
LABEL org.opencontainers.image.title="Recto ${PROGRAM}" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY ${PROGRAM} /service
USER 65532:65532
ENTRYPOINT ["/service"]
