import { messageOf } from '../../domain/errors.ts';
import { createServer } from 'node:net';
import type { BotConfig } from '../../daemon/create-bot-config.ts';
import { isLoopbackName } from '../../daemon/allowed-host.ts';
import { dataFolderOwner, isDataFolderInUse } from '../../daemon/run-locks.ts';
import { askHealth, healthAddress } from '../ask-health.ts';
import { CommandError } from '../command-error.ts';
import { notChecked, ok, problem, warning, type CheckFinding } from './check-finding.ts';

/**
 * Checks if a bot has the data folder, and its reports; if none has, checks that its ports are free. Also
 * checks if others may reach its page.
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
  const taken = await whyTaken(host, port);
  if (taken === null) return ok('health port', `${host}:${port} is free`);
  return problem(
    'health port',
    `a bot can not listen at ${host}:${port} (${taken})`,
    otherPort('health.port'),
  );
}

/** A port that nobody wrote down is only tried by a run. */
async function pagePort({ host, port, isPortWritten }: BotConfig['dashboard']): Promise<CheckFinding> {
  if (port === null) return ok('page', 'off (dashboard.port)');
  if (port === 0) return ok('page', 'a free port is taken at the start');
  const taken = await whyTaken(host, port);
  if (taken === null) return ok('page', `${host}:${port} is free`);
  const text = `${host}:${port} is taken (${taken})`;
  return isPortWritten
    ? problem('page', `${text}, so the run ends`, otherPort('dashboard.port'))
    : warning('page', `${text}, so the run goes on without its page`, otherPort('dashboard.port'));
}

/** A page that others reach without TLS shows them its tokens. */
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

/** Tries to listen, for a moment, where the bot will; null where it can. */
async function whyTaken(host: string, port: number): Promise<string | null> {
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
