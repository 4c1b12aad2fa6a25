import { inDigits } from '../../language/fact.ts';
import type { BoundedTable, SessionRows } from '../../mirror/session-rows.ts';
import type { FidelityStatement } from '../backtest-run.ts';
import { fidelityFact as fact, type FidelityFact } from '../fidelity-fact.ts';

interface Described {
  readonly range: { readonly fromMs: number; readonly toMs: number };
  /** Currencies of the account that no market of the session values. */
  readonly unvalued: readonly string[];
  /** Source that states how much money there is. */
  readonly opening: 'books' | 'balances' | 'capital' | 'nothing';
  readonly hasParams: boolean;
}

/** Returns how the figures of a live session came about, and what its mirror does not know. */
export function describeMirror(rows: SessionRows, of: Described): FidelityStatement {
  return {
    kind: 'live',
    rules: [
      { rule: fact('mirror.fills'), setting: fact('mirror.fills.rule') },
      { rule: fact('mirror.account'), setting: fact(`mirror.account.${of.opening}`) },
      { rule: fact('mirror.prices'), setting: fact('mirror.prices.rule') },
      { rule: fact('mirror.candles'), setting: candlesOf(rows) },
      ...(rows.plots.length === 0
        ? []
        : [{ rule: fact('mirror.plots'), setting: fact('mirror.plots.rule') }]),
      { rule: fact('mirror.pauses'), setting: fact('mirror.pauses.rule') },
    ],
    caveats: [
      ...removedRows(rows),
      ...leftOut(rows),
      ...candleCaveats(rows, of.range),
      ...(of.unvalued.length === 0 ? [] : [unvaluedCaveat(of.unvalued)]),
      fact('mirror.unknown.transfers'),
      fact('mirror.unknown.refused'),
      fact('mirror.unknown.rest', { command: 'sarraf budget' }),
      ...(of.hasParams ? [] : [fact('mirror.unknown.params', { option: '--config' })]),
    ],
  };
}

function candlesOf({ series }: SessionRows): FidelityFact {
  if (series.length === 0) return fact('mirror.candles.none');
  return fact('mirror.candles.some', {
    series: series.map(({ market, timeframe }) => fact('mirror.series', { market, timeframe })),
  });
}

/** Returns the facts on rows that retention has removed. */
function removedRows({ tables }: SessionRows): readonly FidelityFact[] {
  return Object.entries(tables).flatMap(([table, { removed, sinceMs }]) =>
    removed === 0 || sinceMs === null
      ? []
      : [fact(`mirror.removed.${table as BoundedTable}`, { count: removed, time: { atMs: sinceMs } })],
  );
}

function leftOut({ moreFills, moreOrders }: SessionRows): readonly FidelityFact[] {
  return [
    ...(moreFills === 0 ? [] : [fact('mirror.moreFills', { count: moreFills })]),
    ...(moreOrders === 0 ? [] : [fact('mirror.moreOrders', { count: moreOrders })]),
  ];
}

function candleCaveats({ series }: SessionRows, { fromMs }: Described['range']): readonly FidelityFact[] {
  if (series.length === 0) return [fact('mirror.unknown.candles')];
  return series.flatMap(({ market, candles }) => {
    const [first] = candles;
    return first === undefined || first.openTimeMs <= fromMs
      ? []
      : [fact('mirror.unknown.candlesBefore', { market, time: { atMs: first.openTimeMs } })];
  });
}

/** Currencies that are named; of more they are counted. */
const MOST_NAMED = 10;

function unvaluedCaveat(unvalued: readonly string[]): FidelityFact {
  const currencies = unvalued.slice(0, MOST_NAMED).map((currency) => ({ currency }));
  const more = unvalued.length - MOST_NAMED;
  return more > 0
    ? fact('mirror.unknown.values', { currencies, more: inDigits(more) })
    : fact('mirror.unknown.value', { currencies });
}
