import { dirname, join, resolve } from 'node:path';
import { readStoredAccount } from '../../daemon/account-check.ts';
import { readRun } from '../../daemon/run-record.ts';
import { ledgerOf } from '../../daemon/modes.ts';
import type { BotConfig } from '../../daemon/create-bot-config.ts';
import { type Override, readBotConfig, type BotConfigSources } from '../../daemon/read-bot-config.ts';
import { SarrafError } from '../../domain/errors.ts';
import { neededBudgets } from '../../budget/trading-begins.ts';
import { loadVenue } from '../../venues/load-venue.ts';
import { storedAccount, type AccountHash } from '../../venues/account-reader.ts';
import { ledgerSubjects, knownDevice, knownToken } from '../../venues/client-credentials.ts';
import { checkExchange, plannedReads, type SeenReply } from './check-exchange.ts';
import {
  checkRoom,
  checkWritable,
  checkBackup,
  checkWatchdog,
  checkMachine,
  machineFacts,
} from './check-machine.ts';
import { checkRunning, checkMirrorFile, mirrorFileOf } from './check-mirror-file.ts';
import { checkLedger } from './check-ledger.ts';
import { notChecked, ok, type CheckFinding, warning, problem } from './check-finding.ts';
import { statSync, type Stats, existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { testedVersions } from '../init/write-bot-folder.ts';
import { readLedgerIfAny } from '../../budget/ledger-snapshot.ts';
import { loweredBudgets } from '../../budget/ledger-report.ts';
import { planOfConfigs } from '../plan-of-config.ts';
import { stateFile, stateFolder } from '../../budget/ledger-file.ts';
import { isTokenCurrent } from '../../exchange/session.ts';
import { secondText } from '../../domain/time-text.ts';
import { revealChannels } from '../../alerts/alerts-setup.ts';
import { testChannels, type ChannelTest } from '../../alerts/test-channels.ts';
import { localeOf } from '../../language/locale.ts';

interface DoctorOptions {
  /** Configuration file; null if only the machine is checked. */
  readonly configFile: string | null;
  readonly overrides: readonly Override[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingFolder: string;
  readonly isOffline: boolean;
  /** Longest wait of each request for a slot, in ms. */
  readonly longestWaitMs: number;
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
  readonly nowMs?: () => number;
}

export interface Diagnosis {
  /** Findings in the order in which they block. */
  readonly findings: readonly CheckFinding[];
  readonly requests: { readonly planned: number; readonly sent: number };
  readonly seen: readonly SeenReply[];
  /** Configuration that was checked; null if none could be read. */
  readonly config: BotConfig | null;
}

/** Checks everything that can stop a bot from trading. A running bot stays as it is. */
export async function runDoctor(options: DoctorOptions): Promise<Diagnosis> {
  const { configFile, workingFolder } = options;
  const machine = checkMachine(machineFacts());
  if (configFile === null) {
    const data = join(workingFolder, 'data');
    const findings = [
      ...machine,
      checkWritable('data folder', data),
      ...checkRoom(data),
      ...checkModes({ secret: [join(workingFolder, '.env')], trusted: [] }),
      notChecked('configuration', 'none was named', 'name one: sarraf doctor --config bot.yaml'),
    ];
    return { findings, requests: { planned: 0, sent: 0 }, seen: [], config: null };
  }
  const configuration = checkConfiguration(configFile, options);
  const { config } = configuration;
  if (config === null) {
    const rest = notChecked('everything else', 'the configuration can not be read', null);
    const findings = [...machine, ...configuration.findings, rest];
    return { findings, requests: { planned: 0, sent: 0 }, seen: [], config };
  }
  const diagnosis = await diagnose({ ...configuration, config }, { ...options, configFile });
  const before = [...machine, ...withoutModes(configuration.findings, diagnosis.findings)];
  return { ...diagnosis, findings: [...before, ...diagnosis.findings] };
}

/** Removes findings that `file modes` repeats: a secret file that is open to others is one finding. */
function withoutModes(
  findings: readonly CheckFinding[],
  others: readonly CheckFinding[],
): readonly CheckFinding[] {
  const remedies = new Set(others.filter(({ check }) => check === 'file modes').map(({ remedy }) => remedy));
  return findings.filter(({ remedy }) => remedy === null || !remedies.has(remedy));
}

/**
 * Returns the subjects that the ledger counts. A configuration read without its credentials, as when the
 * variable is set for the bot alone, does not name the account with the order limit; the last run has noted
 * it.
 */
function subjectsOf(
  { exchange, data }: BotConfig,
  { ledgerPath, isWhole }: { readonly ledgerPath: string | null; readonly isWhole: boolean },
): ReadonlySet<string> {
  const note = isWhole ? null : readRun(data.folder).ledger;
  const noted = note !== null && note.ledger === ledgerPath ? note.subjects : [];
  return new Set([...Object.values(ledgerSubjects(exchange)), ...noted]);
}

async function diagnose(
  { config, isWhole }: ConfigurationCheck & { readonly config: BotConfig },
  options: DoctorOptions & { readonly configFile: string },
): Promise<Diagnosis> {
  const { configFile, workingFolder, nowMs = Date.now } = options;
  const { folder } = config.data;
  const logIn = checkLogIn(config, { configFile, nowMs: nowMs() });
  const ledgerPath = ledgerOf(config);
  const venue = await loadVenue(config.exchange.venue);
  const owner = {
    subjects: subjectsOf(config, { ledgerPath, isWhole }),
    budgets: venue.budgetsFor(config.exchange).values(),
    needed: neededBudgets(venue.profileFor(config.exchange)),
    isPaper: config.mode === 'paper',
  };
  const ledger = ledgerPath === null ? { findings: [], silence: null } : await checkLedger(ledgerPath, owner);
  const { mode } = config;
  const mirror = checkMirrorFile(folder, {
    mode,
    strategies: config.strategies.map(({ name }) => name),
    retention: config.data.retention,
    nowMs: nowMs(),
  });
  const file = resolve(workingFolder, configFile);
  const offline = [
    checkWritable('data folder', folder),
    ...checkRoom(folder),
    ...checkModes({
      secret: [
        ...new Set([join(workingFolder, '.env'), join(dirname(file), '.env')]),
        ...logIn.files,
        mirrorFileOf(folder, mode),
        ...OWN_FILES.map((name) => join(folder, name)),
      ],
      trusted: [
        file,
        ...config.strategies.flatMap(({ plugin }) => (plugin.kind === 'file' ? [plugin.path] : [])),
      ],
    }),
    ...checkPackage(dirname(file)),
    ...ledger.findings,
    ...mirror.findings,
    ...(await checkRunning(config)),
    checkWatchdog(config, { mode, configFile }),
    ...checkBackup(config, { mode, nowMs: nowMs() }),
    ...(await checkPlan(config)),
    ...logIn.findings,
  ];
  const exchange = await askExchange(config, {
    ...options,
    isWhole,
    silence: ledger.silence,
    privateSilence: logIn.privateSilence,
    account: { path: mirrorFileOf(folder, mode), account: () => mirror.account },
  });
  const channels = await checkChannels(config, { ...options, mode, isWhole, nowMs: nowMs() });
  return { ...exchange, findings: [...offline, ...exchange.findings, ...channels], config };
}

/** Files of a data folder besides the mirror: commands, access to the page, and alerts. */
const OWN_FILES = [
  'control.sqlite',
  'access.sqlite',
  'dashboard-token',
  'alerts.sqlite',
  'watchdog-alerts.sqlite',
] as const;

interface Asking extends DoctorOptions {
  readonly isWhole: boolean;
  /** Reason nothing may be sent at all; null if allowed. */
  readonly silence: string | null;
  readonly privateSilence: string | null;
  readonly account: { readonly path: string; readonly account: () => string | null };
}

async function askExchange(config: BotConfig, options: Asking): Promise<Omit<Diagnosis, 'config'>> {
  const nothing = { requests: { planned: 0, sent: 0 }, seen: [] };
  const baseUrl = config.mode === 'paper' ? config.paper.baseUrl : config.exchange.baseUrl;
  if (config.mode === 'embedded' || baseUrl === null)
    return {
      ...nothing,
      findings: [ok('exchange', 'it runs in the bot itself: nothing has to be asked')],
    };
  const { name } = config.exchange.venue;
  if (name !== 'service') {
    const text = `doctor does not know the interface of the venue ${name}`;
    return { ...nothing, findings: [notChecked('exchange', text, 'see what its package offers')] };
  }
  if (!options.isWhole) {
    const text = 'nothing is asked before the configuration is right';
    return { ...nothing, findings: [notChecked('exchange', text, 'correct that first')] };
  }
  if (options.isOffline) {
    const text = 'nothing is asked with --offline';
    return { ...nothing, findings: [notChecked('exchange', text, 'run it again without --offline')] };
  }
  if (options.silence !== null) {
    const text = `nothing was sent: ${options.silence}`;
    return { ...nothing, findings: [notChecked('exchange', text, 'run doctor again when that is over')] };
  }
  const planned = plannedReads(config).length;
  options.log(`doctor sends at most ${planned} requests to ${baseUrl}; all of them only read.`);
  const seen: SeenReply[] = [];
  const { stored, findings: damaged } = storedAccountOf(options.account);
  const findings = await checkExchange({ ...options, config, baseUrl, stored, seen });
  return { findings: [...damaged, ...findings], requests: { planned, sent: seen.length }, seen };
}

/** Returns the account of the mirror, if its row can be read. */
function storedAccountOf(mirror: Asking['account']): {
  readonly stored: AccountHash | null;
  readonly findings: readonly CheckFinding[];
} {
  try {
    return { stored: readStoredAccount(mirror), findings: [] };
  } catch (error) {
    if (!(error instanceof SarrafError)) throw error;
    return {
      stored: storedAccount.parse({ salt: '00', hashes: {} }),
      findings: [notChecked('account', error.message)],
    };
  }
}

/** Files that hold secrets or the account's trades, and files that decide what a bot does. */
interface GuardedFiles {
  /** Files that nobody outside this user's group needs to read. */
  readonly secret: readonly string[];
  /** Files that nobody else may write. */
  readonly trusted: readonly string[];
}

const READ_BY_OTHERS = 0o004;
/** Mode bit of others. The group's bit is not checked: the group of many users is theirs alone. */
const WRITTEN_BY_OTHERS = 0o002;

/** Checks that others on this machine cannot read or change guarded files. Missing files are fine. */
export function checkModes({ secret, trusted }: GuardedFiles): readonly CheckFinding[] {
  const readable = secret.filter((path) => hasMode(path, READ_BY_OTHERS));
  const writable = [...secret, ...trusted].filter((path) => hasMode(path, WRITTEN_BY_OTHERS));
  const found = [
    ...readable.map((path) =>
      warning('file modes', `everyone on this machine can read ${path}`, `run chmod 600 ${path}`),
    ),
    ...[...new Set(writable)].map((path) =>
      warning('file modes', `everyone on this machine can change ${path}`, `run chmod o-w ${path}`),
    ),
  ];
  return found.length > 0 ? found : [ok('file modes', 'no file of the bot is open to others')];
}

function hasMode(path: string, mode: number): boolean {
  const stat: Stats | undefined = statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && stat.isFile() && (stat.mode & mode) !== 0;
}

const versions = z.record(z.string(), z.unknown()).default({});
const PACKAGE = z.object({ dependencies: versions, devDependencies: versions, overrides: versions });

/**
 * Checks that the image of a bot's folder can be built: an older `sarraf init` wrote no overrides, without
 * which `npm ci` refuses what `npm install` locked. Returns nothing for a folder that does not install
 * sarraf.
 */
export function checkPackage(
  folder: string,
  needed: Readonly<Record<string, string>> = testedVersions().overrides,
): readonly CheckFinding[] {
  const path = join(folder, 'package.json');
  if (!existsSync(path)) return [];
  let found: z.output<typeof PACKAGE>;
  try {
    found = PACKAGE.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return [notChecked('package', `${path} can not be read as that of npm`, 'see what npm says of it')];
  }
  const { dependencies, devDependencies, overrides } = found;
  if (!('sarraf' in dependencies || 'sarraf' in devDependencies)) return [];
  const missing = Object.entries(needed).filter(([name]) => !(name in overrides));
  if (missing.length === 0) return [ok('package', `${path} has the overrides that "npm ci" needs`)];
  const names = missing.map(([name]) => name).join(', ');
  return [
    warning(
      'package',
      `${path} has no overrides of ${names}: "npm ci" refuses its lock file, so no image is built`,
      `add ${JSON.stringify({ overrides: Object.fromEntries(missing) }).slice(1, -1)} to ${path}, remove package-lock.json and node_modules, and run "npm install"`,
    ),
  ];
}

/** Findings on a configuration, with its settings as far as they could be read. */
interface ConfigurationCheck {
  readonly findings: readonly CheckFinding[];
  /** Configuration; null if it is unusable. If only its credentials are missing, it is here without them. */
  readonly config: BotConfig | null;
  /** True if it is complete, as a run would read it. */
  readonly isWhole: boolean;
}

/** Reads a configuration as a run does: all of its problems at once, and its warnings. */
function checkConfiguration(
  file: string,
  of: Pick<BotConfigSources, 'environment' | 'workingFolder'> & { readonly overrides: readonly Override[] },
): ConfigurationCheck {
  // Without more: doctor's own --offline does not make credentials needless.
  const { environment, workingFolder, overrides } = of;
  const sources = { environment, workingFolder, overrides };
  const reading = readBotConfig(file, sources);
  const remedy = `correct ${file}; docs/reference/configuration.md has every setting`;
  const warnings = reading.warnings.map((text) => warning('configuration', text, warningRemedy(text, file)));
  if (reading.ok) {
    const { mode, instance } = reading.config;
    return {
      findings: [...warnings, ok('configuration', `${file} is right: mode ${mode}, instance ${instance}`)],
      config: reading.config,
      isWhole: true,
    };
  }
  const problems = reading.problems.map((text) => problem('configuration', text, remedy));
  const offline = readBotConfig(file, { ...sources, isOffline: true });
  return {
    findings: [...problems, ...warnings],
    // A live bot must not be checked as if it were a paper bot.
    config: offline.ok ? { ...offline.config, mode: offline.isLive ? 'live' : offline.config.mode } : null,
    isWhole: false,
  };
}

/** Returns the remedy for a warning; most lines of the configuration say themselves what to do. */
function warningRemedy(text: string, file: string): string {
  const [, advice] = /: (run chmod .*)$/.exec(text) ?? [];
  return advice ?? `change it in ${file}: a secret belongs into the environment or a file of its own`;
}

/** Checks that the strategies can be loaded and that their polls fit the limits, as `sarraf plan` does. */
async function checkPlan(config: BotConfig): Promise<readonly CheckFinding[]> {
  try {
    const { plan, strategies, lost } = await planOfConfigs([config], {
      askEmbedded: true,
      named: await namedLimits(config),
    });
    return [
      ...lost.flatMap(({ reasons, isOptional }) =>
        reasons.map((text) =>
          isOptional ? warning('strategies', text, 'the bot starts without it') : strategyProblem(text),
        ),
      ),
      ...(lost.length === 0 ? [ok('strategies', strategies.join(', '))] : []),
      ...plan.problems.map((text) =>
        problem('plan', text, 'ask for fewer markets or older data; "sarraf plan" shows all of it'),
      ),
      ...(plan.problems.length === 0 ? [ok('plan', 'what is polled fits the limits')] : []),
    ];
  } catch (error) {
    if (!(error instanceof SarrafError)) throw error;
    return [strategyProblem(error.message)];
  }
}

const strategyProblem = (text: string): CheckFinding =>
  problem('strategies', text, 'correct the strategy or its place in the configuration');

/** Reads the limits that the exchange has lowered; none if its ledger is unreadable. */
async function namedLimits(config: BotConfig): Promise<ReadonlyMap<string, number>> {
  const path = ledgerOf(config);
  if (path === null) return new Map();
  try {
    const subjects = new Set(Object.values(ledgerSubjects(config.exchange)));
    const lowered = loweredBudgets((await readLedgerIfAny(path)) ?? [], subjects);
    return new Map(lowered.map((each) => [each.budget, each.named]));
  } catch (error) {
    if (error instanceof SarrafError) return new Map();
    throw error;
  }
}

/** Stored state of a user's earlier log-ins, and whether its token is usable. */
interface LogInCheck {
  readonly findings: readonly CheckFinding[];
  /** Reason nothing may be requested with the credential; null if allowed. */
  readonly privateSilence: string | null;
  /** Files that store token and device. */
  readonly files: readonly string[];
}

const NOTHING: LogInCheck = { findings: [], privateSilence: null, files: [] };

/** Checks the state that log-ins of a configuration left. A token or a key has none. */
export function checkLogIn(
  { exchange }: Pick<BotConfig, 'exchange'>,
  { configFile, nowMs }: { readonly configFile: string; readonly nowMs: number },
): LogInCheck {
  const { baseUrl, credentials, ledgerFolder } = exchange;
  if (baseUrl === null || credentials?.kind !== 'login') return NOTHING;
  const of = { folder: stateFolder(ledgerFolder), baseUrl, username: credentials.username };
  const [tokenFile, deviceFile] = [stateFile({ ...of, kind: 'token' }), stateFile({ ...of, kind: 'device' })];
  const problems: string[] = [];
  const { token } = knownToken(tokenFile, (message) => problems.push(message));
  const { device } = knownDevice(deviceFile, (message) => problems.push(message));
  const logIn = `run "sarraf login --config ${configFile}"`;
  const deviceFinding =
    device === undefined
      ? warning(
          'device',
          'the exchange does not know this device yet: the first log-in closes withdrawals for an hour',
          `${logIn} at a time that suits you; it asks for the password, and keeps token and device`,
        )
      : ok('device', 'the exchange knows this device from an earlier log-in');
  const isCurrent = isTokenCurrent(token, nowMs);
  const tokenFinding =
    isCurrent && token !== undefined
      ? ok('log-in', `a token is kept, valid until ${secondText(token.expiresAtMs)} UTC`)
      : notChecked(
          'log-in',
          'no token of an earlier log-in can be used, and doctor does not log in',
          `the next start of the bot logs in; or ${logIn}`,
        );
  return {
    findings: [
      ...problems.map((text) => warning('log-in', text, 'give this user the right to the file')),
      deviceFinding,
      tokenFinding,
    ],
    privateSilence: isCurrent ? null : 'no token of an earlier log-in is kept',
    files: [tokenFile, deviceFile],
  };
}

/** Name of the check; not the channel's, which is private: outcomes go into a record sent to others. */
const CHECK = 'alert channel';

interface ChannelCheckOptions extends Pick<DoctorOptions, 'isOffline' | 'signal' | 'log'> {
  /** Mode in the configuration, even if the rest of it cannot be used. */
  readonly mode: BotConfig['mode'];
  readonly isWhole: boolean;
  readonly nowMs: number;
}

/** Sends a test message through every channel of a configuration, and returns whether each was accepted. */
export async function checkChannels(
  { alerts, language, instance }: Pick<BotConfig, 'alerts' | 'language' | 'instance'>,
  { mode, isWhole, isOffline, signal, log, nowMs }: ChannelCheckOptions,
): Promise<readonly CheckFinding[]> {
  if (!isWhole)
    return [notChecked(CHECK, 'channels are read with the rest of the configuration', 'correct that first')];
  const channels = alerts?.channels ?? [];
  if (channels.length === 0) return [noneFinding(mode)];
  const why = isOffline ? 'was not tried with --offline' : signal.aborted ? 'was not tried any more' : null;
  if (why !== null) {
    const remedy = isOffline ? 'run it again without --offline' : 'run it again';
    return channels.map(({ name }) => notChecked(CHECK, `${name} is configured, and ${why}`, remedy));
  }
  const names = channels.map(({ name }) => name).join(', ');
  log(`doctor sends a test message through each channel of alerts: ${names}.`);
  const voice = { bot: instance, locale: localeOf(language), nowMs };
  return (await testChannels(revealChannels(channels), voice)).map(testFinding);
}

function noneFinding(mode: BotConfig['mode']): CheckFinding {
  return mode === 'live'
    ? warning(
        CHECK,
        'none is configured, so nobody will be told when the bot needs somebody',
        'name one under alerts.channels: docs/alerts.md',
      )
    : ok(CHECK, `none is configured, which is fine in the mode ${mode}`);
}

/** Returns the finding of a test message; a service's own fault may be over when an alert comes. */
function testFinding({ channel, result, advice }: ChannelTest): CheckFinding {
  if (result.kind === 'delivered') return ok(CHECK, `${channel} took a test message: see that it arrived`);
  const text = `${channel} did not take a test message: ${result.problem}`;
  const isPassing = result.kind === 'retry' && result.answered !== undefined;
  return (isPassing ? warning : problem)(CHECK, text, advice ?? '');
}
