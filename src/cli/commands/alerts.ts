import { existsSync } from 'node:fs';
import { Command, InvalidArgumentError, Option } from 'commander';
import { revealChannels } from '../../alerts/alerts-setup.ts';
import { testChannels, type ChannelTest } from '../../alerts/test-channels.ts';
import { AlertOutbox, type ListedAlert } from '../../alerts/alert-outbox.ts';
import { openOutboxFile, outboxPath } from '../../alerts/outbox-file.ts';
import { alertText } from '../../alerts/alert-text.ts';
import { agoText } from '../../domain/time-text.ts';
import { LANGUAGES, localeOf, type Language } from '../../language/locale.ts';
import { checkBotFolder, dataOption, integerOption, type DataFolderOptions } from '../option-readers.ts';
import { failed, wrongInput } from '../command-error.ts';
import { personName } from '../api/command-io.ts';
import { readConfig } from '../read-config.ts';
import { print, rowLines } from '../table.ts';

interface ListOptions extends DataFolderOptions {
  readonly open?: true;
  readonly last: number;
  readonly language: Language;
}

interface TestOptions {
  readonly config: string;
  readonly channel?: string;
  readonly json?: true;
}

const MOST_LISTED = 5_000;

const LIST_HELP = `
Exit codes: 0 listed, 1 the outbox can not be read, 2 an option is wrong.

Examples:
  sarraf alerts list
  sarraf alerts list --open --data /data
  sarraf alerts list --last 100 --json`;

const ACK_HELP = `
It is not escalated and not said again. What it is about stays as it is.
Exit codes: 0 acknowledged, 1 there is none of that id, or it was acknowledged before.

Examples:
  sarraf alerts ack 12
  sarraf alerts ack 12 --data /data`;

const TEST_HELP = `
Exit codes: 0 every channel took it, 1 one did not, 2 the configuration is wrong.

Examples:
  sarraf alerts test --config bot.yaml
  sarraf alerts test --config bot.yaml --channel telegram --json`;

/** Runs `work` with the outbox of a data folder; returns `otherwise` if there is none. */
function withOutbox<Result>(data: string, work: (outbox: AlertOutbox) => Result, otherwise: Result): Result {
  checkBotFolder(data);
  if (!existsSync(outboxPath(data))) return otherwise;
  using outbox = new AlertOutbox(openOutboxFile(data));
  return work(outbox);
}

function list({ data, open, last, language, json }: ListOptions): void {
  const filter = { isOpenOnly: open === true, last, beforeId: null };
  const alerts = withOutbox<readonly ListedAlert[]>(data, (outbox) => outbox.list(filter), []);
  const locale = localeOf(language);
  const texts = alerts.map((alert) => ({ alert, text: alertText(alert.facts, locale) }));
  const nowMs = Date.now();
  const nothing = open === true ? 'No open alerts.' : 'No alerts yet.';
  const value = { alerts: texts.map(({ alert, text }) => ({ ...alert, text })) };
  print({ json }, value, () =>
    alerts.length === 0
      ? nothing
      : rowLines(texts, {
          '>id': ({ alert }) => String(alert.id),
          severity: ({ alert }) => alert.severity,
          since: ({ alert }) => agoText(alert.openedAtMs, nowMs),
          state: ({ alert: { endedAtMs, acknowledgedBy: by } }) =>
            endedAtMs !== null ? 'over' : by === null ? 'OPEN' : `seen by ${by}`,
          told: ({ alert }) =>
            alert.deliveries
              .map(({ channel, state }) => (state === 'delivered' ? channel : `${channel} ${state}`))
              .join(', '),
          what: ({ text }) => text.replaceAll('\n', '; '),
        }),
  );
}

function readId(text: string): number {
  const [, digits] = /^#?(\d{1,15})$/.exec(text) ?? [];
  if (digits === undefined) throw new InvalidArgumentError('expected the id of an alert, such as 12.');
  return Number(digits);
}

function acknowledge(id: number, { data, json }: { readonly data: string; readonly json?: true }): void {
  const { by = 'somebody' } = personName();
  const isNew = withOutbox(data, (outbox) => outbox.acknowledge(id, { by, atMs: Date.now() }), false);
  if (!isNew)
    throw failed(`expected an alert that nobody has acknowledged, was ${id}: see "sarraf alerts list"`);
  print({ json }, { acknowledged: id, by }, () => `acknowledged #${id}`);
}

function testLines({ channel, result, advice }: ChannelTest): readonly string[] {
  if (result.kind === 'delivered') return [`${channel}: delivered`];
  return [`${channel}: NOT delivered: ${result.problem}`, `  -> ${advice}`];
}

async function sendTest({ config: file, channel: only, json }: TestOptions): Promise<void> {
  const { alerts, language, instance } = readConfig(file);
  const all = revealChannels(alerts?.channels ?? []);
  const channels = all.filter(({ name }) => only === undefined || name === only);
  if (channels.length === 0) {
    const names = all.map(({ name }) => name).join(', ');
    throw wrongInput(
      only === undefined
        ? `expected channels under alerts.channels of ${file}, was none`
        : `expected one of ${names === '' ? 'alerts.channels, which is empty' : names} as --channel, was ${only}`,
    );
  }
  const tests = await testChannels(channels, {
    bot: instance,
    locale: localeOf(language),
    nowMs: Date.now(),
  });
  const results = tests.map(({ channel, result, advice }) => ({ channel, ...result, advice }));
  print({ json }, { results }, () => tests.flatMap(testLines));
  const missing = tests.filter(({ advice }) => advice !== null).map(({ channel }) => channel);
  if (missing.length > 0) throw failed(`not delivered by ${missing.join(', ')}`);
}

const ofFolder = (command: Command): Command =>
  command.addOption(dataOption("the bot's data folder")).option('--json', 'prints one JSON object');

export function alertsCommand(): Command {
  return new Command('alerts')
    .description('Lists and acknowledges alerts, and tests the channels that they are sent by.')
    .addHelpText(
      'after',
      '\nExamples:\n  sarraf alerts list --open\n  sarraf alerts ack 12\n  sarraf alerts test --config bot.yaml',
    )
    .addCommand(
      ofFolder(new Command('list'))
        .description('Lists alerts, the newest first, and who was told.')
        .option('--open', 'only those that hold')
        .option('--last <count>', 'only so many, the newest', integerOption(1, MOST_LISTED), 20)
        .addOption(new Option('--language <code>', 'of the texts').choices(LANGUAGES).default('en'))
        .addHelpText('after', LIST_HELP)
        .action(list)
        .exitOverride(),
    )
    .addCommand(
      ofFolder(new Command('ack'))
        .description('Acknowledges an alert: nobody else is told of it, and it is not said again.')
        .argument('<id>', 'its id, as messages and the list have it', readId)
        .addHelpText('after', ACK_HELP)
        .action(acknowledge)
        .exitOverride(),
    )
    .addCommand(
      new Command('test')
        .description('Sends a test message through every channel of a configuration.')
        .requiredOption('--config <file>', 'configuration of the bot')
        .option('--channel <name>', 'only through this one')
        .option('--json', 'prints one JSON object')
        .addHelpText('after', TEST_HELP)
        .action(sendTest)
        .exitOverride(),
    );
}
