import { countText, groupedText } from '../../../domain/money-text.ts';
import { durationText, secondText } from '../../../domain/time-text.ts';
import type { LiveSession, ResultHead } from '../../result/result-schema.ts';
import { numberText, percentText, shownMoney } from '../value-text.ts';
import { tableSection } from './table-section.ts';

/** Rows of each table; `summary.json` has all. */
const MOST_ROWS = 100;

const RUNNING = new Map<boolean | null, string>([
  [true, 'The bot was running when this was written.'],
  [false, 'The bot was not running when this was written.'],
  [null, 'It is not known whether the bot was running.'],
]);

/** What each strategy of a live session has made; nothing of a backtest. */
export function strategiesSection({ session, summary }: ResultHead): string {
  if (session === null || session.strategies.length === 0) return '';
  const money = (text: string): string => shownMoney(text, summary.quote);
  const rows = session.strategies
    .slice(0, MOST_ROWS)
    .map((one) => [
      one.name,
      one.reason === null ? one.status : `${one.status}: ${one.reason}`,
      money(one.profit),
      money(one.tradesProfit),
      money(one.fees),
      one.openTrades === 0 ? String(one.trades) : `${one.trades} and ${one.openTrades} open`,
      percentText(one.winRate),
      groupedText(String(one.orders)),
      groupedText(String(one.fills)),
      numberText(one.orderRequestsPerFill),
    ]);
  const alive = `Its last sign of life is of ${secondText(session.aliveUntilMs)}.`;
  return tableSection({
    id: 'strategies',
    title: 'Strategies',
    note: `${RUNNING.get(session.isRunning) ?? ''} ${alive} Profit is what its fills brought, at the last prices, less what they took. Times are UTC.${moreText(session.strategies)}`,
    titles: [
      'Strategy',
      'Status',
      'Profit',
      'Of closed trades',
      'Fees',
      'Trades',
      'Won',
      'Orders',
      'Fills',
      'Order requests a fill',
    ],
    rows,
  });
}

/** Orders and positions that are open at the end of a live session; nothing of a backtest. */
export function openSection({ session }: ResultHead): string {
  if (session === null) return '';
  const { openOrders, positions } = session;
  const held = positions.map(({ strategy, asset, held: amount, unprotected }) => [
    strategy,
    `position in ${asset}`,
    amount,
    '',
    unprotected === '0' ? 'protected' : `no stop order or OCO covers ${unprotected}`,
  ]);
  const resting = openOrders
    .slice(0, MOST_ROWS)
    .map(({ strategy, market, side, execution, amount, price, stopPrice, state, key, tag, exit }) => [
      strategy,
      `${market} ${side}, ${execution.replace('_', ' ')}`,
      amount,
      [price ?? '', stopPrice === null ? '' : `once ${groupedText(stopPrice)}`].map(asText).join(' ').trim(),
      [state, key, exit, tag].filter((part) => part !== null).join(', '),
    ]);
  if (held.length + resting.length === 0) return '';
  const unprotected = positions.filter((position) => position.unprotected !== '0').length;
  const warning =
    unprotected === 0
      ? ''
      : ` ${countText(unprotected, 'position has', 'positions have')} a part that nothing protects.`;
  return tableSection({
    id: 'open',
    title: 'Open at the end',
    note: `${countText(openOrders.length, 'order')}, ${countText(positions.length, 'position')}.${warning}${moreText(openOrders)}`,
    titles: ['Strategy', 'What', 'Amount', 'Price', 'How it stands'],
    rows: [...held, ...resting],
  });
}

const asText = (price: string): string => (/^[\d.]+$/.test(price) ? groupedText(price) : price);

/** When the bot of a live session did not run; nothing where it always did. */
export function pausesSection({ session }: ResultHead): string {
  if (session === null || session.pauses.length === 0) return '';
  const { pauses } = session;
  const longest = pauses.toSorted((left, right) => lengthOf(right) - lengthOf(left)).slice(0, MOST_ROWS);
  const allMs = pauses.reduce((sum, pause) => sum + lengthOf(pause), 0);
  const rows = longest
    .toSorted((left, right) => left.fromMs - right.fromMs)
    .map((pause) => [secondText(pause.fromMs), secondText(pause.toMs), durationText(lengthOf(pause))]);
  return tableSection({
    id: 'pauses',
    title: 'When the bot did not run',
    note: `${countText(pauses.length, 'pause')}, ${durationText(allMs)} in all, from the last sign of life to when strategies began again.${moreText(pauses)}`,
    titles: ['From', 'Until', 'For'],
    rows,
  });
}

function lengthOf({ fromMs, toMs }: LiveSession['pauses'][number]): number {
  return toMs - fromMs;
}

function moreText(all: readonly unknown[]): string {
  return all.length <= MOST_ROWS
    ? ''
    : ` Of ${groupedText(String(all.length))} rows ${MOST_ROWS} are here; summary.json has all.`;
}
