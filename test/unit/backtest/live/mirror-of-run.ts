import type { BacktestRun } from '../../../../src/backtest/backtest-run.ts';
import { candleAt } from '../../../../src/domain/candle-columns.ts';
import { formatUnits, LEAST_UNITS, type Units } from '../../../../src/domain/money.ts';
import type { MirrorChange } from '../../../../src/engine/mirror-change.ts';
import { parseMarket, MARKET_NAMES } from '../../../../src/exchange/market-names.ts';
import { walletIdOf } from '../../../../src/venues/read-records.ts';
import { AssetLedger } from '../../../../src/portfolio/asset-ledger.ts';
import { writeInstance } from '../../../../src/engine/strategy-instance-record.ts';
import type { MirrorStore } from '../../../../src/mirror/mirror-store.ts';
import { intentChange } from '../../mirror/mirror-fixture.ts';
import { newLedger } from '../../../support/new-ledger.ts';

/** Writes the changes that a live bot would have written to its mirror for the same fills. */
export function mirrorRun(
  store: MirrorStore,
  run: BacktestRun,
  of: {
    readonly opening: Readonly<Record<string, Units>>;
    readonly withCandles: boolean;
    readonly capital?: ReadonlyMap<string, Units>;
  },
): void {
  const write = (changes: readonly MirrorChange[], atMs: number): void =>
    store.apply(changes, { atMs, isDurable: true });
  const start: MirrorChange = {
    kind: 'journal',
    entry: { kind: 'control', subject: 'start', json: '{"isRestart":false,"aliveUntilMs":null}' },
  };
  write([start, ...run.markets.map(marketChange)], run.fromMs);
  write(
    run.orders.map((order) => ({ kind: 'order', order })),
    run.fromMs,
  );
  write(
    run.fills.map((fill) => ({ kind: 'fill', fill })),
    run.fromMs,
  );
  if (of.withCandles) write(candleChanges(run), run.fromMs);
  const figures = {
    ledger: ledgerOf(run, of.opening),
    requests: 0,
    fills: 0,
    orders: 0,
    fees: new Map<string, bigint>(),
    capital: of.capital ?? new Map(),
  };
  const json = writeInstance('{}', figures);
  const rows = run.strategies.map(({ name }): MirrorChange => ({
    kind: 'strategy',
    strategy: { name, status: 'running', reason: null, json, atMs: run.toMs },
  }));
  const intents = run.orders.map(({ intentId, strategy, market, plannedAtMs }): MirrorChange =>
    intentChange({
      id: intentId,
      strategy,
      atMs: plannedAtMs,
      market,
      status: 'done',
      reason: 'filled',
    }),
  );
  write([...rows, ...intents, ...closingOf(run, of.opening)], run.toMs);
  store.flush();
}

function marketChange({ market }: BacktestRun['markets'][number]): MirrorChange {
  const { symbol, priceStep, amountStep, minOrderValue } = market;
  return {
    kind: 'market',
    market: {
      symbol,
      version: 1,
      fromMs: 0,
      priceStep: formatUnits(priceStep),
      amountStep: formatUnits(amountStep),
      minOrderValue: formatUnits(minOrderValue),
    },
  };
}

function candleChanges({ markets }: BacktestRun): readonly MirrorChange[] {
  return markets.flatMap(({ market, candles }) =>
    Array.from({ length: candles.length }, (_, bar): MirrorChange => ({
      kind: 'candle',
      market: market.symbol,
      timeframe: candles.timeframe,
      candle: candleAt(candles, bar),
    })),
  );
}

/** Returns the changes that set the wallets after all fills. */
function closingOf(run: BacktestRun, opening: Readonly<Record<string, Units>>): readonly MirrorChange[] {
  const held = new Map<string, bigint>(Object.entries(opening));
  const add = (currency: string, units: bigint): void =>
    void held.set(currency, (held.get(currency) ?? 0n) + units);
  for (const { market, side, amount, total, fee } of run.fills) {
    const { base, quote } = parseMarket(market);
    add(base, side === 'buy' ? amount - fee : 0n - amount);
    add(quote, side === 'buy' ? 0n - total : total - fee);
  }
  return [...held].map(([currency, total]): MirrorChange => ({
    kind: 'wallet',
    wallet: { currency, walletId: walletIdOf(1), total: total as Units, held: 0n as Units, tooFine: null },
  }));
}

/** Makes the ledger after all trades; coins that the account had at first are its inventory. */
function ledgerOf(
  { quote, markets, fills }: BacktestRun,
  opening: Readonly<Record<string, Units>>,
): AssetLedger {
  const ledger = newLedger(quote);
  const market = markets[0]?.market.symbol ?? '';
  for (const [asset, amount] of Object.entries(opening)) {
    const isMoney = MARKET_NAMES.quotes.some(({ currency }) => currency === asset);
    if (!isMoney) ledger.applyInventory({ asset, amount, market, atMs: 0 });
  }
  for (const fill of fills)
    ledger.applyTrade({ ...fill, market: parseMarket(fill.market), leastAmount: LEAST_UNITS });
  return ledger;
}
