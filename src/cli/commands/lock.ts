import { Command, InvalidArgumentError } from 'commander';
import { LONGEST_REASON } from '../../daemon/control-command.ts';
import type { MarketSymbol } from '../../domain/market-symbol.ts';
import { bothTimesText, readTehranTime } from '../../domain/zone-time.ts';
import { BY_HAND, type EntryPolicy } from '../../engine/lock.ts';
import { wrongInput } from '../command-error.ts';
import { dataOption, marketOption } from '../option-readers.ts';
import { personName } from '../confirm.ts';
import {
  checkTarget,
  entriesOption,
  lockLengthOption,
  lockNameOption,
  LONGEST_LOCK_MS,
  postLock,
  type LockTarget,
} from '../post-lock.ts';

interface Options extends LockTarget {
  readonly for?: number;
  readonly until?: number;
  readonly name: string;
  readonly reason: string;
  readonly entries: EntryPolicy;
}

const EXAMPLES = `
Orders that only reduce a position pass. Nothing is sold. Resting orders that add risk are canceled,
unless --entries keep is given. A second lock of the same name and scope only makes the first longer.
Without a running bot the next start takes the lock before it places anything.
Exit codes: 0 it holds, or waits for the next start; 1 the bot could not take it; 2 an option is wrong.

Examples:
  sarraf lock BTCIRT --for 2h --reason "news"
  sarraf lock --strategy grid --for 1d
  sarraf lock --all --until "1405/01/13 18:00"
  sarraf lock BTCIRT --strategy grid --until 2026-04-02T14:30:00Z --name news --entries keep`;

function untilOption(text: string): number {
  const read = readTehranTime(text);
  if (read.ok) return read.atMs;
  throw new InvalidArgumentError(`${read.problem}.`);
}

function untilOf(options: Options, nowMs: number): number {
  if ((options.for === undefined) === (options.until === undefined))
    throw wrongInput('expected --for such as 2h, or --until such as "1405/01/13 18:00": one of them');
  const untilMs = options.until ?? nowMs + (options.for ?? 0);
  if (untilMs > nowMs && untilMs <= nowMs + LONGEST_LOCK_MS) return untilMs;
  throw wrongInput(
    `expected an end from now to 366 days on, was ${bothTimesText(untilMs)}; now it is ${bothTimesText(nowMs)}`,
  );
}

async function run(market: MarketSymbol | undefined, options: Options): Promise<void> {
  checkTarget(market, options, '');
  const { strategy = null, name, reason, entries } = options;
  if (reason.length > LONGEST_REASON)
    throw wrongInput(`expected a --reason of at most ${LONGEST_REASON} characters`);
  const untilMs = untilOf(options, Date.now());
  const lock = { name, strategy, market: market ?? null, reason, untilMs, entries };
  await postLock({ kind: 'lock', ...lock, ...personName() }, options);
}

export function lockCommand(): Command {
  return new Command('lock')
    .description('Stops new risk in a market, of a strategy or in all, for a while.')
    .argument('[market]', 'the market, such as BTCIRT', marketOption)
    .option('--for <time>', 'how long, such as 30m, 2h or 1d', lockLengthOption)
    .option(
      '--until <time>',
      'until when, such as "1405/01/13 18:00" or 2026-04-02T18:00 in Tehran',
      untilOption,
    )
    .option('--strategy <name>', 'this strategy alone')
    .option('--all', 'every market of every strategy')
    .option('--name <name>', 'what refusals call it', lockNameOption, BY_HAND)
    .option('--reason <text>', 'reason, which refusals and "sarraf locks" show', 'by hand')
    .addOption(entriesOption())
    .addOption(dataOption("the bot's data folder"))
    .option('--json', 'prints one JSON object')
    .addHelpText('after', EXAMPLES)
    .action(run);
}
