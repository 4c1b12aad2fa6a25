import { z } from 'zod';
import type { ChannelTransport, SendResult } from './channel.ts';
import { httpPost, openDispatcher, resultOf, type HttpReply } from './http-post.ts';
import { plainText } from './plain-text.ts';

const reply = z.object({ status: z.string(), dev_message: z.string().optional() });

/** Words of a status that say that it may be tried again. */
const BUSY = /TOO|LIMIT|BUSY|INTERNAL|ERROR/;

/** Rubika answers 200 also where it refuses: the body says it. */
function rubikaResult(answer: HttpReply): SendResult {
  const outer = resultOf(answer);
  if (outer.kind !== 'delivered') return outer;
  const read = z.string().transform((text, context) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      context.addIssue({ code: 'custom', message: 'no JSON' });
      return z.NEVER;
    }
  });
  const body = reply.safeParse(read.safeParse(answer.text).data);
  if (!body.success)
    return { kind: 'retry', afterMs: answer.retryAfterMs, problem: 'the service answered without a status' };
  const { status, dev_message: more } = body.data;
  if (status === 'OK') return { kind: 'delivered' };
  const problem = `the service answered ${status}${more === undefined ? '' : `: ${more}`}`;
  return BUSY.test(status)
    ? { kind: 'retry', afterMs: answer.retryAfterMs, problem, answered: answer.status }
    : { kind: 'refused', problem, answered: answer.status };
}

/** Sends texts to one chat of Rubika by its API for bots. It has no pictures and no buttons here. */
export function createRubikaTransport(options: {
  readonly token: string;
  readonly chat: string;
  readonly apiRoot: string;
  readonly proxy: string | null;
}): ChannelTransport {
  const { token, chat, apiRoot, proxy } = options;
  const dispatcher = openDispatcher(proxy);
  return {
    async deliver(message, signal) {
      const answer = await httpPost({
        url: `${apiRoot}/${encodeURIComponent(token)}/sendMessage`,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          chat_id: chat,
          text: plainText(message),
          disable_notification: message.severity === 'info',
        }),
        dispatcher,
        signal,
      });
      return rubikaResult(answer);
    },
    close: async () => dispatcher.close(),
  };
}
