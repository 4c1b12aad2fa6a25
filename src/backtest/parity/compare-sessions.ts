import type { Market } from '../../domain/market.ts';
import { formatUnits } from '../../domain/money.ts';
import { english } from '../../language/sentence.ts';
import { signalKey } from '../../engine/signal-record.ts';
import type { FillRecord } from '../../records/fill.ts';
import type { OrderRecord } from '../../records/order.ts';
import {
  firstKnown,
  fillDifference,
  fillText,
  netMoney,
  orderText,
  type Difference,
  type Divergence,
  type FilledOrder,
  inputDifference,
  seenDivergences,
  type SeenOptions,
} from '../difference.ts';
import type { SessionPair, SessionView, WantedThing } from '../session.ts';
import type { TopicKind } from './received-data.ts';

interface CompareOptions extends SeenOptions {
  readonly markets: readonly Market[];
  /** Time at which both runs were stopped, in ms since 1970. */
  readonly endMs: number;
}

export interface SessionComparison {
  /** Differences in order of time; those of money come last. */
  readonly differences: readonly Difference[];
  /**
   * Number of intents and orders of the session, and of those before which both runs saw the same data: only
   * these can show a difference in the code.
   */
  readonly decisions: number;
  readonly decisionsOnSameInputs: number;
}

/**
 * Compares two runs of one range of time. The cause of a difference is the first earlier divergence that its
 * strategy can know of: a book or bar, a fill, or another decision. Else it is other data at the time of the
 * decision; without any of these the cause is the code.
 */
export function compareSessions(pair: SessionPair, options: CompareOptions): SessionComparison {
  const pairs = matchDecisions(decisionsOf(pair.session), decisionsOf(pair.again), options.toleranceMs);
  const fills = differentFills(pair, pairs, options);
  const divergences: Divergence[] = [
    ...stopDivergences(pair, options.toleranceMs),
    ...approvalDivergences(pair.session),
    ...seenDivergences(pair, options),
  ];
  const ofSignals = signalDifferences(pair);
  const differences: Difference[] = [...ofSignals, ...fills.values()];
  for (const one of ofSignals)
    divergences.push({ ...one, strategies: one.strategy === null ? null : new Set([one.strategy]) });
  let decisions = 0;
  let decisionsOnSameInputs = 0;
  for (const decided of pairs) {
    const atMs = timeOf(decided);
    const { what, strategy } = oneOf(decided);
    const known = firstKnown(divergences, { strategy, atMs }) ?? knownOtherwise(pair, decided, options);
    if (decided.session !== null) {
      decisions += 1;
      if (known === null) decisionsOnSameInputs += 1;
    }
    if (decided.session?.detail === decided.again?.detail) {
      // Everything after its order can know the fill, even within the same millisecond.
      const fill = fills.get(decided);
      if (fill !== undefined) divergences.push({ ...fill, strategies: null });
      continue;
    }
    const cause = known?.cause ?? 'code';
    const why = known?.why ?? 'everything that was seen before was the same';
    const [session, again] = [decided.session?.detail ?? null, decided.again?.detail ?? null];
    differences.push({ what, cause, atMs, strategy, session, again, why });
    divergences.push({ atMs, cause, why, strategies: null });
  }
  differences.sort((left, right) => left.atMs - right.atMs);
  return {
    differences: [...differences, ...moneyDifferences(pair, divergences, options.endMs)],
    decisions,
    decisionsOnSameInputs,
  };
}

/**
 * Compares the decisions of a session until a moment with those made again from the same events. Only the
 * code can cause a difference.
 */
export function compareDecisions(
  session: Decided,
  again: Decided,
  untilMs: number,
): { readonly differences: readonly Difference[]; readonly decisions: number } {
  const until = (of: Decided): readonly Decision[] => decisionsOf(of).filter(({ atMs }) => atMs <= untilMs);
  const pairs = matchDecisions(until(session), until(again), 0);
  const stops = stopDivergences({ session, again }, 0);
  const differences = pairs.flatMap((pair): readonly Difference[] => {
    const [mine, other] = [pair.session?.detail ?? null, pair.again?.detail ?? null];
    if (mine === other) return [];
    const { what, strategy } = oneOf(pair);
    const atMs = timeOf(pair);
    const { cause, why } = firstKnown(stops, { strategy, atMs }) ?? {
      cause: 'code' as const,
      why: 'on the same events, another decision was made',
    };
    return [{ what, cause, atMs, strategy, session: mine, again: other, why }];
  });
  return { differences, decisions: pairs.filter(({ session: mine }) => mine !== null).length };
}

/**
 * Returns a difference in the data that both runs had at a decision; null if there is none, or if it is
 * unknown.
 */
function knownOtherwise(
  { session, again }: SessionPair,
  decided: DecisionPair,
  { reads }: CompareOptions,
): Pick<Divergence, 'cause' | 'why'> | null {
  if (session.received === null || again.received === null) return null;
  const kinds = reads.get(oneOf(decided).strategy);
  const atMs = timeOf(decided);
  const sessionAnswers = session.received.answersBefore(decided.session?.name ?? null, atMs);
  const againAnswers = again.received.answersBefore(decided.again?.name ?? null, atMs);
  const counts = (kind: TopicKind): boolean =>
    kind === 'account' || kind === 'book' || kinds?.has(kind) === true;
  return inputDifference({
    session: session.received,
    again: again.received,
    sessionAnswers,
    againAnswers,
    counts,
  });
}

/**
 * Returns the stops of strategies that only one of two runs has. From there on each strategy may decide
 * otherwise, since all share the account.
 */
function stopDivergences(
  { session, again }: { readonly session: Stopped; readonly again: Stopped },
  toleranceMs: number,
): readonly Divergence[] {
  const onlyIn = (one: Stopped, other: Stopped, name: string): readonly Divergence[] =>
    one.stops
      .filter(
        ({ strategy, atMs }) =>
          !other.stops.some(
            (stop) => stop.strategy === strategy && Math.abs(stop.atMs - atMs) <= toleranceMs,
          ),
      )
      .map(({ strategy, atMs, reason }) => ({
        atMs,
        cause: 'stop',
        why: `${strategy} was paused or stopped in the ${name} only: ${english(reason)}`,
        strategies: null,
      }));
  return [...onlyIn(session, again, 'session'), ...onlyIn(again, session, 'second run')];
}

/** Returns the entries of a session that waited for a person: in a second run they begin at once. */
function approvalDivergences({ intents }: Pick<SessionView, 'intents'>): readonly Divergence[] {
  return intents.flatMap(({ id, strategy, atMs, approval = null }) => {
    if (approval === null || approval === 'exempt') return [];
    const why = `${strategy}: ${id} waited for an approval in the session only (${approval})`;
    return [{ atMs, cause: 'approval', why, strategies: null }];
  });
}

type Stopped = Pick<SessionView, 'stops'>;

type Decided = Pick<SessionView, 'intents' | 'orders' | 'stops'>;

function decisionsOf({ intents, orders }: Omit<Decided, 'stops'>): readonly Decision[] {
  return [...intents.map(intentDecision), ...orders.map(orderDecision)].toSorted(
    (left, right) => left.atMs - right.atMs,
  );
}

function oneOf({ session, again }: DecisionPair): Decision {
  const one = session ?? again;
  if (one === null) throw new RangeError('expected a decision of one run at least, was none');
  return one;
}

/**
 * Returns signals of the session that its second run did not deliver, or at another moment. The second run
 * gets all of them, so a difference comes from what its strategies answered.
 */
function signalDifferences({ session, again }: SessionPair): readonly Difference[] {
  const others = new Map(again.signals.map((line) => [signalKey(line), line]));
  return session.signals.flatMap((line): readonly Difference[] => {
    const { strategy, name, id, seenAtMs: atMs } = line;
    const other = others.get(signalKey(line));
    if (other?.outcome === 'told' && other.seenAtMs === atMs) return [];
    const why =
      other?.outcome === 'told'
        ? 'told at another moment, since the bot had not started'
        : (other?.reason ?? 'it was not given to the second run');
    const cause = other?.outcome === 'told' ? 'latency' : 'code';
    const text = `${name} ${id}`;
    return [{ what: 'signal', cause, atMs, strategy, session: text, again: other?.outcome ?? null, why }];
  });
}

/** Returns differences in fills of orders that both runs have alike; other fills follow from the order. */
function differentFills(
  { session, again }: SessionPair,
  pairs: readonly DecisionPair[],
  { markets, toleranceMs }: CompareOptions,
): ReadonlyMap<DecisionPair, Difference> {
  const left = fillsByOrder(session.fills);
  const right = fillsByOrder(again.fills);
  const found = new Map<DecisionPair, Difference>();
  for (const pair of pairs) {
    const mine = pair.session?.order ?? null;
    const other = pair.again?.order ?? null;
    if (mine === null || other === null || pair.session?.detail !== pair.again?.detail) continue;
    const [one, two] = [filledOrder(mine, left), filledOrder(other, right)];
    const market = markets.find(({ symbol }) => symbol === mine.market);
    const difference = fillDifference(one, two, { market, toleranceMs });
    if (difference === null) continue;
    const { strategy } = mine;
    found.set(pair, { what: 'fill', ...difference, strategy, session: fillText(one), again: fillText(two) });
  }
  return found;
}

function fillsByOrder(fills: readonly FillRecord[]): ReadonlyMap<string, readonly FillRecord[]> {
  return Map.groupBy(
    fills.filter(({ orderKey }) => orderKey !== null),
    ({ orderKey }) => orderKey ?? '',
  );
}

function filledOrder(order: OrderRecord, fills: ReadonlyMap<string, readonly FillRecord[]>): FilledOrder {
  return { order, fills: fills.get(order.key) ?? [] };
}

/**
 * Returns the differences in the final money of the account. They follow from earlier differences, or else
 * from rounding.
 */
function moneyDifferences(
  { session, again }: SessionPair,
  divergences: readonly Divergence[],
  atMs: number,
): readonly Difference[] {
  const left = netMoney(session.fills);
  const right = netMoney(again.fills);
  const mostRounded = BigInt(Math.max(session.fills.length, again.fills.length));
  const known = firstKnown(divergences, { strategy: null, atMs });
  return [...new Set([...left.keys(), ...right.keys()])].flatMap((currency): readonly Difference[] => {
    const [mine, other] = [left.get(currency) ?? 0n, right.get(currency) ?? 0n];
    if (mine === other) return [];
    const apart = mine > other ? mine - other : other - mine;
    const cause = apart <= mostRounded ? 'rounding' : (known?.cause ?? 'code');
    const why = cause === 'rounding' ? 'at most a unit a fill' : (known?.why ?? 'every fill was the same');
    const text = (units: bigint): string => `${formatUnits(units)} ${currency}`;
    return [{ what: 'money', cause, atMs, strategy: null, session: text(mine), again: text(other), why }];
  });
}

/** Intent or order that is searched for in the other run. */
interface Decision {
  readonly what: 'intent' | 'order';
  /** Id of it in its own run. */
  readonly name: string;
  readonly strategy: string;
  readonly atMs: number;
  /** Group of the decision: only decisions of the same group can match. */
  readonly group: string;
  /** Content of the decision. */
  readonly detail: string;
  readonly order: OrderRecord | null;
}

/** Matching decisions of both runs; null where one run has none. */
interface DecisionPair {
  readonly session: Decision | null;
  readonly again: Decision | null;
}

function intentDecision({ id, strategy, kind, atMs }: WantedThing): Decision {
  return {
    what: 'intent',
    name: id,
    strategy,
    atMs,
    group: `${strategy} ${kind}`,
    detail: kind,
    order: null,
  };
}

function orderDecision(order: OrderRecord): Decision {
  const { key, strategy, market, side, execution, plannedAtMs, clientOrderId } = order;
  // The stop leg of a pair has no id of its own at the exchange.
  const leg = clientOrderId === null ? 'second leg' : 'order';
  return {
    what: 'order',
    name: key,
    strategy,
    atMs: plannedAtMs,
    group: `${strategy} ${market} ${side} ${execution} ${leg}`,
    detail: orderText(order),
    order,
  };
}

/**
 * Pairs decisions of the same group within a tolerance of time in ms: first equal ones, then the rest in
 * order of time. The lists are in order of time; so are the pairs.
 */
function matchDecisions(
  session: readonly Decision[],
  again: readonly Decision[],
  toleranceMs: number,
): readonly DecisionPair[] {
  const open = new Set(again);
  const pairs = new Map<Decision, Decision>();
  for (const isSame of [
    (left: Decision, right: Decision): boolean => left.detail === right.detail,
    (): boolean => true,
  ]) {
    for (const decision of session) {
      if (pairs.has(decision)) continue;
      for (const other of open) {
        if (other.atMs > decision.atMs + toleranceMs) break;
        if (other.atMs < decision.atMs - toleranceMs || other.group !== decision.group) continue;
        if (!isSame(decision, other)) continue;
        pairs.set(decision, other);
        open.delete(other);
        break;
      }
    }
  }
  return [
    ...session.map((decision) => ({ session: decision, again: pairs.get(decision) ?? null })),
    ...[...open].map((other) => ({ session: null, again: other })),
  ].toSorted((left, right) => timeOf(left) - timeOf(right));
}

/** Returns the time of the earlier decision of a pair. */
function timeOf({ session, again }: DecisionPair): number {
  return Math.min(session?.atMs ?? Number.POSITIVE_INFINITY, again?.atMs ?? Number.POSITIVE_INFINITY);
}
