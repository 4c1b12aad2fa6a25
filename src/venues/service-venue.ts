import { stateFile, stateFolder } from '../budget/ledger-file.ts';
import { monotonicMs } from '../budget/process-owner.ts';
import type { RequestLimiter } from '../budget/limiter.ts';
import { SarrafError } from '../domain/errors.ts';
import { ExchangeClient } from '../exchange/client.ts';
import { budgetTable, type ClientOptions, type OutgoingRequest } from '../exchange/client-options.ts';
import { orderBookBudget } from '../exchange/endpoints.ts';
import { createAccountReader } from './account-reader.ts';
import { clientCredentials, knownDevice, knownToken } from './client-credentials.ts';
import { INTERFACE_PROFILE, NO_MARGIN_BY_KEY } from './interface-profile.ts';
import { createVenueCaller } from './venue-caller.ts';
import type { ConnectOptions, VenueConnection, VenueDefinition } from './venue-definition.ts';

/** A connection to the exchange of the interface, with its typed client. */
export interface ServiceConnection extends VenueConnection {
  readonly client: ExchangeClient;
}

const V3_BOOKS =
  'the exchange has /v3/orderbook in place of /v2/orderbook: order books are asked of it from now on (exchange.orderBook: v3 does so from the start)';

/** The exchange of the interface specification, which every bot uses that names no other. */
export const SERVICE: VenueDefinition<ServiceConnection> = {
  name: 'service',
  credentials: new Set(['token', 'key', 'login']),
  profileFor: ({ orderBook, credentials }) => ({
    ...INTERFACE_PROFILE,
    budgets: { ...INTERFACE_PROFILE.budgets, book: orderBookBudget(orderBook) },
    ...(credentials?.kind === 'key' ? { unserved: NO_MARGIN_BY_KEY } : {}),
  }),
  budgetsFor: ({ limits, headroom }) => budgetTable(limits, headroom),
  connect(options) {
    const { transport, credentials, settings, limiter, limiterMs, onProblem } = options;
    const client = createLimitedClient({
      transport,
      serviceName: settings.name,
      credentials: clientCredentials(credentials, options.wallMs, storedLogIn(options)),
      orderBook: settings.orderBook,
      onOrderBookV3: () => onProblem(V3_BOOKS),
      limits: settings.limits,
      headroom: settings.headroom,
      limiterMs,
      limiter,
    });
    return {
      client,
      caller: createVenueCaller(client),
      budgets: client.budgets,
      accountReader:
        credentials === null
          ? null
          : createAccountReader({ client, limiter, limiterMs: monotonicMs, credentials }),
      close: async () => client.close(),
    };
  },
};

/** Returns what earlier log-ins of this user at this address left, and callbacks that store the next. */
function storedLogIn({
  credentials,
  settings: { ledgerFolder, baseUrl },
  onProblem,
  onSecret,
}: ConnectOptions): Parameters<typeof clientCredentials>[2] {
  if (credentials?.kind !== 'login') return {};
  const file = { folder: stateFolder(ledgerFolder), baseUrl, username: credentials.username };
  const known = knownToken(stateFile({ ...file, kind: 'token' }), onProblem);
  // The redactor learns a token of this run from its log-in.
  if (known.token !== undefined) onSecret(known.token.key);
  return { ...knownDevice(stateFile({ ...file, kind: 'device' }), onProblem), ...known };
}

/** Times in ms after which a log-in is not sent any more, and after which it is given up. */
const LOGIN_EXPIRES_MS = 30_000;
const LOGIN_TIMEOUT_MS = 60_000;

interface BudgetedClientOptions extends ClientOptions {
  /** The limiter's clock. */
  readonly limiterMs: () => number;
  /** Returns the limiter. Called at the first log-in, since the limiter needs the client's budgets first. */
  readonly limiter: () => RequestLimiter;
}

/** Result of a log-in, for its slot: null for a token. */
type LogInEnd = SarrafError | null;

/**
 * Creates a client whose log-ins keep to the limits. The engine's calls pass the limiter before they reach
 * the client; a log-in, which the client makes within a call, takes its own slot here, and holds it until its
 * reply.
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

/** Returns the result that a status means if there was a reply; the client reads the rest of the body. */
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

/** Waits for a slot, and passes `began` the function to call when the log-in has ended. */
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
