import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import type { Override } from '../../daemon/read-bot-config.ts';
import { interruption, MACHINE_IO, type CommandIo } from '../api/command-io.ts';
import { CommandError, FAILED, wrongInput } from '../command-error.ts';
import { runDoctor, type Diagnosis } from '../doctor/run-doctor.ts';
import { dataOption, durationOption, overrideOption, withoutDataOfEnvironment } from '../option-readers.ts';
import type { CheckFinding, CheckVerdict } from '../doctor/check-finding.ts';
import { writePrivateFile } from '../../configuration/secret-file.ts';
import { createScrubber } from '../../daemon/redact.ts';
import type { BotConfig } from '../../daemon/create-bot-config.ts';
import { isAnonymous } from '../../exchange/authenticator.ts';
import type { Endpoint } from '../../exchange/request-types.ts';
import { ENDPOINTS } from '../../exchange/endpoints.ts';
import { VERSION } from '../../exchange/version.ts';
import { secretsOf } from '../../venues/client-credentials.ts';
import { anonymousReply, Pseudonyms } from '../doctor/anonymous-reply.ts';
import type { SeenReply } from '../doctor/check-exchange.ts';

interface Options {
  readonly config?: string;
  readonly set: readonly Override[];
  readonly data?: string;
  readonly offline?: true;
  readonly wait: number;
  readonly record?: string;
  readonly json?: true;
}

/** Longest wait in ms: after a restart or with a new ledger most limits count as full for a minute. */
const LONGEST_WAIT_MS = 90_000;

const HELP = `
Without --config it checks the machine. With one it checks all that a run needs, the first that
would stop it first: machine, configuration, data folder, disk, file modes, ledger, mirror, ports,
watchdog, backup, plan, log-in; then, with at most nine requests that only read, the exchange:
address, clock, credential, permissions, account, markets, a book, money.

Last it SENDS A TEST MESSAGE through each channel of alerts, and waits at most 20 s for them.
--offline sends none, and asks the exchange nothing.

The requests count in the ledger that the bot uses, and keep to its limits. None is sent during a
lockout. It places no order and logs nobody in. It may run beside the bot.

--record writes the replies to a file that you can send to somebody who helps: tokens, names,
addresses, numbers, ids and unknown texts are replaced. Look at it before you send it.

Exit codes: 0 no problem (warnings are none), 1 a problem, 2 an option is wrong.

Examples:
  sarraf doctor
  sarraf doctor --config bot.yaml
  sarraf doctor --config bot.yaml --offline --json
  sarraf doctor --config bot.yaml --record replies.json`;

function overridesOf({ data, set, config }: Options): readonly Override[] {
  if (config === undefined && (set.length > 0 || data !== undefined))
    throw wrongInput('expected --config beside --set and --data, was none');
  return data === undefined ? set : [['data.folder', JSON.stringify(resolve(data))], ...set];
}

function checkRecord({ record, config, offline }: Options): void {
  if (record === undefined) return;
  if (config === undefined) throw wrongInput('expected --config beside --record, was none');
  if (offline === true)
    throw wrongInput('expected --record or --offline, were both: offline there are no replies to record');
}

function print(diagnosis: Diagnosis, options: Options, io: CommandIo): void {
  const { findings, requests } = diagnosis;
  const hasProblem = findings.some(({ verdict }) => verdict === 'problem');
  if (options.json === true) io.out(JSON.stringify({ ok: !hasProblem, requests, checks: findings }));
  else io.out(doctorLines(findings).join('\n'));
}

async function diagnose(options: Options, io: CommandIo): Promise<void> {
  checkRecord(options);
  const overrides = overridesOf(options);
  using end = interruption();
  end.arm();
  const diagnosis = await runDoctor({
    configFile: options.config ?? null,
    overrides,
    environment: io.environment,
    workingFolder: io.workingFolder,
    isOffline: options.offline === true,
    longestWaitMs: options.wait,
    signal: end.signal,
    log: (line) => io.log(line),
  });
  print(diagnosis, options, io);
  if (options.record !== undefined) keep(options.record, diagnosis, io);
  const problems = diagnosis.findings.filter(({ verdict }) => verdict === 'problem').length;
  if (problems > 0)
    throw new CommandError(problems === 1 ? 'there is a problem' : `there are ${problems} problems`, FAILED);
}

function keep(file: string, { seen, findings, config }: Diagnosis, io: CommandIo): void {
  const path = resolve(io.workingFolder, file);
  writePrivateFile(path, recordText(seen, { findings, credentials: config?.exchange.credentials ?? null }));
  io.log(`${seen.length} replies are in ${path}, without what is yours; look at it before you send it.`);
}

export function doctorCommand(io: CommandIo = MACHINE_IO): Command {
  return new Command('doctor')
    .description('Checks what would keep a bot from trading, and says for each thing what to do.')
    .option('--config <file>', 'configuration of the bot, such as bot.yaml')
    .option('--set <path=value>', 'overrides one value of the configuration; repeatable', overrideOption, [])
    .addOption(dataOption('folder of the mirror, instead of the configured one', null))
    .option('--offline', 'sends nothing, and checks only what needs no answer of the exchange')
    .addOption(
      new Option('--wait <time>', 'longest wait of each request for its limit')
        .argParser(durationOption)
        .default(LONGEST_WAIT_MS, '90s'),
    )
    .option('--record <file>', 'writes the replies of the exchange to a file, without what is yours')
    .option('--json', 'prints one JSON object')
    .addHelpText('after', HELP)
    .action(async (options: Options, command: Command) =>
      diagnose(options.config === undefined ? withoutDataOfEnvironment(options, command) : options, io),
    );
}

const VERDICTS: readonly CheckVerdict[] = ['problem', 'warning', 'not checked', 'ok'];

/** Returns lines for people: each finding with its remedy below, and the count of each outcome at the end. */
function doctorLines(findings: readonly CheckFinding[]): readonly string[] {
  const width = Math.max(...VERDICTS.map(({ length }) => length));
  const margin = ' '.repeat(width + 2);
  const lines = findings.flatMap(({ check, verdict, text, remedy }) => [
    `${verdict.padEnd(width)}  ${check}: ${indented(text, margin)}`,
    ...(remedy === null ? [] : [`${margin}-> ${indented(remedy, margin)}`]),
  ]);
  const counts = VERDICTS.map((verdict) => [
    verdict,
    findings.filter((finding) => finding.verdict === verdict).length,
  ])
    .filter(([, count]) => count !== 0)
    .map(([verdict, count]) => `${count} ${verdict}`);
  return [...lines, '', counts.join(', ')];
}

/** Indents a text of several lines below its finding. */
const indented = (text: string, margin: string): string => text.replaceAll('\n', `\n${margin}   `);

const NOTE =
  'Replies that "sarraf doctor --record" got. Tokens, names, addresses, numbers of people, ids and texts that the interface does not name are replaced, equal ones alike; of amounts only the length is left.';

/** Returns the text of a record of `doctor --record`: replies and outcomes, without any identity. */
export function recordText(
  seen: readonly SeenReply[],
  of: {
    readonly findings: readonly CheckFinding[];
    readonly credentials: BotConfig['exchange']['credentials'];
  },
): string {
  const pseudonyms = new Pseudonyms();
  const replies = seen.map(({ method, path, sentMs, receivedMs, reply, error }) => {
    const [place = path] = path.split('?', 1);
    return {
      request: `${method} ${place}`,
      tookMs: receivedMs - sentMs,
      error,
      reply: reply === null ? null : anonymousReply(reply, { isPublic: isPublic(method, place), pseudonyms }),
    };
  });
  const record = {
    format: 'sarraf-doctor-1',
    note: NOTE,
    sarraf: VERSION,
    node: process.versions.node,
    system: process.platform,
    // Texts of findings may contain paths and names, so they are left out.
    checks: of.findings.map(({ check, verdict }) => ({ check, verdict })),
    replies,
  };
  return createScrubber(secretsOf(of.credentials))(`${JSON.stringify(record, null, 2)}\n`);
}

function isPublic(method: string, place: string): boolean {
  return (Object.values(ENDPOINTS) as readonly Endpoint[]).some(
    (endpoint) => endpoint.method === method && endpoint.path === place && isAnonymous(endpoint.access),
  );
}
