import { createServer } from 'node:net';
import type { BotConfig } from '../../daemon/settings/create-bot-config.ts';
import { dataFolderOwner, isDataFolderInUse } from '../../daemon/process-locks/run-locks.ts';
import { askHealth, healthAddress } from '../ask-health.ts';
import { CommandError } from '../command-error.ts';
import { notChecked, ok, problem, warning, type CheckFinding } from './check-finding.ts';

/** Whether a bot has the data folder, what it says of itself, and whether the port of its health is free. */
export async function checkRunning(
  config: Pick<BotConfig, 'data' | 'health'>,
): Promise<readonly CheckFinding[]> {
  const { folder } = config.data;
  let isRunning: boolean;
  try {
    isRunning = isDataFolderInUse(folder);
  } catch (error) {
    const text = `whether a bot runs is not known: ${error instanceof Error ? error.message : String(error)}`;
    return [notChecked('running bot', text), await portFinding(config.health)];
  }
  if (!isRunning) return [ok('running bot', `none has ${folder}`), await portFinding(config.health)];
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
        'docs/operate.md says what helps; "sarraf status" has more',
      ),
    );
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const text = `${who} does not say how it is: ${error.message}`;
    return [problem('running bot', text, 'look at its log; if it stands still, end it and start it again')];
  }
}

/** Tries to listen, for a moment, where the bot will. */
async function portFinding({ host, port }: BotConfig['health']): Promise<CheckFinding> {
  if (port === null) return ok('health port', 'off (health.port)');
  if (port === 0) return ok('health port', 'a free one is taken at the start');
  const server = createServer();
  const error = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
    server.once('error', resolve).listen({ host, port, exclusive: true }, () => resolve(null));
  });
  if (error === null) {
    await new Promise((resolve) => {
      server.close(resolve);
    });
    return ok('health port', `${host}:${port} is free`);
  }
  return problem(
    'health port',
    `a bot can not listen at ${host}:${port} (${error.code ?? error.message})`,
    'end the program that listens there (ss -ltnp), or set another health.port',
  );
}
