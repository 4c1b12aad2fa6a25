import type { Locale } from '../language/locale.ts';
import { closingAsync } from '../domain/closing.ts';
import { testMessage } from './text/message-text.ts';
import type { SendResult, SendFailure } from './channels/channel.ts';
import { channelKind, openChannel } from './channels/open-channel.ts';
import type { RevealedChannel } from './alerts-setup.ts';

/** Outcome of a test message in one channel. */
export interface ChannelTest {
  readonly channel: string;
  readonly result: SendResult;
  /** Advice on what to do; null if it was delivered. */
  readonly advice: string | null;
}

/** Sends a test message through all channels at once. Each result comes in time, and contains no secret. */
export async function testChannels(
  channels: readonly RevealedChannel[],
  { nowMs, ...voice }: { readonly bot: string; readonly locale: Locale; readonly nowMs: number },
): Promise<readonly ChannelTest[]> {
  const message = testMessage(voice, nowMs);
  return Promise.all(
    channels.map(async (settings) => {
      await using channel = closingAsync(await openChannel(settings));
      const result = await channel.send(message);
      const advice = result.kind === 'delivered' ? null : channelAdvice(settings, result);
      return { channel: settings.name, result, advice };
    }),
  );
}

/** Returns what to do about a channel that did not accept a message. Repeats none of its settings. */
export function channelAdvice(settings: RevealedChannel, { kind, answered, movedTo }: SendFailure): string {
  if (movedTo !== undefined)
    return `set chat: ${movedTo}, which is the id of the group since it is a supergroup`;
  if (answered === undefined) return adviceToReach(settings);
  if (kind === 'retry') return 'try it again later: the service has trouble, or takes no more just now';
  return channelKind(settings.kind).advice(answered);
}

/** Returns advice if the service itself did not answer: none, late, or from a machine in between. */
function adviceToReach(settings: RevealedChannel): string {
  if ('host' in settings)
    return 'see host, port and isSecure (true for port 465), and whether this machine may connect there';
  if ('apiRoot' in settings)
    return settings.proxy === null
      ? 'this machine does not reach the service itself: set apiRoot to a mirror of its API, or a proxy'
      : 'see whether the proxy runs and reaches it, or set apiRoot to a mirror of its API';
  return settings.proxy === null
    ? 'see whether url is right and this machine reaches it, or set a proxy'
    : 'see whether url is right, and whether the proxy runs and reaches it';
}
