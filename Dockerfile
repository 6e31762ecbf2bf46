# One node. Settings are environment variables (docs/configuration.md); how to run it: deploy/README.md.
# The program of a checkout. A release puts the program of its bundle in the place of this stage: --build-context packages=DIRECTORY.
FROM node:24.21.0-bookworm-slim AS packages
WORKDIR /program
COPY package.json package-lock.json .npmrc ./
# The Node of a checkout (scripts/node) is left out: the image has one.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund
COPY LICENSE THIRD-PARTY.md ./
COPY bin ./bin
COPY src ./src

FROM node:24.21.0-bookworm-slim
LABEL org.opencontainers.image.source=https://github.com/palimpsest/palimpsest org.opencontainers.image.licenses=Apache-2.0
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
WORKDIR /opt/palimpsest
COPY --from=packages /program ./
RUN install -d -o 1000 -g 1000 -m 0700 /data
USER 1000:1000
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=5s --start-period=30s --retries=3 CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/$PORT && printf 'GET /ready HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3 && read -r _ status _ <&3 && [ $status = 200 ]"]
# The program may read itself, its data and its secrets, write its data, and start no process.
ENV MALLOC_ARENA_MAX=2
CMD ["node", "--max-semi-space-size=8", "--max-old-space-size=1024", "--permission", "--allow-worker", "--disable-warning=PERM0006", "--allow-fs-read=/opt/palimpsest", "--allow-fs-read=/data", "--allow-fs-write=/data", "--allow-fs-read=/run/secrets", "bin/palimpsest.js", "serve"]
