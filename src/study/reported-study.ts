import { runCurrency } from '../backtest/run-currency.ts';
import type { Currency } from '../domain/market-symbol.ts';
import { MARKET_NAMES, parseMarket } from '../exchange/market-names.ts';
import { present } from '../domain/invariant.ts';
import type { StudyIdentity } from './study-identity.ts';
import { readSpace, type Point, type Space } from '../search/space-declaration.ts';
import type { StudyStore } from './study-store.ts';
import type { ValidatedStudy } from './validated-study.ts';
import type { WalkForwardResult } from './walk-forward-result.ts';

/** A walk-forward that has ended, or why it can not be shown. */
export type ReportedWalk =
  | { readonly kind: 'known'; readonly result: WalkForwardResult }
  | { readonly kind: 'unknown'; readonly reason: string };

/** All that the report of a study shows. */
export interface ReportedStudy {
  readonly study: ValidatedStudy;
  readonly identity: StudyIdentity;
  /** The study as it was written, with its space. */
  readonly written: Readonly<Record<string, unknown>>;
  readonly space: Space;
  /** Point of each trial in the space, in the order of `study.trials`. */
  readonly points: readonly Point[];
  /** Null where none was run to its end. */
  readonly walk: ReportedWalk | null;
  readonly createdAtMs: number;
  /** The currency of its figures. */
  readonly quote: Currency;
}

/** Reads what a report shows beside the figures of a study. */
export function reportedStudy(
  store: StudyStore,
  of: Pick<ReportedStudy, 'study' | 'walk' | 'createdAtMs'>,
): ReportedStudy {
  const { written, identity } = present(store.head(), 'the head of a study with figures');
  const plain: ReportedStudy['written'] = { ...Object(written) };
  const wanted = MARKET_NAMES.quotes.find(({ currency }) => currency === plain['currency']);
  return {
    ...of,
    identity,
    written: plain,
    quote: runCurrency(of.study.markets.map(parseMarket), wanted?.currency ?? null),
    space: readSpace(plain['space']),
    points: [...store.outcomes()].map(({ point }) => point),
  };
}
