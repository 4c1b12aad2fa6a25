import { formatUnits } from '../../domain/money.ts';
import { parsedJson } from '../../domain/stored-json.ts';
import { harmless } from '../../domain/money.ts';
import { Argument, Option, type Command } from 'commander';
import { otherFeesOf, type FillRecord } from '../../records/fill.ts';
import type { ReplyRecord } from '../../engine/mirror-change.ts';
import { ORDER_LABELS, type OrderRecord } from '../../records/order.ts';
import { indentedJson } from '../../language/indented-json.ts';
import { FILL_ROWS, ORDER_ROWS } from '../../mirror/record-tables.ts';
import type { MirrorReader } from '../../mirror/mirror-reader.ts';
import { failed, wrongInput } from '../command-error.ts';
import { fillLines, orderLines, unitsText, reasonText } from '../order-lines.ts';
import { filterOf, mirrorCommand, readMirror, withFilters, type FilterOptions } from '../read-mirror.ts';
import { print, tableLines } from '../table.ts';
import { clockText } from '../../domain/time-text.ts';
import type { JournalLine, OrderFilter } from '../../mirror/row-pages.ts';

interface Options extends FilterOptions {
  readonly state: OrderFilter['state'];
  readonly replies?: true;
}

const STATES: readonly OrderFilter['state'][] = [
  'open',
  'all',
  'planned',
  'sending',
  'unknown',
  'cancelling',
  'settling',
  'filled',
  'cancelled',
  'rejected',
];

const EXAMPLES = `  sarraf orders
  sarraf orders --state all --strategy market-maker --last 50
  sarraf orders bot-ma-cross-k3x9-1c
  sarraf orders bot-ma-cross-k3x9-1c --replies`;

/** Maximum number of lines of the journal, and most fills, that are shown of one order. */
const MOST_DETAILS = 1_000;

function listOrders(options: Options): void {
  if (options.replies === true) throw wrongInput('expected --replies with the name of an order');
  const orders = readMirror(options, (reader) =>
    reader.orders({ ...filterOf(options), state: options.state }),
  );
  const nothing =
    options.state === 'open' ? 'No open orders. --state all shows the closed ones too.' : 'No such orders.';
  print(options, { orders: orders.map((order) => ORDER_ROWS.stored(order)) }, () =>
    orders.length === 0 ? [nothing] : orderLines(orders, Date.now()),
  );
}

interface OrderDetails {
  readonly order: OrderRecord;
  readonly fills: readonly FillRecord[];
  readonly journal: readonly JournalLine[];
  /** Original replies of the exchange, oldest first. */
  readonly replies: readonly ReplyRecord[];
}

function detailsOf(reader: MirrorReader, order: OrderRecord): OrderDetails {
  const filter = { strategy: null, market: null, last: MOST_DETAILS };
  return {
    order,
    fills: reader.fills({ ...filter, orderKey: order.key }),
    journal: reader.journalOf(order.key, MOST_DETAILS),
    replies: reader.replies(order.key),
  };
}

/** Returns lines for one reply, from a gateway that may send anything; `isWhole`: with its body. */
function replyLines(reply: ReplyRecord, { nowMs, isWhole }: DetailOptions): readonly string[] {
  const { step, atMs, endpoint, httpStatus, body, bodyLength, problem } = reply;
  const unused = problem === null ? '' : `, not used: ${problem}`;
  const head = `${clockText(atMs, nowMs)}  ${step}  ${endpoint}, HTTP ${httpStatus}${unused}`;
  const cut = body.length < bodyLength ? [`… of ${bodyLength} characters`] : [];
  const lines = isWhole ? [head, ...indentedJson(body).split(/\r?\n/), ...cut, ''] : [head];
  return lines.map(harmless);
}

interface DetailOptions {
  readonly nowMs: number;
  readonly isWhole: boolean;
}

/** Returns the best prices that the bot knew when it planned an order. */
function arrivalText({ arrivalBid, arrivalAsk }: OrderRecord): string {
  if (arrivalBid === null && arrivalAsk === null) return '';
  return `bid ${unitsText(arrivalBid) || 'none'}, ask ${unitsText(arrivalAsk) || 'none'}`;
}

function detailLines({ order, fills, journal, replies }: OrderDetails, options: DetailOptions): string[] {
  const { nowMs, isWhole } = options;
  const time = (timeMs: number | null): string => (timeMs === null ? '' : clockText(timeMs, nowMs));
  const facts: readonly (readonly [string, string])[] = [
    ['order', order.key],
    ['state', order.state],
    ['strategy', order.strategy],
    ['intent', order.intentId],
    ...ORDER_LABELS.map((label) => [label, order[label] ?? ''] as const),
    ['exit', order.exit ?? ''],
    ['what', `${order.side} ${unitsText(order.amount)} ${order.market}, ${order.execution}`],
    ['price', unitsText(order.price)],
    ['stop price', unitsText(order.stopPrice)],
    [
      'filled',
      `${unitsText(order.filled)} for ${unitsText(order.filledTotal)}, fee ${[
        unitsText(order.fee),
        ...[...otherFeesOf(fills)].map(([currency, fee]) => `${formatUnits(fee)} ${currency}`),
      ].join(' and ')}`,
    ],
    ['at the exchange', [order.venueId ?? 'no id', order.venueStatus ?? ''].join(' ').trim()],
    ['other leg', order.pairKey ?? ''],
    ['planned', time(order.plannedAtMs)],
    ['best prices then', arrivalText(order)],
    [
      'sent',
      order.sentAtMs === null
        ? ''
        : `${time(order.sentAtMs)}${order.attempts > 1 ? `, ${order.attempts} times` : ''}`,
    ],
    ['closed', time(order.closedAtMs)],
    ['reason', reasonText(order.reason)],
  ];
  const width = Math.max(...facts.map(([name]) => name.length));
  return [
    ...facts.filter(([, value]) => value !== '').map(([name, value]) => `${name.padEnd(width)}  ${value}`),
    ...(fills.length === 0 ? [] : ['', 'Trades', ...fillLines(fills, { nowMs, manual: new Map() })]),
    '',
    'Journal',
    ...tableLines(
      ['time (UTC)', '>line', 'kind', 'what'],
      journal.map((line) => [time(line.atMs), String(line.seq), line.kind, line.json]),
    ),
    ...(replies.length === 0
      ? []
      : [
          '',
          isWhole ? 'Replies of the exchange, as they came' : 'Replies of the exchange; --replies shows them',
          ...replies.flatMap((reply) => replyLines(reply, options)),
        ]),
  ];
}

function showOrder(name: string, options: Options): void {
  const details = readMirror(options, (reader) =>
    reader.order(name).map((order) => detailsOf(reader, order)),
  );
  if (details.length === 0)
    throw failed(
      `expected an order ${name} in ${options.data}, found none: "sarraf orders --state all" lists them`,
    );
  const shown = { nowMs: Date.now(), isWhole: options.replies === true };
  print(
    options,
    {
      orders: details.map(({ order, fills, journal, replies }) => ({
        ...ORDER_ROWS.stored(order),
        trades: fills.map((fill) => FILL_ROWS.stored(fill)),
        journal: journal.map(({ json, ...line }) => ({ ...line, entry: parsedJson(json) })),
        replies,
      })),
    },
    () => details.flatMap((each, index) => [...(index === 0 ? [] : ['', '']), ...detailLines(each, shown)]),
  );
}

export function ordersCommand(): Command {
  const command = mirrorCommand('orders', {
    description: 'Lists the orders of this bot, or shows one with its trades and journal.',
    examples: EXAMPLES,
  })
    .addArgument(new Argument('[order]', 'an order to show, by its clientOrderId or its id at the exchange'))
    .addOption(
      new Option('--state <state>', 'only in this state; open: not ended').choices(STATES).default('open'),
    )
    .option('--replies', 'with an order: what the exchange said of it, as it came');
  return withFilters(command, 100).action((name: string | undefined, options: Options) =>
    name === undefined ? listOrders(options) : showOrder(name, options),
  );
}
