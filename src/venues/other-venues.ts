import type { Limiter } from '../budget/limiter.ts';
import { monotonicMs } from '../budget/process-owner.ts';
import { present } from '../domain/errors.ts';
import { otherMarketOf } from '../domain/market-symbol.ts';
import type { Budget } from '../domain/rate-limit.ts';
import type { ExchangeAccess } from './client-credentials.ts';
import type { Opening } from './live-venue.ts';
import { loadVenue } from './load-venue.ts';
import { weightOf, type VenueCall, type VenueProfile } from './port.ts';
import type { Venue } from './venue.ts';
import type { VenueCaller, VenueEnd } from './venue-caller.ts';

/** Settings of another venue, whose public data a bot reads: it has no credentials. */
interface OtherVenueAccess extends ExchangeAccess {
  readonly baseUrl: string;
  readonly credentials: null;
  /** Longest age of its data, in ms, whatever a strategy accepts; null: the strategy alone says it. */
  readonly maxAgeMs: number | null;
}

/** Other venues of a configuration, by their names there. */
export type OtherVenueSettings = Readonly<Record<string, OtherVenueAccess>>;

/** An open connection to another venue, with a limiter and a ledger of its own. */
export interface OtherVenue {
  readonly name: string;
  readonly profile: Pick<VenueProfile, 'budgets' | 'charges' | 'bookCacheMs'>;
  readonly budgets: ReadonlyMap<string, Budget>;
  readonly caller: VenueCaller;
  readonly limiter: Limiter;
  /** The limiter's clock. */
  readonly limiterMs: () => number;
  readonly namedLimits: () => ReadonlyMap<string, number>;
  readonly close: () => Promise<void>;
}

/** Facts of other venues by their names. */
export type OtherVenues = NonNullable<VenueProfile['others']>;

/** Returns the name of another venue's budget among those of the bot: `world:markets`. */
const budgetName = (venue: string, budget: string): string => `${venue}:${budget}`;

/** Returns the facts of a configuration's other venues, without a connection. Throws as `loadVenue` does. */
export async function loadOtherVenues(settings: OtherVenueSettings): Promise<OtherVenues> {
  const loaded = await Promise.all(
    Object.entries(settings).map(async ([name, access]) => {
      const definition = await loadVenue(access.venue);
      return { name, profile: definition.profileFor(access), budgets: definition.budgetsFor(access) };
    }),
  );
  return otherVenueFacts(loaded);
}

/**
 * Returns the facts of other venues by name, for data recorded there. One that the configuration does
 * not have counts as the built-in venue with the settings of the own exchange.
 */
export async function recordedVenues(
  names: Iterable<string>,
  { exchange, venues }: { readonly exchange: ExchangeAccess; readonly venues: OtherVenueSettings },
): Promise<OtherVenues> {
  const builtIn = {
    ...exchange,
    venue: { ...exchange.venue, name: 'service' },
    baseUrl: '',
    credentials: null,
    limits: {},
    maxAgeMs: null,
  };
  return loadOtherVenues(Object.fromEntries([...names].map((name) => [name, venues[name] ?? builtIn])));
}

/** Returns the facts of other venues by their names. */
export function otherVenueFacts(
  others: readonly Pick<OtherVenue, 'name' | 'profile' | 'budgets'>[],
): OtherVenues {
  return new Map(
    others.map(({ name, profile, budgets }) => {
      const { bookCacheMs } = profile;
      const limit = present(budgets.get(profile.budgets.book), () => `the limit of books of ${name}`);
      const renamed = { ...limit, name: budgetName(name, limit.name) };
      return [name, { limit: renamed, weight: weightOf(profile, 'book'), bookCacheMs }];
    }),
  );
}

/**
 * Connects to the other venues of a configuration. None is asked anything yet: one that is down must not keep
 * the bot from its own exchange. Throws as `loadVenue` does, and for a ledger that cannot be used.
 */
export async function openOtherVenues(
  settings: OtherVenueSettings,
  { onWait, onTrouble }: Pick<Opening, 'onWait' | 'onTrouble'>,
): Promise<readonly OtherVenue[]> {
  const { openRemoteExchange } = await import('./live-venue.ts');
  const opened: OtherVenue[] = [];
  try {
    for (const [name, access] of Object.entries(settings)) {
      const remote = await openRemoteExchange({
        config: { exchange: access },
        baseUrl: access.baseUrl,
        credentials: null,
        onProblem: (message) => onWait(`${name}: ${message}`, 'warning'),
        onTrouble: (message) => onTrouble?.(`${name}: ${message}`),
      });
      const { profile, caller, limiter, ledger } = remote;
      opened.push({
        name,
        profile,
        caller,
        limiter,
        budgets: remote.connection.budgets,
        limiterMs: monotonicMs,
        namedLimits: () => ledger.admittance.namedLimits(monotonicMs()),
        close: async () => remote.close(),
      });
    }
    return opened;
  } catch (error) {
    await closeAll(opened);
    throw error;
  }
}

/** Returns a venue that also answers calls for books of other venues, such as that of `world:BTCUSDT`. */
export function withOtherVenues(venue: Venue, others: readonly OtherVenue[]): Venue {
  if (others.length === 0) return venue;
  const facts = otherVenueFacts(others);
  const limits = [...facts.values()].map(({ limit }) => [limit.name, limit] as const);
  return {
    ...venue,
    profile: { ...venue.profile, others: facts },
    budgets: new Map([...venue.budgets, ...limits]),
    ...routedTo(venue, others),
    namedLimits: () =>
      new Map([
        ...venue.namedLimits(),
        ...others.flatMap(({ name, namedLimits }) =>
          [...namedLimits()].map(([budget, limit]) => [budgetName(name, budget), limit] as const),
        ),
      ]),
    close: async () => {
      await closeAll(others);
      await venue.close();
    },
  };
}

async function closeAll(others: readonly OtherVenue[]): Promise<void> {
  await Promise.all(others.map(async ({ close }) => close()));
}

type Sender = Pick<Venue, 'caller' | 'limiter' | 'limiterMs'>;

/** A call in the words of the venue that answers it; `name` is null for the bot's own exchange. */
interface RoutedCall {
  readonly name: string | null;
  readonly caller: VenueCaller;
  readonly call: VenueCall;
}

/** Returns the caller and the limiter of a bot that sends each call to the venue of its market. */
export function routedTo(own: Sender, others: readonly OtherVenue[]): Pick<Venue, 'caller' | 'limiter'> {
  const byName = new Map(others.map((other) => [other.name, other]));
  // A caller may choose an endpoint for a call, and knows it again by the object.
  const routed = new WeakMap<VenueCall, RoutedCall>();
  const routeOf = (call: VenueCall): RoutedCall => {
    let route = routed.get(call);
    if (route === undefined) routed.set(call, (route = newRoute(call)));
    return route;
  };
  const newRoute = (call: VenueCall): RoutedCall => {
    const market = call.kind === 'book' ? otherMarketOf(call.market) : null;
    const other = market === null ? undefined : byName.get(market.venue);
    if (market === null || other === undefined) return { name: null, caller: own.caller, call };
    return { name: other.name, caller: other.caller, call: { kind: 'book', market: market.symbol } };
  };
  const { barredBy } = own.caller;
  return {
    caller: {
      endpointOf: (given) => {
        const { name, caller, call } = routeOf(given);
        return name === null ? caller.endpointOf(call) : `${name}:${caller.endpointOf(call)}`;
      },
      budgetOf: (given) => {
        const { name, caller, call } = routeOf(given);
        return name === null ? caller.budgetOf(call) : budgetName(name, caller.budgetOf(call));
      },
      // Names of the budgets that it charges besides are those of its own limiter.
      chargesOf: (given) => {
        const { caller, call } = routeOf(given);
        return caller.chargesOf?.(call) ?? { weight: 1 };
      },
      credentialOf: (given) => {
        const { caller, call } = routeOf(given);
        return caller.credentialOf(call);
      },
      timeoutMsOf: (given) => {
        const { caller, call } = routeOf(given);
        return caller.timeoutMsOf(call);
      },
      ...(barredBy === undefined
        ? {}
        : { barredBy: async (given) => (routeOf(given).name === null ? barredBy(given) : null) }),
      send: (given, signal, handler) => {
        const { name, caller, call } = routeOf(given);
        if (name === null) caller.send(call, signal, handler);
        else caller.send(call, signal, { ...handler, onEnd: (end) => handler.onEnd(withoutCredential(end)) });
      },
    },
    limiter: {
      submit(request) {
        const [name = '', budget] = request.budget.split(':');
        const other = budget === undefined ? undefined : byName.get(name);
        if (budget === undefined || other === undefined) own.limiter.submit(request);
        else {
          const expiresAtMs = request.expiresAtMs - own.limiterMs() + other.limiterMs();
          other.limiter.submit({ ...request, budget, expiresAtMs });
        }
      },
      close: async () =>
        void (await Promise.all(
          [own.limiter, ...others.map(({ limiter }) => limiter)].map(async (one) => one.close()),
        )),
    },
  };
}

/** Returns the end of a call without a credential: a 401 of another venue is none of the bot's credential. */
function withoutCredential(end: VenueEnd): VenueEnd {
  const { answer } = end;
  if (answer.outcome !== 'failed' || answer.code !== 'UNAUTHORIZED') return end;
  return { ...end, answer: { ...answer, code: 'FORBIDDEN' } };
}
