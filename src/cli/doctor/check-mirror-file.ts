import { countText } from '../../domain/money.ts';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { BotConfig } from '../../daemon/create-bot-config.ts';
import { mirrorName } from '../../mirror/mirror-path.ts';
import { SarrafError, messageOf } from '../../domain/errors.ts';
import { agoText, secondText } from '../../domain/time-text.ts';
import { readRecord } from '../../engine/stored-records.ts';
import type { StrategyRecord } from '../../records/rows.ts';
import { MirrorReader, type StoredRow, type MirrorSummary } from '../../mirror/mirror-reader.ts';
import type { RetentionLimits } from '../../mirror/pruner.ts';
import { locksNow } from '../../mirror/strategy-status.ts';
import { locksText } from '../order-lines.ts';
import { notChecked, ok, problem, warning, type CheckFinding } from './check-finding.ts';
import { english, sentenceFacts } from '../../language/sentence.ts';
import { createServer } from 'node:net';
import { isLoopbackName } from '../../daemon/allowed-host.ts';
import { dataFolderOwner, isDataFolderInUse } from '../../daemon/process-locks.ts';
import { askHealth, healthAddress } from '../ask-health.ts';
import { CommandError } from '../command-error.ts';

export const mirrorFileOf = (folder: string, mode: BotConfig['mode']): string =>
  join(folder, mirrorName(mode));

/** Result of reading a mirror. */
interface MirrorCheck {
  readonly findings: readonly CheckFinding[];
  /** The mirror's account, as text of its row; null if the mirror knows none. */
  readonly account: string | null;
}

const MEGABYTE = 1_048_576;

/** Opens the mirror to read, also beside a running bot: version, damage, size, and what stops trading. */
export function checkMirrorFile(
  folder: string,
  {
    mode,
    strategies,
    retention,
    nowMs,
  }: {
    readonly mode: BotConfig['mode'];
    /** Names of the strategies in the configuration. */
    readonly strategies: readonly string[];
    readonly retention: RetentionLimits;
    readonly nowMs: number;
  },
): MirrorCheck {
  const path = mirrorFileOf(folder, mode);
  if (!existsSync(path))
    return {
      findings: [ok('mirror', `there is none yet at ${path}: the first start makes it`)],
      account: null,
    };
  try {
    using reader = new MirrorReader(path);
    const summary = reader.summary();
    return {
      findings: [
        sizeFinding(summary, retention),
        // An embedded exchange begins anew with every run, whatever the last one left.
        ...(mode !== 'embedded' || summary.isRunning === true ? stopped(summary.stored, nowMs) : []),
        ...leftCoins(reader.strategies().filter(({ name }) => !strategies.includes(name))),
      ],
      account: reader.account(),
    };
  } catch (error) {
    return { findings: [unreadable(path, error)], account: null };
  }
}

function unreadable(path: string, error: unknown): CheckFinding {
  if (!(error instanceof SarrafError)) throw error;
  const [found, advice] = splitAdvice(error.message);
  if (/locked|BUSY/i.test(error.message))
    return notChecked('mirror', `another process holds ${path}`, 'end the backup or tool that has it open');
  return problem('mirror', found, advice);
}

/** Splits a message of an unusable mirror at its last colon, after which it gives advice. */
function splitAdvice(message: string): readonly [found: string, advice: string] {
  const at = message.lastIndexOf(': ');
  return at < 0
    ? [message, 'see "A damaged mirror" in docs/backup.md']
    : [message.slice(0, at), message.slice(at + 2)];
}

function sizeFinding({ path, counts }: MirrorSummary, retention: RetentionLimits): CheckFinding {
  const bytes = ['', '-wal'].reduce(
    (sum, suffix) => sum + (statSync(path + suffix, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
  const rows = [
    `${counts.fills} of ${retention.fills} fills`,
    countText(counts.orders, 'order'),
    `${counts.journal} of ${retention.journalRows} lines of the journal`,
  ].join(', ');
  return ok('mirror', `${path} is whole: ${(bytes / MEGABYTE).toFixed(1)} MB, ${rows}`);
}

/** Returns findings on coins of strategies that left the configuration, as of the bot's last start. */
function leftCoins(left: readonly StrategyRecord[]): readonly CheckFinding[] {
  return left.flatMap(({ name, reason }) => {
    if (sentenceFacts(reason)?.code !== 'strategy-left-coins') return [];
    const [found = '', ...advice] = (english(reason) ?? '').split(': ');
    return [warning('coins without a strategy', `${name}: ${found}`, advice.join(': '))];
  });
}

/** Returns the states stored by the bot itself that prevent new orders. */
const stopped = (stored: readonly StoredRow[], nowMs: number): readonly CheckFinding[] => [
  ...halts(stored),
  ...refusals(stored, nowMs),
  ...breaks(stored),
  ...locks(stored, nowMs),
];

function halts(stored: readonly StoredRow[]): readonly CheckFinding[] {
  const halted = readRecord(stored, 'control')?.halted ?? null;
  if (halted === null) return [];
  const text = `the bot is halted since ${secondText(halted.sinceMs)} UTC: ${english(halted.reason)}`;
  return [warning('halt', text, 'run "sarraf resume" when it may trade again')];
}

function refusals(stored: readonly StoredRow[], nowMs: number): readonly CheckFinding[] {
  const refused = readRecord(stored, 'credential')?.refused ?? null;
  if (refused === null) return [];
  const text = `the exchange refused ${english(refused.name)} ${agoText(refused.sinceMs, nowMs)}`;
  return [warning('credential of the last run', text, english(refused.advice))];
}

function breaks(stored: readonly StoredRow[]): readonly CheckFinding[] {
  if ((readRecord(stored, 'reconciliation')?.break ?? null) === null) return [];
  const text = 'the books of the last run differ from the exchange, so no new order is placed';
  return [warning('books', text, 'run "sarraf reconcile --explain", which names the rows')];
}

function locks(stored: readonly StoredRow[], nowMs: number): readonly CheckFinding[] {
  const now = locksNow(stored, nowMs);
  if (now.locks.length === 0) return [];
  return [warning('locks', locksText(now), 'wait until they end, or end one with "sarraf unlock"')];
}

/**
 * Checks whether a bot runs in the data folder, and its reports; if none does, checks that its ports are
 * free. Also checks whether others may reach its page.
 */
export async function checkRunning(
  config: Pick<BotConfig, 'data' | 'health' | 'dashboard'>,
): Promise<readonly CheckFinding[]> {
  return [...(await runningOrPorts(config)), ...openPage(config.dashboard)];
}

async function runningOrPorts(
  config: Pick<BotConfig, 'data' | 'health' | 'dashboard'>,
): Promise<readonly CheckFinding[]> {
  const { folder } = config.data;
  let isRunning: boolean;
  try {
    isRunning = isDataFolderInUse(folder);
  } catch (error) {
    const text = `whether a bot runs is not known: ${messageOf(error)}`;
    return [notChecked('running bot', text), ...(await portFindings(config))];
  }
  if (!isRunning) return [ok('running bot', `none has ${folder}`), ...(await portFindings(config))];
  const address = healthAddress(folder);
  const owner = dataFolderOwner(folder);
  const who = owner === null ? 'a bot' : `pid ${owner.pid} on ${owner.host}`;
  if (address === null) return [ok('running bot', `${who} has ${folder}; it serves no health (health.port)`)];
  return readiness(who, `${address}/readyz`);
}

async function readiness(who: string, address: string): Promise<readonly CheckFinding[]> {
  try {
    const { ok: isReady, reasons } = await askHealth(address);
    if (isReady) return [ok('running bot', `${who} can trade, as it says itself`)];
    return reasons.map((reason) =>
      warning(
        'running bot',
        `${who} can not trade now: ${reason}`,
        'docs/trouble.md says what helps; "sarraf status" has more',
      ),
    );
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const text = `${who} does not say how it is: ${error.message}`;
    return [problem('running bot', text, 'look at its log; if it stands still, end it and start it again')];
  }
}

async function portFindings({
  health,
  dashboard,
}: Pick<BotConfig, 'health' | 'dashboard'>): Promise<readonly CheckFinding[]> {
  return [await healthPort(health), await pagePort(dashboard)];
}

async function healthPort({ host, port }: BotConfig['health']): Promise<CheckFinding> {
  if (port === null) return ok('health port', 'off (health.port)');
  if (port === 0) return ok('health port', 'a free one is taken at the start');
  const reason = await whyInUse(host, port);
  if (reason === null) return ok('health port', `${host}:${port} is free`);
  return problem(
    'health port',
    `a bot can not listen at ${host}:${port} (${reason})`,
    otherPort('health.port'),
  );
}

/** Checks the port of the page; one that is not set in the configuration is only tried by a run. */
async function pagePort({ host, port, isPortWritten }: BotConfig['dashboard']): Promise<CheckFinding> {
  if (port === null) return ok('page', 'off (dashboard.port)');
  if (port === 0) return ok('page', 'a free port is taken at the start');
  const reason = await whyInUse(host, port);
  if (reason === null) return ok('page', `${host}:${port} is free`);
  const text = `${host}:${port} is taken (${reason})`;
  return isPortWritten
    ? problem('page', `${text}, so the run ends`, otherPort('dashboard.port'))
    : warning('page', `${text}, so the page takes the next free port`, otherPort('dashboard.port'));
}

/** Checks that a page that others can reach has TLS: without it they could read its tokens. */
function openPage({ host, port, insecure, tls }: BotConfig['dashboard']): readonly CheckFinding[] {
  if (port === null || !insecure || tls !== null || isLoopbackName(host)) return [];
  return [
    warning(
      'page',
      `other machines reach it at ${host} without TLS: who listens on the way reads its tokens`,
      'set dashboard.tls, or listen at 127.0.0.1 and use a tunnel: docs/dashboard.md',
    ),
  ];
}

const otherPort = (setting: string): string =>
  `end the program that listens there (ss -ltnp), or set another ${setting}`;

/** Listens for a moment where the bot will; returns why it cannot, or null. */
async function whyInUse(host: string, port: number): Promise<string | null> {
  const server = createServer();
  const error = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
    server.once('error', resolve).listen({ host, port, exclusive: true }, () => resolve(null));
  });
  if (error !== null) return error.code ?? error.message;
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return null;
}
