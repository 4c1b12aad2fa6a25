import { Option, type Command } from 'commander';
import type { IntentRecord } from '../../engine/mirror-change.ts';
import type { IntentFilter } from '../../mirror/mirror-reader.ts';
import {
  filterOf,
  mirrorCommand,
  parsedJson,
  print,
  readMirror,
  withFilters,
  type FilterOptions,
} from '../read-mirror.ts';
import { tableLines, type Column } from '../table.ts';
import { clockText } from '../time-text.ts';

interface Options extends FilterOptions {
  readonly state: IntentFilter['status'];
}

const STATES: readonly IntentFilter['status'][] = ['all', 'working', 'done', 'refused'];

const EXAMPLES = `  sarraf intents
  sarraf intents --state refused --strategy grid
  sarraf intents --last 5 --json`;

const COLUMNS: readonly Column[] = [
  { title: 'time (UTC)' },
  { title: 'intent' },
  { title: 'strategy' },
  { title: 'kind' },
  { title: 'market' },
  { title: 'state' },
  { title: 'why' },
];

function rowOf(intent: IntentRecord, nowMs: number): string[] {
  const { id, strategy, atMs, kind, market, status, reason } = intent;
  return [clockText(atMs, nowMs), id, strategy, kind, market ?? '', status, reason ?? ''];
}

function listIntents(options: Options): void {
  const intents = readMirror(options, (reader) => reader.intents({ ...filterOf(options), status: options.state }));
  const nowMs = Date.now();
  print(options, {
    json: { intents: intents.map(({ json, ...rest }) => ({ ...rest, intent: parsedJson(json) })) },
    lines: () =>
      intents.length === 0
        ? ['No such intents.']
        : tableLines(
            COLUMNS,
            intents.map((intent) => rowOf(intent, nowMs)),
          ),
  });
}

/** `sarraf intents`: what the strategies wanted, and what became of it. */
export function intentsCommand(): Command {
  const command = mirrorCommand('intents', {
    description: 'Lists what the strategies wanted and what became of it, newest last.',
    examples: EXAMPLES,
  }).addOption(new Option('--state <state>', 'only in this state').choices(STATES).default('all'));
  return withFilters(command, 50).action((options: Options) => listIntents(options));
}
