import { Option, type Command } from 'commander';
import { formatUnits } from '../../domain/money.ts';
import { parsedJson, readStored } from '../../domain/stored-json.ts';
import { agoText, clockText } from '../../domain/time-text.ts';
import { storedLogLine } from '../../engine/mirror-change.ts';
import { BALANCE_ROWS, FILL_ROWS, INTENT_ROWS } from '../../mirror/record-tables.ts';
import type { IntentFilter } from '../../mirror/row-pages.ts';
import type { BalanceRecord, IntentRecord } from '../../records/rows.ts';
import { wrongInput } from '../command-error.ts';
import { fillLines, manualNameOf, reasonText } from '../order-lines.ts';
import { filterOf, mirrorCommand, readMirror, withFilters, type FilterOptions } from '../read-mirror.ts';
import { print, rowLines } from '../table.ts';
import type { DataFolderOptions } from '../option-readers.ts';

const freeOf = ({ total, held }: BalanceRecord): string => formatUnits(total - held);

function listBalances(options: DataFolderOptions & { readonly all?: true }): void {
  const found = readMirror(options, (reader) => reader.balances());
  const shown = options.all === true ? found : found.filter(({ total, held }) => total !== 0n || held !== 0n);
  const empty = found.length - shown.length;
  const nowMs = Date.now();
  print(
    options,
    { balances: shown.map((balance) => ({ ...BALANCE_ROWS.stored(balance), free: freeOf(balance) })) },
    () => [
      ...rowLines(shown, {
        currency: ({ currency }) => currency,
        '>total': ({ total }) => formatUnits(total),
        '>held': ({ held }) => formatUnits(held),
        '>free': freeOf,
        read: ({ seenAtMs }) => agoText(seenAtMs, nowMs),
      }),
      ...(empty === 0 ? [] : [`and ${empty} empty ${empty === 1 ? 'wallet' : 'wallets'}, which --all shows`]),
    ],
  );
}

export function balancesCommand(): Command {
  return mirrorCommand('balances', {
    description:
      'Shows the wallets as they were last read. "Held" is what orders and withdrawals have reserved.',
    examples: '  sarraf balances\n  sarraf balances --all --json',
  })
    .option('--all', 'shows empty wallets too')
    .action(listBalances);
}

function listTrades(options: FilterOptions): void {
  const { fills, manual } = readMirror(options, (reader) => ({
    fills: reader.fills(filterOf(options)),
    manual: reader.manualOrders(),
  }));
  print(
    options,
    {
      trades: fills.map((fill) => ({ ...FILL_ROWS.stored(fill), manualOrder: manualNameOf(fill, manual) })),
    },
    () => (fills.length === 0 ? ['No such trades.'] : fillLines(fills, { nowMs: Date.now(), manual })),
  );
}

export function tradesCommand(): Command {
  const command = mirrorCommand('trades', {
    description: 'Lists the trades of the account, newest last, with the currency of each fee.',
    examples: '  sarraf trades\n  sarraf trades --market BTCIRT --last 10 --json',
  });
  return withFilters(command, 50).action(listTrades);
}

interface IntentOptions extends FilterOptions {
  readonly state: IntentFilter['status'];
  readonly log?: true;
}

const STATES: readonly IntentFilter['status'][] = ['all', 'working', 'done', 'refused'];

const INTENT_EXAMPLES = `  sarraf intents
  sarraf intents --state refused --strategy grid
  sarraf intents --last 5 --json
  sarraf intents --log --strategy grid`;

/** Lists lines that strategies wrote with `log` of their context, instead of their intents. */
function listLog(options: IntentOptions): void {
  const { strategy, market, last } = filterOf(options);
  if (market !== null)
    throw wrongInput('expected --log without --market: a line of a log is of a strategy, not of a market');
  const logged = readMirror(options, (reader) => reader.lines('log', { strategy, last }));
  const lines = logged.map(({ seq, atMs, subject, json }) => {
    const { text, fields } = readStored(storedLogLine, json, `line ${seq} of the journal`);
    return { atMs, strategy: subject, text, fields };
  });
  const nowMs = Date.now();
  print(options, { log: lines }, () =>
    lines.length === 0
      ? ['No strategy logged anything.']
      : rowLines(lines, {
          'time (UTC)': ({ atMs }) => clockText(atMs, nowMs),
          strategy: (line) => line.strategy,
          line: ({ text }) => text,
          fields: ({ fields }) => (fields === null ? '' : JSON.stringify(fields)),
        }),
  );
}

/** Writes the state of an intent, and what became of its approval. */
function stateText({ status, approval, decidedBy }: IntentRecord): string {
  if (approval === null || approval === 'exempt') return status;
  return `${status}, ${approval}${decidedBy === null ? '' : ` by ${decidedBy}`}`;
}

function listIntents(options: IntentOptions): void {
  if (options.log === true) {
    listLog(options);
    return;
  }
  const intents = readMirror(options, (reader) =>
    reader.intents({ ...filterOf(options), status: options.state }),
  );
  const nowMs = Date.now();
  print(
    options,
    {
      intents: intents.map((intent) => {
        const { json, ...rest } = INTENT_ROWS.stored(intent);
        return { ...rest, intent: parsedJson(json) };
      }),
    },
    () =>
      intents.length === 0
        ? ['No such intents.']
        : rowLines(intents, {
            'time (UTC)': ({ atMs }) => clockText(atMs, nowMs),
            intent: ({ id }) => id,
            strategy: ({ strategy }) => strategy,
            kind: ({ kind }) => kind,
            market: ({ market }) => market ?? '',
            state: stateText,
            why: ({ reason }) => reasonText(reason),
          }),
  );
}

export function intentsCommand(): Command {
  const command = mirrorCommand('intents', {
    description: 'Lists the intents of the strategies and their outcome, newest last.',
    examples: INTENT_EXAMPLES,
  })
    .addOption(new Option('--state <state>', 'only in this state').choices(STATES).default('all'))
    .option('--log', 'lists what the strategies logged instead');
  return withFilters(command, 50).action(listIntents);
}
