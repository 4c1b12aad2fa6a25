import { parseMarket } from '../../../exchange/market-names.ts';
import type { LiveSession, ResultHead } from '../../result-schema.ts';
import type { ReportVoice } from '../../report-voice.ts';
import { tableSection } from '../../html-page.ts';
import type { LockRecord } from '../../../engine/lock.ts';
import { outText } from '../../../strategy/rank-markets.ts';
import type { BacktestRun } from '../../backtest-run.ts';
import type { FinishedRun } from '../../finish-run.ts';
import { lockEndMs, lockScope } from '../report-data.ts';

/** Maximum number of rows of each table; `summary.json` or `sarraf report csv` has all. */
const MOST_ROWS = 100;

/** Returns the section on the profit of each strategy of a live session; empty for a backtest. */
export function strategiesSection({ head, run }: FinishedRun, voice: ReportVoice): string {
  const { session, summary } = head;
  if (session === null || session.strategies.length === 0) return '';
  const { t, digits, foreign, words, second } = voice;
  const money = (text: string): string => voice.money(text, summary.quote);
  const reasons = new Map(run.strategies.map(({ name, reason = null }) => [name, reason]));
  const statusText = ({ name, status, reason }: LiveSession['strategies'][number]): string =>
    reason === null
      ? t(`status.${status}`)
      : `${t(`status.${status}`)}: ${words(reasons.get(name) ?? reason)}`;
  const rows = session.strategies.slice(0, MOST_ROWS).map((one) => [
    foreign(one.name),
    statusText(one),
    money(one.profit),
    money(one.tradesProfit),
    money(one.fees),
    one.openTrades === 0
      ? digits(String(one.trades))
      : t('strategies.open', {
          closed: digits(String(one.trades)),
          open: digits(String(one.openTrades)),
        }),
    voice.percent(one.winRate),
    voice.count(one.orders),
    voice.count(one.fills),
    voice.number(one.orderRequestsPerFill),
  ]);
  const alive = t('aliveUntil', { time: second(session.aliveUntilMs) });
  return tableSection({
    id: 'strategies',
    title: t('strategies.title'),
    note: `${runningText(session.isRunning, voice)} ${alive} ${t('profitNote')} ${t('times')}${moreText(session.strategies, voice)}`,
    titles: [
      t('column.strategy'),
      t('column.status'),
      t('column.profit'),
      t('column.tradesProfit'),
      t('column.fees'),
      t('column.trades'),
      t('column.won'),
      t('column.orders'),
      t('column.fills'),
      t('column.requestsPerFill'),
    ],
    rows,
  });
}

function runningText(isRunning: boolean | null, { t }: ReportVoice): string {
  if (isRunning === null) return t('unknownIsRunning');
  return t(isRunning ? 'isRunning' : 'isNotRunning');
}

/** Returns the section on open orders and positions of a live session; empty for a backtest. */
export function openSection({ session }: ResultHead, voice: ReportVoice): string {
  if (session === null) return '';
  const { t, foreign } = voice;
  const { openOrders, positions } = session;
  const held = positions.map(({ strategy, asset, held: amount, unprotected }) => [
    foreign(strategy),
    t('open.position', { asset: voice.asset(asset) }),
    voice.inUnit(voice.digits(amount), asset),
    '',
    unprotected === '0'
      ? t('open.protected')
      : t('open.unprotected', { amount: voice.inUnit(voice.digits(unprotected), asset) }),
  ]);
  const resting = openOrders.slice(0, MOST_ROWS).map((order) => restingRow(order, voice));
  if (held.length + resting.length === 0) return '';
  const unprotected = positions.filter((position) => position.unprotected !== '0').length;
  const warning = unprotected === 0 ? '' : ` ${t('open.warning', { count: unprotected })}`;
  return tableSection({
    id: 'open',
    title: t('open.title'),
    note: `${t('open.counts', {
      orders: t('open.orders', { count: openOrders.length }),
      positions: t('open.positions', { count: positions.length }),
    })}${warning}${moreText(openOrders, voice)}`,
    titles: [
      t('column.strategy'),
      t('column.what'),
      t('column.amount'),
      t('column.price'),
      t('column.state'),
    ],
    rows: [...held, ...resting],
  });
}

function restingRow(order: LiveSession['openOrders'][number], voice: ReportVoice): readonly string[] {
  const { strategy, market, side, execution, amount, price, stopPrice, state, key, tag, exit } = order;
  const { t, digits, exact, inUnit, foreign } = voice;
  const { base, quote } = parseMarket(market);
  const prices = [
    price === null ? '' : inUnit(exact(price), quote),
    stopPrice === null ? '' : t('open.once', { price: inUnit(exact(stopPrice), quote) }),
  ];
  return [
    foreign(strategy),
    t('open.what', {
      market,
      side: t(`open.${side}`),
      execution: execution.replace('_', ' '),
    }),
    inUnit(digits(amount), base),
    prices.join(' ').trim(),
    foreign([state, key, exit, tag].filter((part) => part !== null).join(', ')),
  ];
}

/** Returns the section on pauses of the bot in a live session; empty if there were none. */
export function pausesSection({ session }: ResultHead, voice: ReportVoice): string {
  if (session === null || session.pauses.length === 0) return '';
  const { t, second, length } = voice;
  const { pauses } = session;
  const longest = pauses.toSorted((left, right) => lengthOf(right) - lengthOf(left)).slice(0, MOST_ROWS);
  const allMs = pauses.reduce((sum, pause) => sum + lengthOf(pause), 0);
  const rows = longest
    .toSorted((left, right) => left.fromMs - right.fromMs)
    .map((pause) => [second(pause.fromMs), second(pause.toMs), length(lengthOf(pause))]);
  return tableSection({
    id: 'pauses',
    title: t('pauses.title'),
    note: `${t('pauses.note', {
      pauses: t('pauses.count', { count: pauses.length }),
      length: length(allMs),
    })}${moreText(pauses, voice)}`,
    titles: [t('column.from'), t('column.until'), t('column.for')],
    rows,
  });
}

function lengthOf({ fromMs, toMs }: LiveSession['pauses'][number]): number {
  return toMs - fromMs;
}

function moreText(all: readonly unknown[], { t, count, digits }: ReportVoice): string {
  return all.length <= MOST_ROWS
    ? ''
    : ` ${t('moreRows', { all: count(all.length), shown: digits(String(MOST_ROWS)) })}`;
}

/** Number of bands of a kind, and of those in the chart. */
interface Drawn {
  readonly all: number;
  readonly drawn: number;
}

/** Returns the section on locks and the orders they refused; empty if there were none. */
export function locksSection({ locks, toMs }: BacktestRun, bands: Drawn, voice: ReportVoice): string {
  const { t, second, count, foreign, words } = voice;
  const { records } = locks;
  if (records.length === 0) return '';
  const shown = foremost(records, toMs);
  const rows = shown.map((record) => {
    const { lock, endedAtMs, refused } = record;
    const until = endedAtMs === null ? t('locks.endOfRun') : second(lockEndMs(record, toMs));
    return [
      foreign(lock.name),
      lockScope(lock, voice),
      second(lock.beganAtMs),
      until,
      count(refused),
      words(lock.reason),
    ];
  });
  const titles = [
    t('locks.name'),
    t('locks.scope'),
    t('column.from'),
    t('column.until'),
    t('locks.refused'),
    t('column.reason'),
  ];
  return tableSection({
    id: 'locks',
    title: t('locks.title'),
    note: `${countNote(shown.length, records.length, 'locks.kept', voice)}${drawnNote(bands, voice)}`,
    titles,
    rows,
  });
}

/** Returns the section on markets that entered and left universes; empty if there were none. */
export function membersSection({ members }: BacktestRun, bands: Drawn, voice: ReportVoice): string {
  const { t, second, digits, foreign } = voice;
  const { records } = members;
  if (records.length === 0) return '';
  const shown = records.slice(-MOST_ROWS);
  const rows = shown.map(({ atMs, strategy, universe, market, kind, rank, reason, rankBy }) => [
    second(atMs),
    foreign(`${strategy}/${universe}`),
    foreign(market),
    t(`members.${kind}`),
    rank === null ? '' : digits(String(rank)),
    foreign(outText(reason, rankBy)),
  ]);
  const titles = [
    t('members.at'),
    t('members.universe'),
    t('column.market'),
    t('members.change'),
    t('members.rank'),
    t('column.reason'),
  ];
  return tableSection({
    id: 'members',
    title: t('members.title'),
    note: `${countNote(shown.length, records.length, 'members.kept', voice)}${drawnNote(bands, voice)}`,
    titles,
    rows,
  });
}

/** Returns the locks with the most refused orders, then the longest, in the order in which they began. */
function foremost(records: readonly LockRecord[], toMs: number): readonly LockRecord[] {
  if (records.length <= MOST_ROWS) return records;
  const lengthMs = (record: LockRecord): number => lockEndMs(record, toMs) - record.lock.beganAtMs;
  return records
    .toSorted((left, right) => right.refused - left.refused || lengthMs(right) - lengthMs(left))
    .slice(0, MOST_ROWS)
    .toSorted((left, right) => left.lock.beganAtMs - right.lock.beganAtMs);
}

function countNote(
  shown: number,
  all: number,
  kept: 'locks.kept' | 'members.kept',
  { t, count, digits }: ReportVoice,
): string {
  if (shown === all) return t('times');
  const some = { all: count(all), shown: digits(String(shown)), kept: t(kept) };
  return `${t('bands.some', some)} ${t('times')}`;
}

function drawnNote({ all, drawn }: Drawn, { t, count }: ReportVoice): string {
  return drawn === all ? '' : ` ${t('bands.drawn', { all: count(all), drawn: count(drawn) })}`;
}
