import { sentence } from '../../language/sentences/sentence.ts';
import { ControlClient } from '../../daemon/control/control-client.ts';
import { LONGEST_BY } from '../../daemon/control/control-command.ts';
import type { ControlCommand } from '../../engine/engine-event.ts';
import { PAUSE, UNTIL_RESUMED_MS } from '../../execution/locks/lock.ts';
import { isDataFolderInUse } from '../../daemon/process-locks/run-locks.ts';
import type { Locale } from '../../language/locale.ts';
import { saidIn } from '../../language/said-in.ts';
import { tamed } from '../text/escape-text.ts';
import { chatTexts } from './chat-replies.ts';
import type { ChatAction } from './answer-chat.ts';

/** A bot that is well takes a command within a tenth of a second; cancels take longer. */
const FOLLOWED_FOR_MS = 5_000;

/** Posts what a person confirmed to the bot, and says what came of it within seconds. Never throws. */
export async function carryOut(
  action: ChatAction,
  of: { readonly dataFolder: string; readonly by: string; readonly locale: Locale },
): Promise<string> {
  const { dataFolder, by, locale } = of;
  const say = chatTexts(locale);
  const said = (message: string): string => saidIn(tamed(message), locale);
  let client: ControlClient | null = null;
  try {
    client = new ControlClient(dataFolder);
    const id = client.post(commandOf(action, by.slice(0, LONGEST_BY - BY_CHAT.length)));
    const begunMs = performance.now();
    const { result, takenAtMs } = await client.follow({
      id,
      isOver: () => performance.now() - begunMs > FOLLOWED_FOR_MS || !isDataFolderInUse(dataFolder),
    });
    if (result !== null)
      return result.ok
        ? say('done_', { message: said(result.message) })
        : say('failed', { message: said(result.message) });
    return takenAtMs === null ? say('waits') : say('underWay');
  } catch (error) {
    return say('failed', { message: said(error instanceof Error ? error.message : String(error)) });
  } finally {
    client?.close();
  }
}

const BY_CHAT = ' by chat';

function commandOf(action: ChatAction, person: string): ControlCommand {
  switch (action.kind) {
    case 'halt':
      return {
        kind: 'halt',
        reason: sentence('by-chat', { person }),
        wholeAccount: false,
      };
    case 'resume':
      return { kind: 'resume' };
    case 'pause':
      return {
        kind: 'lock',
        name: PAUSE,
        strategy: action.strategy,
        market: null,
        reason: sentence('by-hand'),
        untilMs: UNTIL_RESUMED_MS,
        entries: 'cancel',
        pauses: true,
        by: `${person}${BY_CHAT}`,
      };
    case 'resume-one':
      return { kind: 'unlock', name: PAUSE, strategy: action.strategy, market: null, isAll: false };
  }
}
