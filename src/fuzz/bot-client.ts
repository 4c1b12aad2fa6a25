import type { RequestLimiter } from '../budget/limiter.ts';
import { SarrafError } from '../domain/errors.ts';
import { ExchangeClient } from '../exchange/client.ts';
import type { OutgoingRequest } from '../exchange/client-options.ts';
import type { Transport } from '../exchange/transport.ts';
import { BOT_NAME, BOT_PASSWORD, BOT_TOKEN } from './world.ts';

/** A log-in that nobody needs any more once its call would have timed out. */
const LOGIN_EXPIRES_MS = 30_000;
const LOGIN_TIMEOUT_MS = 60_000;

export interface BotClientOptions {
  readonly transport: Transport;
  readonly logsIn: boolean;
  /** The wall clock of the bot's machine. */
  readonly wallMs: () => number;
  /** The limiter's clock. */
  readonly nowMs: () => number;
  /** Asked for when the first log-in comes, since the limiter needs the client's budgets first. */
  readonly limiter: () => RequestLimiter;
}

/** How a log-in ended, for its slot: null for a token. */
type LogInEnd = SarrafError | null;

/** What a status says where there was a reply: the body is the client's to read. */
function endOf(status: number | null, error: SarrafError | null): LogInEnd {
  if (error !== null || status === null || status < 400) return error;
  const details = { httpStatus: status };
  if (status === 401) return new SarrafError('UNAUTHORIZED', 'login: the credentials were refused', { details });
  if (status === 403 || status === 429) return new SarrafError('RATE_LIMITED', 'login: over a limit', { details });
  return new SarrafError('SERVER_ERROR', `login: HTTP ${status}`, { details });
}

/**
 * The bot's client. Calls of the engine come through the limiter before they reach it; a log-in, which the client makes by itself amid a call, takes its
 * own slot here, and keeps it until its reply is there.
 */
export function createBotClient(options: BotClientOptions): ExchangeClient {
  const endings = new Map<OutgoingRequest, (end: LogInEnd) => void>();
  return new ExchangeClient({
    transport: options.transport,
    nowMs: options.wallMs,
    credentials: options.logsIn
      ? { kind: 'login', login: { username: BOT_NAME, password: BOT_PASSWORD } }
      : { kind: 'token', token: BOT_TOKEN },
    async admit(outgoing) {
      if (outgoing.endpoint !== 'login') return;
      await admitted(options, outgoing.budget.name, (end) => endings.set(outgoing, end));
    },
    onSettled(outgoing, { status, error }) {
      endings.get(outgoing)?.(endOf(status, error));
      endings.delete(outgoing);
    },
  });
}

/** Waits for a slot, and hands out what is to be called when the log-in has ended. */
async function admitted(
  options: BotClientOptions,
  budget: string,
  began: (end: (how: LogInEnd) => void) => void,
): Promise<void> {
  return new Promise((go, stay) => {
    const log = options.limiter().run<null>({
      budget,
      requestClass: 'account',
      kind: null,
      credential: 'log-in',
      canLogIn: true,
      expiresAtMs: options.nowMs() + LOGIN_EXPIRES_MS,
      timeoutMs: LOGIN_TIMEOUT_MS,
      isLogIn: () => true,
      send: async () =>
        new Promise((resolve, reject) => {
          began((end) => (end === null ? resolve(null) : reject(end)));
          go();
        }),
    });
    const unsent = (why: string): void => stay(new SarrafError('TOO_MANY_CALLS', `login: it was not sent: ${why}`));
    // How it ended comes out of the call itself; here it only matters whether it began.
    void log.then(
      (reply) => (reply.sent ? undefined : unsent(reply.reason)),
      () => unsent('it took too long'),
    );
  });
}
