import type { WrittenStudy } from '../../study/study-settings.ts';
import type { RedisAddress } from '../../redis/redis-address.ts';
import type { ServedAddress } from '../../study/served-address.ts';
import type { Constraint } from '../../study/objectives.ts';
import type { SamplerKind } from '../../search/sampler-settings.ts';
import {
  balanceFlags,
  refuseUnfit,
  stepFlags,
  timeframeFlag,
  type BacktestFlags,
} from '../backtest/backtest-flags.ts';
import { flagText, optionsProblem } from '../backtest/backtest-options.ts';
import { wrongInput } from '../command-error.ts';
import { formOf } from '../data/data-options.ts';
import { PLAN_FLAGS } from './plan-options.ts';

/** Options that any study takes, by file or without one. */
export interface SessionFlags {
  readonly trials?: number;
  readonly time?: string;
  readonly workers: number;
  readonly name?: string;
  readonly data: string;
  readonly json?: true;
}

/** Options of commands whose trials other machines can run. */
export interface RemoteFlags {
  readonly redis?: RedisAddress;
  readonly serve?: ServedAddress;
  readonly sendCode?: true;
  readonly secretFile?: string;
}

/** Options of the short form, which stand for a file: those of a backtest, and how it is searched. */
export interface ShortFlags extends BacktestFlags {
  readonly holdout?: string;
  readonly objective: readonly string[];
  readonly least: readonly Constraint[];
  readonly most: readonly Constraint[];
  readonly sampler?: SamplerKind;
  readonly seed?: number;
  readonly generation?: number;
}

/** The short form as the file that it stands for. */
export function writtenStudy(strategy: string, options: ShortFlags & SessionFlags): WrittenStudy {
  const problem = optionsProblem(options.fidelity ?? 'candles', { ...options });
  if (problem !== null) throw wrongInput(problem);
  refuseUnfit(strategy, options);
  const { market, from, to, holdout, signals, param, currency, sampler, seed, generation, objective } =
    options;
  return given({
    strategy,
    markets: options.universe === undefined ? [...market] : undefined,
    // The study checks it.
    universe: options.universe as WrittenStudy['universe'],
    fidelity: options.fidelity,
    timeframe: timeframeFlag(options),
    detail: options.detail,
    csv: csvOf(options),
    csvForm: formOf(options),
    catalogue: options.catalogue,
    from,
    to,
    holdout,
    signals,
    params: param,
    balances: balanceFlags(options),
    inventory: options.inventory,
    fee: options.fee === undefined ? undefined : `${options.fee}%`,
    currency,
    steps: stepFlags(options),
    rules: rulesOf(options),
    objectives: objective.length === 0 ? undefined : objective.map(objectiveOf),
    constraints: [...options.least, ...options.most],
    sampler: given({ kind: sampler, seed, generation }),
    budget: given({ trials: options.trials, time: options.time }),
  });
}

/** Returns the fill rules, with durations in the form of a file. */
function rulesOf({ latency, tradesLag, queue, ...options }: ShortFlags): WrittenStudy['rules'] {
  const { spreadBps, slippageBps, slippageRange, volumeShare, marketOrders, limitFill, path } = options;
  return given({
    marketOrders,
    limitFill,
    path,
    spreadBps,
    slippageBps,
    slippageRange,
    volumeShare,
    queue,
    latency: latency === undefined ? undefined : `${latency}ms`,
    tradesLag: tradesLag === undefined ? undefined : `${tradesLag}ms`,
  });
}

/** Options that go with a file, too. */
const OF_BOTH_FORMS: ReadonlySet<string> = new Set([
  'trials',
  'time',
  'workers',
  'name',
  'data',
  'json',
  'redis',
  'serve',
  'sendCode',
  'secretFile',
  ...PLAN_FLAGS,
]);

/** Options of the short form say what a file says: beside one they are refused. */
export function refuseShortFlags(options: Readonly<Record<string, unknown>>, file: string): void {
  const flag = shortFlagOf(options);
  if (flag !== null) throw wrongInput(`expected what ${flag} says in ${file}, found it beside the file`);
}

/** An option of the short form that was given; null where none was. */
export function shortFlagOf(options: Readonly<Record<string, unknown>>): string | null {
  const stray = Object.entries(options).find(([name, value]) => {
    if (OF_BOTH_FORMS.has(name) || value === undefined) return false;
    return typeof value !== 'object' || value === null || Object.keys(value).length > 0;
  });
  return stray === undefined ? null : flagText(stray[0]);
}

/** Without what was not given, so that the study's own defaults hold. */
function given<Values extends object>(values: Values): Given<Values> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as Given<Values>;
}

type Given<Values> = { [Name in keyof Values]: Exclude<Values[Name], undefined> };

function csvOf({ csv, market }: ShortFlags): WrittenStudy['csv'] {
  const [first] = csv;
  if (first === undefined) return undefined;
  if (csv.length === 1 && first.market === null) return first.path;
  return Object.fromEntries(
    csv.map(({ market: symbol, path }) => {
      if (symbol !== null) return [symbol, path];
      throw wrongInput(`expected the market of ${path}: give it as --csv ${market[0] ?? 'BTCUSDT'}=${path}`);
    }),
  );
}

/** `sharpe`, or `sharpe:minimize`. The study checks both. */
function objectiveOf(text: string): {
  readonly metric: string;
  readonly direction?: 'maximize' | 'minimize';
} {
  const [metric = '', direction, ...more] = text.split(':');
  if (more.length === 0 && direction === undefined) return { metric };
  if (more.length === 0 && (direction === 'maximize' || direction === 'minimize'))
    return { metric, direction };
  throw wrongInput(`expected --objective METRIC or METRIC:minimize or METRIC:maximize, found ${text}`);
}
