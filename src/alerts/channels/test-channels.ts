import type { Locale } from '../../language/locale.ts';
import { testMessage } from '../text/message-text.ts';
import { channelAdvice } from './channel-advice.ts';
import type { SendResult } from './channel.ts';
import { openChannel } from './open-channel.ts';
import type { RevealedChannel } from './revealed-channel.ts';

/** Outcome of a test message in one channel. */
export interface ChannelTest {
  readonly channel: string;
  readonly result: SendResult;
  /** Advice on what to do; null if it was delivered. */
  readonly advice: string | null;
}

/** Sends a test message through channels, all at once. Each answers in time, and says no secret. */
export async function testChannels(
  channels: readonly RevealedChannel[],
  { nowMs, ...voice }: { readonly bot: string; readonly locale: Locale; readonly nowMs: number },
): Promise<readonly ChannelTest[]> {
  const message = testMessage(voice, nowMs);
  return Promise.all(
    channels.map(async (settings) => {
      const channel = await openChannel(settings);
      try {
        const result = await channel.send(message);
        const advice = result.kind === 'delivered' ? null : channelAdvice(settings, result);
        return { channel: settings.name, result, advice };
      } finally {
        await channel.close();
      }
    }),
  );
}
