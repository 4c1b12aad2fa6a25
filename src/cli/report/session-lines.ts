import { countText } from '../../domain/money-text.ts';
import { durationText, secondText } from '../../domain/time-text.ts';
import { unprotectedText } from '../../daemon/left-text.ts';
import { shownMoney } from '../../backtest/report/value-text.ts';
import type { LiveSession, ResultHead } from '../../backtest/result/result-schema.ts';
import { tableLines, type TableColumn } from '../table.ts';

const COLUMNS: readonly TableColumn[] = [
  { title: 'strategy' },
  { title: 'status' },
  { title: 'profit', align: 'right' },
  { title: 'of closed trades', align: 'right' },
  { title: 'fees', align: 'right' },
  { title: 'trades', align: 'right' },
  { title: 'fills', align: 'right' },
];

/** Lines about what the mirror does not know: all of them are on the page. */
const MOST_CAVEATS = 20;

/** Lists data of a live session besides its figures: strategies, pauses, open items, unknown items. */
export function sessionLines({ session, summary, fidelity }: ResultHead): readonly string[] {
  if (session === null) return [];
  const money = (text: string): string => shownMoney(text, summary.quote);
  const rows = session.strategies.map(({ name, status, profit, tradesProfit, fees, trades, fills }) => [
    name,
    status,
    money(profit),
    money(tradesProfit),
    money(fees),
    String(trades),
    String(fills),
  ]);
  return [
    '',
    ...tableLines(COLUMNS, rows),
    '',
    `Last sign of life ${secondText(session.aliveUntilMs)} UTC. ${pausesText(session)}`,
    ...openLines(session),
    '',
    'What the mirror does not know',
    ...fidelity.caveats.slice(0, MOST_CAVEATS).map((caveat) => `  ${caveat}`),
  ];
}

function pausesText({ pauses }: LiveSession): string {
  if (pauses.length === 0) return 'No pause between lives is known.';
  const allMs = pauses.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  return `It did not run ${countText(pauses.length, 'time', 'times')}, ${durationText(allMs)} in all.`;
}

function openLines({ openOrders, positions }: LiveSession): readonly string[] {
  const unprotected = positions.filter((position) => position.unprotected !== '0');
  return [
    `${countText(openOrders.length, 'open order')}, ${countText(positions.length, 'position')}.`,
    ...unprotected.map(unprotectedText),
  ];
}
