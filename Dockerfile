# Two stages: the first builds with every tool, the second holds what runs and nothing else.
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
COPY strategies ./strategies
RUN npm run build && npm prune --omit=dev

FROM node:24-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/dist ./dist
COPY config ./config
# The data folder is the only place that is written to; the program runs as the unprivileged user of the base image.
RUN ln -s /app/dist/src/cli/main.js /usr/local/bin/sarraf \
  && chmod +x /app/dist/src/cli/main.js \
  && mkdir /data && chown node:node /data
USER node
VOLUME /data
# SIGTERM is what `docker stop` sends and what the program drains on.
STOPSIGNAL SIGTERM
CMD ["sarraf", "run", "--data", "/data"]
