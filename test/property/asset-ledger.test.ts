import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Currency } from '../../src/domain/market-symbol.ts';
import { parseMarket, MARKET_NAMES } from '../../src/exchange/market-names.ts';
import { parseUnits, type Units } from '../../src/domain/money.ts';
import { AssetLedger, type LedgerTrade } from '../../src/portfolio/asset-ledger.ts';
import { partOf } from '../../src/portfolio/holding.ts';
import { storedForm } from '../../src/domain/stored-json.ts';
import { profitOf, restoreLedger, storedLedger, storeLedger } from '../../src/portfolio/profit.ts';
import { deepRuns } from '../support/deep-runs.ts';

type Step =
  | { readonly kind: 'trade'; readonly trade: LedgerTrade }
  | { readonly kind: 'price'; readonly market: string; readonly price: Units; readonly atMs: number }
  | { readonly kind: 'restart' };

const units = (most: bigint) => fc.bigInt({ min: 1n, max: most }) as fc.Arbitrary<Units>;
const MARKETS = ['BTCIRT', 'BTCUSDT', 'USDTIRT'] as const;
// Small amounts too, so that positions return to zero and change their sign.
const amounts = fc.oneof(
  units(3n),
  fc.constantFrom((10n ** 10n) as Units, (2n * 10n ** 10n) as Units),
  units(10n ** 11n),
);
const steps: fc.Arbitrary<readonly Step[]> = fc
  .array(
    fc.record({
      kind: fc.constantFrom('trade' as const, 'trade' as const, 'price' as const, 'restart' as const),
      market: fc.constantFrom(...MARKETS),
      side: fc.constantFrom('buy' as const, 'sell' as const),
      amount: amounts,
      total: units(10n ** 21n),
      feeShare: fc.constantFrom(0n, 25n, 10_000n),
      feeCurrency: fc.constantFrom(null, null, 'rls', 'usdt'),
      price: units(10n ** 20n),
      gapMs: fc.nat(30_000_000),
    }),
    { maxLength: 40, size: 'max' },
  )
  .map((drawn) => {
    let atMs = 0;
    return drawn.map(({ kind, market, side, amount, total, feeShare, feeCurrency, price, gapMs }): Step => {
      atMs += gapMs;
      if (kind === 'restart') return { kind };
      if (kind === 'price') return { kind, market, price, atMs };
      const fee = (((side === 'buy' ? amount : total) * feeShare) / 10_000n) as Units;
      const trade = {
        market: parseMarket(market),
        side,
        price,
        amount,
        total,
        fee,
        feeCurrency,
        feeValue: feeCurrency === null ? null : price,
        atMs,
        leastAmount: 1_000n as Units,
      };
      return { kind, trade };
    });
  });

const newLedger = (currency: Currency) =>
  new AssetLedger({
    marketNames: MARKET_NAMES,
    currency,
    quotes: new Set(['rls', 'usdt']),
    sees: () => true,
  });

function restarted(ledger: AssetLedger): AssetLedger {
  const again = newLedger(ledger.currency);
  restoreLedger(
    again,
    storedLedger(MARKET_NAMES).parse(JSON.parse(JSON.stringify(storedForm(storeLedger(ledger))))),
  );
  return again;
}

function after(ledger: AssetLedger, step: Step): AssetLedger {
  if (step.kind === 'restart') return restarted(ledger);
  if (step.kind === 'trade') ledger.applyTrade(step.trade);
  else ledger.applyPrices((market) => (market === step.market ? step.price : null), step.atMs);
  return ledger;
}

/** Flows by the fills alone: rial, tether and coins received, less those paid. */
function flowsOf(played: readonly Step[]): { rls: bigint; usdt: bigint; btc: bigint } {
  const flows = { rls: 0n, usdt: 0n, btc: 0n };
  for (const step of played) {
    if (step.kind !== 'trade') continue;
    const { market, side, amount, total, fee, feeCurrency } = step.trade;
    const coin = market.symbol === 'USDTIRT' ? 'usdt' : 'btc';
    const money = market.symbol === 'BTCUSDT' ? 'usdt' : 'rls';
    flows[coin] += side === 'buy' ? amount : 0n - amount;
    flows[money] += side === 'buy' ? 0n - total : total;
    flows[(feeCurrency ?? (side === 'buy' ? coin : money)) as keyof typeof flows] -= fee;
  }
  return flows;
}

/**
 * Last price of each market, by the steps alone: the last one seen since there was something to value by it,
 * or that of the first fill. `isWatched` is true once the prices of a market reach the ledger.
 */
function pricesOf(played: readonly Step[], ledger: AssetLedger): Map<string, bigint> {
  const prices = new Map<string, bigint>();
  let hasCoin = false;
  for (const step of played) {
    if (step.kind === 'trade') {
      const { symbol } = step.trade.market;
      if (!prices.has(symbol)) prices.set(symbol, step.trade.price);
      if (symbol !== 'USDTIRT') hasCoin = true;
    } else if (step.kind === 'price' && (step.market === 'USDTIRT' || hasCoin))
      prices.set(step.market, step.price);
  }
  expect([...ledger.state.prices.keys()].toSorted()).toEqual([...prices.keys()].toSorted());
  return prices;
}

const ONE = 10n ** 10n;

/** Divides and rounds half-even, worked out from the floor. */
function ratio(dividend: bigint, divisor: bigint): bigint {
  const below = dividend / divisor - (dividend % divisor < 0n ? 1n : 0n);
  const twiceRest = 2n * (dividend - below * divisor);
  if (twiceRest === divisor) return below % 2n === 0n ? below : below + 1n;
  return twiceRest > divisor ? below + 1n : below;
}

/** Value of all flows by the prices; null where something has no price. */
function worthIn(
  currency: Currency,
  flows: ReturnType<typeof flowsOf>,
  prices: Map<string, bigint>,
): bigint | null {
  const inRial = prices.get('BTCIRT');
  const inTether = prices.get('BTCUSDT');
  const tether = prices.get('USDTIRT');
  let coin: bigint | null = null;
  let money: bigint | null = null;
  if (currency === 'rls') {
    if (inRial !== undefined) coin = ratio(flows.btc * inRial, ONE);
    else if (inTether !== undefined && tether !== undefined)
      coin = ratio(flows.btc * inTether * tether, ONE * ONE);
    if (tether !== undefined) money = flows.rls + ratio(flows.usdt * tether, ONE);
    else if (flows.usdt === 0n) money = flows.rls;
  } else {
    if (inTether !== undefined) coin = ratio(flows.btc * inTether, ONE);
    else if (inRial !== undefined && tether !== undefined) coin = ratio(flows.btc * inRial, tether);
    if (tether !== undefined) money = flows.usdt + ratio(flows.rls * ONE, tether);
    else if (flows.rls === 0n) money = flows.usdt;
  }
  if (flows.btc === 0n) coin = 0n;
  return coin === null || money === null ? null : coin + money;
}

describe('the profit over a triangle of markets', () => {
  test.each(['rls', 'usdt'] as const)(
    'is cash flow plus holdings at the last price, to the last digit, in %s',
    (currency) => {
      let valued = 0;
      let unvalued = 0;
      fc.assert(
        fc.property(steps, (drawn) => {
          let ledger = newLedger(currency);
          for (const [index, step] of drawn.entries()) {
            ledger = after(ledger, step);
            const played = drawn.slice(0, index + 1);
            const flows = flowsOf(played);
            const worth = worthIn(currency, flows, pricesOf(played, ledger));
            const { total, realised, open, unvalued: without } = profitOf(ledger);
            expect(total).toBe(worth);
            expect(without.length > 0).toBe(worth === null);
            if (worth === null) unvalued += 1;
            else {
              valued += 1;
              if (realised !== null && open !== null) expect(realised + open).toBe(worth);
              expect(ledger.tracksAt(0, currency).get(currency)?.marks.result).toBe(worth);
            }
            expect({ rls: ledger.held('rls'), usdt: ledger.held('usdt'), btc: ledger.held('btc') }).toEqual(
              flows,
            );
          }
        }),
        { numRuns: deepRuns(150, 25) },
      );

      expect(valued).toBeGreaterThan(deepRuns(100, 12));
      expect(unvalued).toBeGreaterThan(deepRuns(20, 2));
    },
  );

  test.each(['rls', 'usdt'] as const)(
    'is all realised once nothing is held, and what each asset realised less its cost is what is left, in %s',
    (currency) => {
      const other = currency === 'rls' ? 'usdt' : 'rls';
      fc.assert(
        fc.property(steps, (drawn) => {
          let ledger = newLedger(currency);
          for (const step of drawn) ledger = after(ledger, step);
          const { holdings, prices } = ledger.state;
          let left = 0n;
          for (const [asset, { realised, cost, held }] of holdings) {
            if (asset === currency) continue;
            left += partOf(realised, currency) - partOf(cost, currency);
            if (held === 0n) expect(partOf(cost, 'rls') | partOf(cost, 'usdt')).toBe(0n);
            if (prices.has('USDTIRT')) expect(partOf(realised, other) | partOf(cost, other)).toBe(0n);
          }
          if (prices.has('USDTIRT')) expect(left).toBe(ledger.held(currency));
        }),
        { numRuns: deepRuns(150, 25) },
      );
    },
  );

  test('is the same after a restart with the result in the other currency', () => {
    fc.assert(
      fc.property(steps, (drawn) => {
        let ledger = newLedger('usdt');
        for (const step of drawn) ledger = after(ledger, step);
        const turned = newLedger('rls');
        restoreLedger(
          turned,
          storedLedger(MARKET_NAMES).parse(JSON.parse(JSON.stringify(storedForm(storeLedger(ledger))))),
        );
        const prices = new Map(
          [...ledger.state.prices].map(([market, { price }]) => [market, price as bigint]),
        );
        expect(profitOf(turned).total).toBe(worthIn('rls', flowsOf(drawn), prices));
      }),
      { numRuns: deepRuns(100, 20) },
    );
  });

  test('holds what no float does', () => {
    const ledger = newLedger('rls');
    ledger.applyTrade({
      market: parseMarket('BTCIRT'),
      side: 'buy',
      price: parseUnits('12600000000'),
      amount: parseUnits('1000.0000000001'),
      total: parseUnits('12600000000001.26'),
      fee: parseUnits('0'),
      feeCurrency: null,
      feeValue: null,
      atMs: 0,
      leastAmount: parseUnits('0.000001'),
    });
    ledger.applyPrices((market) => (market === 'BTCIRT' ? parseUnits('12600000000.0000000001') : null), 1);
    expect(profitOf(ledger).total).toBe(parseUnits('0.0000001'));
  });
});
