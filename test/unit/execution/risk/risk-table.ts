import { expect } from 'vitest';
import { createMarket } from '../../../../src/domain/market.ts';
import { parseUnits, type Units } from '../../../../src/domain/money.ts';
import { type Side, ORDER_STATES } from '../../../../src/domain/order.ts';
import type { OrderRecord } from '../../../../src/records/order.ts';
import type { PnlView, RiskCheck, RiskView } from '../../../../src/engine/risk/risk-view.ts';
import { INTERFACE_PROFILE } from '../../../../src/venues/interface-profile.ts';
import { DEFAULT_RISK_LIMITS, type RiskLimits } from '../../../../src/engine/risk-limits.ts';
import { plannedOrder } from '../../../support/order-value.ts';
import { orderIdOf } from '../../../../src/venues/read-records.ts';
import { parseMarket } from '../../../../src/exchange/market-names.ts';
import { english } from '../../../../src/language/sentence.ts';

/**
 * Runs a risk check on a table with one case on each line: `limits | situation => verdict`. Limits and facts
 * of the situation are separated by commas.
 *
 *   limits     maxPosition btc=3 · maxDailyLoss usdt=100 · collarBps 1000 · lossCooldown losses=3 pauseMs=1000 · refuseSelfCrossing
 *   order      buy 1 at 100 · sell 1 · sell 1 at 84 stop 85 · buy 1 stop 110        (of strategy `mine` in BTCUSDT)
 *   orders     live sell 1 at 100 stop 90 unknown of other in ETHUSDT filled 0.4 matched 0.5 woken oco
 *   the rest   holds 2 · price 100 · no price · ETHUSDT holds 2 price 50 · book 99 101 · book - 101 · no book · read 5000 ago · venue 5000 ago · bar due 5000 ago
 *              day -100 · peak 100 · result 50 · unvalued btc · in rls day -5 peak 10 result 2 · losses 3 ended 500 ago · planned 60000 10 ago
 *   verdict    passes · refuses · refuses: part of its reason
 *
 * Defaults of a line: the order is `buy 1 at 100`, nothing is held, the price is 100, and the book is `99
 * 101`, read now.
 */
export function runTable(check: RiskCheck): (table: string) => void {
  return (table) => {
    const lines = table
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      const [input = '', verdict = ''] = line.split('=> ');
      const [limits = '', situation = ''] = input.split('|');
      const refusal = check(viewOf(situation), limitsOf(limits));
      if (verdict === 'passes') {
        expect(refusal, line).toBeNull();
      } else {
        expect(verdict, line).toMatch(/^refuses(: |$)/);
        expect(refusal, line).not.toBeNull();
        expect(english(refusal?.reason ?? null), line).toContain(verdict.slice('refuses: '.length));
      }
    }
  };
}

/** Limits that check nothing. */
export const NO_LIMITS = Object.fromEntries(
  Object.entries(DEFAULT_RISK_LIMITS).map(([name, value]) => [name, value === false ? value : null]),
) as unknown as RiskLimits;

const markets = new Map(
  ['BTCUSDT', 'ETHUSDT', 'BTCIRT', 'USDTIRT'].map((symbol) => [
    symbol,
    createMarket({ market: parseMarket(symbol), priceStep: '0.01', amountStep: '0.000001' }),
  ]),
);

function marketOf(symbol: string): RiskView['order']['market'] {
  const market = markets.get(symbol);
  if (market === undefined) throw new Error(`no market ${symbol} in the table`);
  return market;
}

const NOW_MS = Date.UTC(2026, 0, 2, 12);

export function limitsOf(text: string): RiskLimits {
  const limits: Record<string, unknown> = { ...NO_LIMITS };
  for (const phrase of phrasesOf(text)) {
    const [name = '', ...parts] = phrase.split(' ');
    if (!(name in NO_LIMITS)) throw new Error(`no limit is called ${name}`);
    limits[name] = limitOf(name, parts);
  }
  return limits as unknown as RiskLimits;
}

function limitOf(name: string, parts: readonly string[]): unknown {
  const [first] = parts;
  if (first === undefined) return true;
  if (!first.includes('=')) return Number(first);
  const entries = parts.map((part) => part.split('=') as [string, string]);
  if (name === 'lossCooldown') return Object.fromEntries(entries.map(([key, value]) => [key, Number(value)]));
  return {
    ...(name === 'maxPosition' || name === 'maxOrderAmount' ? {} : { rls: null, usdt: null }),
    ...Object.fromEntries(entries.map(([key, value]) => [key, parseUnits(value)])),
  };
}

export function viewOf(text: string): RiskView {
  const view: RiskView = {
    nowMs: NOW_MS,
    late: null,
    order: orderOf('buy 1 at 100'),
    book: {
      bestBid: parseUnits('99'),
      bestAsk: parseUnits('101'),
      seenAtMs: NOW_MS,
      venueAtMs: null,
      freshUntilMs: null,
    },
    standstill: null,
    position: parseUnits('0'),
    liveOrders: [],
    working: ['Active'],
    holdings: new Map([
      ['BTCUSDT', { market: marketOf('BTCUSDT'), position: parseUnits('0'), price: parseUnits('100') }],
    ]),
    results: {
      inCurrencies: [NO_RESULT],
      lossesInARow: 0,
      lastLossAtMs: null,
    },
    plannedAtMs: [],
    marketNames: INTERFACE_PROFILE.marketNames,
  };
  for (const phrase of phrasesOf(text)) Object.assign(view, factOf(phrase, view));
  return view;
}

function factOf(phrase: string, view: RiskView): Partial<RiskView> {
  const words = phrase.split(' ');
  const [first = '', second = ''] = words;
  const { book, results } = view;
  if (first === 'buy' || first === 'sell') return { order: orderOf(phrase) };
  if (first === 'live') return { liveOrders: [...view.liveOrders, liveOf(phrase, view.liveOrders)] };
  if (markets.has(first)) return { holdings: holdingsWith(view, first, phrase) };
  if (first === 'holds')
    return { position: parseUnits(second), holdings: holdingsWith(view, 'BTCUSDT', phrase) };
  if (first === 'price' || phrase === 'no price') return { holdings: holdingsWith(view, 'BTCUSDT', phrase) };
  if (phrase === 'no book') return { book: null };
  if (first === 'book')
    return {
      book: {
        bestBid: bestOf(second),
        bestAsk: bestOf(words[2]),
        seenAtMs: NOW_MS,
        venueAtMs: null,
        freshUntilMs: null,
      },
    };
  if (first === 'read' && book !== null) return { book: { ...book, seenAtMs: NOW_MS - Number(second) } };
  if (first === 'bar' && book !== null) return { book: { ...book, freshUntilMs: NOW_MS - Number(words[2]) } };
  if (first === 'venue' && book !== null) return { book: { ...book, venueAtMs: NOW_MS - Number(second) } };
  if (first === 'in')
    return { results: { ...results, inCurrencies: [...results.inCurrencies, rialOf(words)] } };
  if (first === 'day') return { results: withUsdt(results, { dayResult: parseUnits(second) }) };
  if (first === 'peak') return { results: withUsdt(results, { peakResult: parseUnits(second) }) };
  if (first === 'result') return { results: withUsdt(results, { result: parseUnits(second) }) };
  if (first === 'unvalued') return { results: withUsdt(results, { unvalued: words.slice(1) }) };
  if (first === 'losses')
    return { results: { ...results, lossesInARow: Number(second), lastLossAtMs: NOW_MS - Number(words[3]) } };
  if (first === 'planned') return { plannedAtMs: words.slice(1, -1).map((agoMs) => NOW_MS - Number(agoMs)) };
  throw new Error(`the table has no fact "${phrase}"`);
}

const NO_RESULT: PnlView = {
  quote: 'usdt',
  dayResult: parseUnits('0'),
  peakResult: parseUnits('0'),
  result: parseUnits('0'),
  unvalued: [],
};

/** Returns the results with those in tether changed. */
function withUsdt(results: RiskView['results'], changed: Partial<PnlView>): RiskView['results'] {
  const inCurrencies = results.inCurrencies.map((one) =>
    one.quote === 'usdt' ? { ...one, ...changed } : one,
  );
  return { ...results, inCurrencies };
}

/** Reads the results in rial from a phrase such as `in rls day -5 peak 10 result 2`. */
function rialOf(words: readonly string[]): PnlView {
  const after = (word: string) => parseUnits(words[words.indexOf(word) + 1 || words.length] ?? '0');
  return {
    quote: 'rls',
    dayResult: after('day'),
    peakResult: after('peak'),
    result: after('result'),
    unvalued: [],
  };
}

/** Returns the holdings with those of one market set as the phrase says. */
function holdingsWith({ holdings }: RiskView, symbol: string, phrase: string): RiskView['holdings'] {
  const before = holdings.get(symbol);
  const held = wordAfter(phrase, 'holds');
  const price = wordAfter(phrase, 'price');
  const keptPrice = phrase.includes('no price') ? null : (before?.price ?? null);
  return new Map([
    ...holdings,
    [
      symbol,
      {
        market: marketOf(symbol),
        position: held === null ? (before?.position ?? parseUnits('0')) : parseUnits(held),
        price: price === null ? keptPrice : parseUnits(price),
      },
    ],
  ]);
}

function orderOf(phrase: string): RiskView['order'] {
  return {
    strategy: 'mine',
    market: marketOf(wordAfter(phrase, 'in') ?? 'BTCUSDT'),
    ...wishOf(phrase),
    isExit: phrase.endsWith(' as exit'),
  };
}

function wishOf(
  phrase: string,
): Pick<RiskView['order'], 'side' | 'execution' | 'price' | 'stopPrice' | 'amount'> {
  const price = wordAfter(phrase, 'at');
  const stop = wordAfter(phrase, 'stop');
  const kind = price === null ? 'market' : 'limit';
  const side: Side = phrase.includes('buy') ? 'buy' : 'sell';
  return {
    side,
    execution: stop === null ? kind : `stop_${kind}`,
    price: price === null ? null : parseUnits(price),
    stopPrice: stop === null ? null : parseUnits(stop),
    amount: parseUnits(wordAfter(phrase, side) ?? ''),
  };
}

function liveOf(phrase: string, before: readonly OrderRecord[]): OrderRecord {
  const words = phrase.split(' ');
  const isStop = words.includes('stop');
  const quietStatus = isStop ? 'Inactive' : 'Active';
  return plannedOrder({
    ...wishOf(phrase),
    key: `key-${before.length}`,
    strategy: wordAfter(phrase, 'of') ?? 'mine',
    market: wordAfter(phrase, 'in') ?? 'BTCUSDT',
    pairKey: words.includes('oco') ? partnerKey(before) : null,
    plannedAtMs: NOW_MS - 1_000,
    sentAtMs: NOW_MS - 900,
    attempts: 1,
    state: ORDER_STATES.find((state) => words.includes(state)) ?? 'open',
    venueId: orderIdOf(1),
    venueStatus: words.includes('woken') ? 'Active' : quietStatus,
    matched: parseUnits(wordAfter(phrase, 'matched') ?? '0'),
    filled: parseUnits(wordAfter(phrase, 'filled') ?? '0'),
  });
}

/** Returns the key of an OCO's other leg, which is the row before or after. */
function partnerKey(before: readonly OrderRecord[]): string {
  const isSecond = (before.at(-1)?.pairKey ?? null) !== null;
  return `key-${isSecond ? before.length - 1 : before.length + 1}`;
}

const bestOf = (word: string | undefined): Units | null =>
  word === undefined || word === '-' ? null : parseUnits(word);

function phrasesOf(text: string): string[] {
  return text
    .split(',')
    .map((phrase) => phrase.trim())
    .filter((phrase) => phrase !== '');
}

function wordAfter(phrase: string, word: string): string | null {
  const words = phrase.split(' ');
  const at = words.indexOf(word);
  return at === -1 ? null : (words[at + 1] ?? null);
}
