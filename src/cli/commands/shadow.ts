import type { Command } from 'commander';
import { CAUSES, fillDifference, fillText, type Difference } from '../../backtest/difference.ts';
import {
  readShadows,
  SAME_DECISION_MS,
  type OrderPair,
  type ShadowComparison,
} from '../../daemon/compare-shadow.ts';
import { ControlClient } from '../../daemon/control-client.ts';
import { isDataFolderInUse } from '../../daemon/process-locks.ts';
import { readShadowNotes } from '../../daemon/shadow-note.ts';
import { countText, formatUnits, moneyText } from '../../domain/money.ts';
import { secondText } from '../../domain/time-text.ts';
import { decimalsOf } from '../../exchange/market-names.ts';
import { english } from '../../language/sentence.ts';
import { personName } from '../api/command-io.ts';
import { failed, wrongInput } from '../command-error.ts';
import { followCommand } from '../follow-command.ts';
import { checkBotFolder, type DataFolderOptions } from '../option-readers.ts';
import { mirrorCommand, readMirror } from '../read-mirror.ts';
import { print, rowLines } from '../table.ts';

/** Maximum number of differences that are printed for people, and as JSON. */
const MOST_PRINTED = 10;
const MOST_LISTED = 500;

type Listed = Pick<Difference, 'what' | 'cause' | 'atMs' | 'session' | 'again' | 'why'>;

/** Returns what differs in a pair of orders, with its cause as in parity; `session` is the bot's side. */
function differenceOf([live, shadow]: OrderPair): Listed | null {
  if (live !== null && shadow !== null) {
    const found = fillDifference(live, shadow, { market: undefined, toleranceMs: SAME_DECISION_MS });
    return found === null
      ? null
      : { what: 'fill', ...found, session: fillText(live), again: fillText(shadow) };
  }
  const { order } = live ?? shadow;
  const text = `${order.side} ${formatUnits(order.amount)} ${order.market}`;
  return {
    what: 'order',
    cause: 'code',
    atMs: order.plannedAtMs,
    session: live === null ? null : text,
    again: live === null ? text : null,
    why: live === null ? 'only the shadow placed it' : 'the shadow did not place it',
  };
}

/** Returns a comparison with its differences, newest first, in place of its orders. */
function listed({ pairs, ...comparison }: ShadowComparison) {
  const all = pairs.flatMap((pair) => differenceOf(pair) ?? []);
  const causes = CAUSES.flatMap((cause) => {
    const count = all.filter((one) => one.what === 'fill' && one.cause === cause).length;
    return count === 0 ? [] : [[cause, count] as const];
  });
  return {
    ...comparison,
    fillCauses: Object.fromEntries(causes),
    differences: all.toSorted((left, right) => right.atMs - left.atMs).slice(0, MOST_LISTED),
  };
}

function showShadows(only: string | undefined, options: DataFolderOptions): void {
  const all = readMirror(options, (live) => readShadows(options.data, live));
  const compared = all.filter(({ name }) => only === undefined || name === only).map(listed);
  if (only !== undefined && compared.length === 0)
    throw failed(`expected a shadow called ${only} in ${options.data}, was none: "sarraf shadow" lists them`);
  print(options, { shadows: compared }, () =>
    compared.length === 0
      ? 'There is no shadow: "shadow" of a strategy in the configuration makes one (docs/shadow.md).'
      : compared.flatMap(linesOf),
  );
}

function linesOf({ sinceMs, live, shadow, isPromoted, ...of }: ReturnType<typeof listed>): readonly string[] {
  const money = (text: string | null): string =>
    text === null || live.currency === null ? 'unknown' : moneyText(text, decimalsOf(live.currency));
  const { ahead, same, onlyLive, onlyShadow, fillCauses, differences } = of;
  const causes = Object.entries(fillCauses).map(([cause, count]) => `${cause} ${count}`);
  return [
    `${shadow.strategy} beside ${live.strategy} since ${secondText(sinceMs)} UTC${isPromoted ? ', promoted: each has the code and params of the other' : ''}`,
    ...rowLines([live, shadow], {
      strategy: ({ strategy }) => strategy,
      money: ({ strategy }) => (strategy === live.strategy ? 'the bot' : 'on paper'),
      '>profit': ({ profit }) => money(profit),
      in: ({ currency }) => currency ?? '',
      '>orders': ({ orders }) => String(orders),
      '>fills': ({ fills }) => String(fills),
    }),
    `Profit of the shadow less that of ${live.strategy}: ${money(ahead)}. Orders of both: ${same}; only of ${live.strategy}: ${onlyLive}; only of the shadow: ${onlyShadow}.`,
    ...(causes.length === 0 ? [] : [`Orders of both that filled otherwise, by cause: ${causes.join(', ')}.`]),
    ...differences
      .slice(0, MOST_PRINTED)
      .map(
        ({ atMs, session, again, why }) =>
          `  ${secondText(atMs)}  bot: ${session ?? 'nothing'}  shadow: ${again ?? 'nothing'}  (${why})`,
      ),
    ...(differences.length > MOST_PRINTED
      ? [`  … ${countText(differences.length - MOST_PRINTED, 'more difference')}; --json has them`]
      : []),
  ];
}

export function shadowCommand(): Command {
  return mirrorCommand('shadow', {
    description: 'Compares strategies with their shadows: orders, fills and profit since the same moment.',
    examples: '  sarraf shadow\n  sarraf shadow grid-2 --data /data --json',
  })
    .argument('[name]', 'only this shadow')
    .action(showShadows);
}

interface PromoteOptions extends DataFolderOptions {
  readonly undo?: true;
}

async function promote(shadow: string, { data, json, undo }: PromoteOptions): Promise<void> {
  checkBotFolder(data);
  const note = readShadowNotes(data).get(shadow);
  if (note === undefined)
    throw wrongInput(`expected the name of a shadow of ${data}, was ${shadow}: "sarraf shadow" lists them`);
  if (!isDataFolderInUse(data))
    throw failed(`no bot runs with ${data}: start it, and promote the shadow while it runs`);
  using client = new ControlClient(data);
  const act = undo === true ? 'undo' : 'promote';
  const id = client.post({
    kind: 'promote',
    act,
    shadow,
    strategy: note.of,
    setups: '',
    ...personName(),
  });
  const followed = await followCommand({ client, id, data });
  if (followed.kind !== 'done')
    throw failed('the bot did not answer: see whether it is well with "sarraf health"');
  const { ok, message } = followed.result;
  if (!ok) throw failed(english(message));
  print({ json }, { shadow, strategy: note.of, act, result: followed.result }, () => english(message));
}

export function promoteCommand(): Command {
  return mirrorCommand('promote', {
    description: 'Gives a strategy the code and params of its shadow, while the bot goes on.',
    examples: '  sarraf promote grid-2\n  sarraf promote grid-2 --undo',
  })
    .argument('<shadow>', 'name of the shadow, as "sarraf shadow" shows it')
    .option('--undo', 'gives both what they had before')
    .action(promote);
}
