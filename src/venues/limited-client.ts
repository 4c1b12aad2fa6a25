import type { RequestLimiter } from '../budget/limiter.ts';
import { SarrafError } from '../domain/errors.ts';
import { ExchangeClient } from '../exchange/client.ts';
import type { ClientOptions, OutgoingRequest } from '../exchange/client-options.ts';

/** A log-in that nobody needs any more once its call would have timed out. */
const LOGIN_EXPIRES_MS = 30_000;
const LOGIN_TIMEOUT_MS = 60_000;

interface BudgetedClientOptions extends ClientOptions {
  /** The limiter's clock. */
  readonly limiterMs: () => number;
  /** Asked for when the first log-in comes, since the limiter needs the client's budgets first. */
  readonly limiter: () => RequestLimiter;
}

/** Result of a login, for its slot: null for a token. */
type LogInEnd = SarrafError | null;

/**
 * A client whose log-ins keep to the limits by themselves. The calls of the engine come through the limiter
 * before they reach the client; a log-in, which the client makes amid a call, takes its own slot here, and
 * keeps it until its reply is there.
 */
export function createLimitedClient(options: BudgetedClientOptions): ExchangeClient {
  const endings = new Map<OutgoingRequest, (end: LogInEnd) => void>();
  return new ExchangeClient({
    ...options,
    async admit(outgoing) {
      if (outgoing.endpoint !== 'login') return;
      await admitted(options, outgoing.budget.name, (end) => endings.set(outgoing, end));
    },
    onSettled(outgoing, { status, backOffMs, error }) {
      endings.get(outgoing)?.(endOf({ status, backOffMs }, error));
      endings.delete(outgoing);
    },
  });
}

/** Returns the result that a status means if there was a reply: the client reads the rest of the body. */
function endOf(
  { status, backOffMs }: { readonly status: number | null; readonly backOffMs: number | null },
  error: SarrafError | null,
): LogInEnd {
  if (error !== null || status === null || status < 400) return error;
  const details = { httpStatus: status, backOffMs };
  if (status === 401)
    return new SarrafError('UNAUTHORIZED', 'login: the credentials were refused', { details });
  if (status === 403 || status === 429)
    return new SarrafError('RATE_LIMITED', 'login: over a limit', { details });
  return new SarrafError('SERVER_ERROR', `login: HTTP ${status}`, { details });
}

/** Waits for a slot, and hands out what is to be called when the log-in has ended. */
async function admitted(
  options: BudgetedClientOptions,
  budget: string,
  began: (end: (how: LogInEnd) => void) => void,
): Promise<void> {
  return new Promise((go, stay) => {
    const logIn = options.limiter().run<null>({
      budget,
      requestClass: 'account',
      kind: null,
      credential: 'log-in',
      canLogIn: true,
      expiresAtMs: options.limiterMs() + LOGIN_EXPIRES_MS,
      timeoutMs: LOGIN_TIMEOUT_MS,
      isLogIn: () => true,
      send: async () =>
        new Promise((resolve, reject) => {
          began((end) => (end === null ? resolve(null) : reject(end)));
          go();
        }),
    });
    const unsent = (why: string): void =>
      stay(new SarrafError('TOO_MANY_CALLS', `login: it was not sent: ${why}`));
    // The call itself returns its result; only its beginning matters here.
    void logIn.then(
      (reply) => (reply.sent ? undefined : unsent(reply.reason)),
      () => unsent('it took too long'),
    );
  });
}
