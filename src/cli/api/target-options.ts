import { Option, type Command } from 'commander';
import { durationOption, integerOption } from '../option-readers.ts';
import { isPaged, type Call } from './call-catalogue.ts';

const MOST_PAGES = 1_000;

/** Options of every command that calls the exchange. */
export function withTarget(
  command: Command,
  tokenFile = 'file with the token, used instead of the credentials of the configuration',
): Command {
  return command
    .option('--config <file>', 'configuration of a bot, whose exchange, credentials and ledger are used')
    .option('--address, --url <url>', 'address of the exchange, instead of a configuration')
    .option('--token-file <file>', tokenFile)
    .option('--ledger-folder <folder>', 'where the ledgers are, with --url (default: that of this user)')
    .option(
      '--wait <time>',
      'how long it may wait for its limit (default: 5m for reads, 30s for others)',
      durationOption,
    )
    .option('--json', 'prints the reply as one JSON document');
}

/** Flags of a command that are fields of its call, by field: `{ callbackURL: '--callback <url>' }`. */
type FieldFlags = Readonly<Record<string, string>>;

/** Options that are fields of a call, described as its declaration does. */
export function withFields(command: Command, { fields }: Call, flags: FieldFlags): Command {
  for (const { name, note, takes } of fields) {
    const text = (note ?? takes).replace(/\.$/, '');
    const flag = flags[name];
    if (flag !== undefined) command.option(flag, text.charAt(0).toLowerCase() + text.slice(1));
  }
  return command;
}

export function typedFields(options: object, flags: FieldFlags): Readonly<Record<string, unknown>> {
  const typed = new Map(Object.entries(options));
  return Object.fromEntries(
    Object.entries(flags).map(([name, flag]) => [name, typed.get(new Option(flag).attributeName())]),
  );
}

/** The same with what the call's own nature asks for. */
export function withCallOptions(command: Command, call: Call): Command {
  withTarget(command).option('--dry-run', 'shows the request and sends nothing');
  if (call.effect === 'moves') command.option('--yes', 'does not ask; for scripts');
  if (!isPaged(call)) return command;
  return command
    .option('--all', 'reads every page, and prints one list')
    .addOption(
      new Option('--max-pages <number>', 'with --all: how many it may read')
        .argParser(integerOption(1, MOST_PAGES))
        .default(100),
    );
}
