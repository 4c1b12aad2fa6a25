import { revealChannels } from '../../alerts/alerts-setup.ts';
import { testChannels, type ChannelTest } from '../../alerts/test-channels.ts';
import type { BotConfig } from '../../daemon/create-bot-config.ts';
import { localeOf } from '../../language/locale.ts';
import { notChecked, ok, problem, warning, type CheckFinding } from './check-finding.ts';

/** Not the name of a channel, which is somebody's own: verdicts go into a record that is sent to others. */
const CHECK = 'alert channel';

interface ChannelCheckOptions {
  /** As the configuration says, also where the rest of it can not be used. */
  readonly mode: BotConfig['mode'];
  readonly isWhole: boolean;
  readonly isOffline: boolean;
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
  readonly nowMs: number;
}

/** Sends a test message through every channel of a configuration, and says of each whether it arrived. */
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

/** A service that answers and has trouble may be well again when an alert comes. */
function testFinding({ channel, result, advice }: ChannelTest): CheckFinding {
  if (result.kind === 'delivered') return ok(CHECK, `${channel} took a test message: see that it arrived`);
  const text = `${channel} did not take a test message: ${result.problem}`;
  const isPassing = result.kind === 'retry' && result.answered !== undefined;
  return (isPassing ? warning : problem)(CHECK, text, advice ?? '');
}
