/** Returns the Dockerfile of a new bot. `hasVendor`: its sarraf package is in the folder. */
export const dockerfileText = (hasVendor: boolean): string => `# docker compose up -d --build
FROM node:24-bookworm-slim
ENV NODE_ENV=production
# The ledger of requests goes below it. Containers that send from one address, or for one account, have to share it.
ENV XDG_STATE_HOME=/state
# A bot makes little garbage at a time and lives for months: without it V8 takes hundreds of megabytes.
ENV NODE_OPTIONS=--max-semi-space-size=4
WORKDIR /bot
COPY package.json package-lock.json .npmrc ./
${hasVendor ? 'COPY vendor ./vendor\n' : ''}RUN npm ci --omit=dev && npm cache clean --force
COPY bot.yaml ./
COPY strategies ./strategies
# These two folders are the only places that are written to; the bot runs as the unprivileged user of the image.
RUN ln -s /bot/node_modules/.bin/sarraf /usr/local/bin/sarraf \\
  && mkdir /data /state && chown node:node /data /state
USER node
VOLUME ["/data", "/state"]
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 CMD ["sarraf", "health", "--data", "/data"]
ENTRYPOINT ["node", "node_modules/sarraf/bin/sarraf.js"]
CMD ["run", "--config", "/bot/bot.yaml", "--data", "/data"]
`;

/** The services of a bot's folder, one text each. */
const SERVICES: readonly string[] = [
  `  bot:
    build: .
    # The page has to listen beyond the container, and is published to this machine alone.
    # Both lines go before bot.yaml: without a page, take them and the ports away.
    command:
      - run
      - --config=/bot/bot.yaml
      - --data=/data
      - --set=dashboard.host=0.0.0.0
      - --set=dashboard.insecure=true
    ports: ['127.0.0.1:8420:8420']
    restart: unless-stopped
    # Longer than drain.within of bot.yaml (60 s), so that orders are canceled before the end.
    stop_grace_period: 90s
    init: true
    read_only: true
    tmpfs:
      - /tmp:size=16m,mode=1777
    cap_drop: [ALL]
    security_opt: ['no-new-privileges:true']
    # The variables that bot.yaml names, such as \${SARRAF_TOKEN}.
    env_file: [{ path: .env, required: false }]
    volumes:
      - data:/data
      - ledger:/state
      # A changed file counts from the next restart on, without a build.
      - ./bot.yaml:/bot/bot.yaml:ro
      - ./strategies:/bot/strategies:ro
    mem_limit: 512m
    logging:
      options: { max-size: 50m, max-file: '5' }
`,
  `  # Speaks when the bot can not, and can cancel its entries: docs/operate.md of sarraf, "A watchdog".
  watchdog:
    build: .
    depends_on: [bot]
    command: ['watchdog', '--config', '/bot/bot.yaml', '--data', '/data']
    restart: unless-stopped
    init: true
    read_only: true
    cap_drop: [ALL]
    security_opt: ['no-new-privileges:true']
    env_file: [{ path: .env, required: false }]
    volumes:
      - data:/data
      - ledger:/state
      - ./bot.yaml:/bot/bot.yaml:ro
      - ./strategies:/bot/strategies:ro
    mem_limit: 256m
    # That of the image asks the bot.
    healthcheck: { disable: true }
    logging:
      options: { max-size: 10m, max-file: '3' }
`,
];

/**
 * Returns the compose file to run it for months. The name is set, since Docker may refuse that of the folder.
 */
export const composeText = (name: string): string => `name: ${name}

services:
${SERVICES.join('\n')}
volumes:
  data:
  # All bots of this machine share it, since the exchange counts them against the same limits.
  ledger:
    name: sarraf-ledger
`;

/** Paths hidden from Docker. */
export const DOCKER_IGNORE = 'node_modules\ndata\n.env\n.git\ntest\n';
