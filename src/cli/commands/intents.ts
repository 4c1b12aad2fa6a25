import { parsedJson, readStored } from '../../domain/stored-json.ts';
import { Option, type Command } from 'commander';
import { storedLogLine } from '../../engine/mirror-change.ts';
import {
  filterOf,
  mirrorCommand,
  print,
  readMirror,
  withFilters,
  type FilterOptions,
} from '../read-mirror.ts';
import { wrongInput } from '../command-error.ts';
import { rowLines } from '../table.ts';
import { clockText } from '../../domain/time-text.ts';
import { reasonText } from '../order-lines.ts';
import type { IntentFilter } from '../../mirror/row-pages.ts';

interface Options extends FilterOptions {
  readonly state: IntentFilter['status'];
  readonly log?: true;
}

const STATES: readonly IntentFilter['status'][] = ['all', 'working', 'done', 'refused'];

const EXAMPLES = `  sarraf intents
  sarraf intents --state refused --strategy grid
  sarraf intents --last 5 --json
  sarraf intents --log --strategy grid`;

/** Lists lines that strategies wrote with `log` of their context, instead of their intents. */
function listLog(options: Options): void {
  const { strategy, market, last } = filterOf(options);
  if (market !== null)
    throw wrongInput('expected --log without --market: a line of a log is of a strategy, not of a market');
  const logged = readMirror(options, (reader) => reader.logLines({ strategy, last }));
  const lines = logged.map(({ seq, atMs, subject, json }) => {
    const { text, fields } = readStored(storedLogLine, json, `line ${seq} of the journal`);
    return { atMs, strategy: subject, text, fields };
  });
  const nowMs = Date.now();
  print(options, {
    json: { log: lines },
    lines: () =>
      lines.length === 0
        ? ['No strategy logged anything.']
        : rowLines(lines, {
            'time (UTC)': ({ atMs }) => clockText(atMs, nowMs),
            strategy: (line) => line.strategy,
            line: ({ text }) => text,
            fields: ({ fields }) => (fields === null ? '' : JSON.stringify(fields)),
          }),
  });
}

function listIntents(options: Options): void {
  if (options.log === true) {
    listLog(options);
    return;
  }
  const intents = readMirror(options, (reader) =>
    reader.intents({ ...filterOf(options), status: options.state }),
  );
  const nowMs = Date.now();
  print(options, {
    json: { intents: intents.map(({ json, ...rest }) => ({ ...rest, intent: parsedJson(json) })) },
    lines: () =>
      intents.length === 0
        ? ['No such intents.']
        : rowLines(intents, {
            'time (UTC)': ({ atMs }) => clockText(atMs, nowMs),
            intent: ({ id }) => id,
            strategy: ({ strategy }) => strategy,
            kind: ({ kind }) => kind,
            market: ({ market }) => market ?? '',
            state: ({ status }) => status,
            why: ({ reason }) => reasonText(reason),
          }),
  });
}

export function intentsCommand(): Command {
  const command = mirrorCommand('intents', {
    description: 'Lists the intents of the strategies and their outcome, newest last.',
    examples: EXAMPLES,
  })
    .addOption(new Option('--state <state>', 'only in this state').choices(STATES).default('all'))
    .option('--log', 'lists what the strategies logged instead');
  return withFilters(command, 50).action((options: Options) => listIntents(options));
}
