# Two stages: the first builds with every tool, the second holds what runs and nothing else.
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc bundle.mjs ./
COPY bin ./bin
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
COPY strategies ./strategies
RUN npm run build && npm prune --omit=dev

FROM node:24-bookworm-slim
ENV NODE_ENV=production
# The ledger of requests goes below it. Containers that send from one address, or for one account, have to share it.
ENV XDG_STATE_HOME=/state
# Every command looks for the bot here: `docker exec BOT sarraf status`.
ENV SARRAF_DATA=/data
# A bot makes little garbage at a time and lives for months: without it V8 lets the young generation grow to hundreds of megabytes.
ENV NODE_OPTIONS=--max-semi-space-size=4
WORKDIR /app
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/dist ./dist
COPY bin ./bin
COPY config ./config
COPY data/example ./data/example
# These two folders are the only places that are written to; the program runs as the unprivileged user of the base image.
RUN ln -s /app/bin/sarraf.js /usr/local/bin/sarraf \
  && chmod +x /app/bin/sarraf.js \
  && mkdir /data /state && chown node:node /data /state
# By number, so that a cluster can see that it is not root.
USER 1000:1000
VOLUME ["/data", "/state"]
# SIGTERM is what `docker stop` sends and what the program drains on. It is process 1 itself: no shell stands between.
STOPSIGNAL SIGTERM
# It asks the bot that has /data, at whichever port it serves its health. A bot without a health port is well as long as it has the folder.
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 CMD ["sarraf", "health"]
ENTRYPOINT ["node", "/app/bin/sarraf.js"]
CMD ["run"]
