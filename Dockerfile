# The dependencies have a stage of their own, so that a change of code does not fetch them again.
FROM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

# The programs that `rostra backup` and `restore` need on PostgreSQL, with their libraries other than glibc.
FROM postgres:18-bookworm AS postgres
RUN mkdir -p /out/bin /out/lib \
    && cp /usr/lib/postgresql/*/bin/pg_dump /usr/lib/postgresql/*/bin/pg_restore /out/ \
    && ldd /out/pg_dump /out/pg_restore | awk '$2 == "=>" { print $3 }' \
      | grep -Ev '/(ld-linux|libc|libm|libdl|libpthread|libresolv|librt)[-.]' | sort -u | xargs cp -L -t /out/lib \
    && for program in pg_dump pg_restore; do \
      printf '#!/bin/sh\nLD_LIBRARY_PATH=/opt/postgres/lib exec /opt/postgres/%s "$@"\n' "$program" > "/out/bin/$program"; \
      chmod 755 "/out/bin/$program"; \
    done

FROM node:24-slim AS server
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=8080 \
    DATA_DIR=/data \
    NODE_COMPILE_CACHE=/app/.runtime/compile-cache \
    MALLOC_TRIM_THRESHOLD_=131072
WORKDIR /app
# What is copied is listed in .dockerignore.
COPY . .
COPY --from=dependencies /app/node_modules ./node_modules
# A new volume takes the owner of the folder it covers.
RUN mkdir /data .runtime && chown node:node /data .runtime
USER node
# By the user that runs the server: the cache is one user's alone.
RUN ["node", "src/main.ts", "compile"]
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "src/main.ts", "serve"]

# compose.postgres.yaml builds this one.
FROM server AS server-postgres
COPY --from=postgres /out /opt/postgres
ENV PATH=/opt/postgres/bin:$PATH

FROM server
