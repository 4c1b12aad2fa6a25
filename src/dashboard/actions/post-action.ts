import type { z } from 'zod';
import { SarrafError } from '../../domain/errors.ts';
import { english, sentence, sentenceFacts } from '../../language/sentence.ts';
import type { ControlCommand } from '../../engine/engine-event.ts';
import { PAUSE, UNTIL_RESUMED_MS } from '../../engine/lock.ts';
import { positionText } from '../../daemon/by-hand-text.ts';
import { LONGEST_BY } from '../../daemon/control-command.ts';
import { ApiError, onOneLine } from '../api-error.ts';
import type { BotFolderReader } from '../folder/bot-folder-reader.ts';
import { askedMarket } from '../readers/market-replies.ts';
import type {
  ActionReply,
  ActionStateReply,
  cancelBody,
  closeBody,
  haltBody,
  lockBody,
  orderBody,
  positionBody,
  pauseBody,
  resumeBody,
  unlockBody,
} from '../schema/action.ts';
import {
  cancelWork,
  closeWork,
  costlessWork,
  costOf,
  haltWork,
  lockWork,
  placeWork,
  type PlannedWork,
} from './action-cost.ts';
import type { MirrorReader } from '../../mirror/mirror-reader.ts';

interface Action {
  readonly key: string;
  readonly dryRun: boolean;
  readonly command: ControlCommand;
  readonly cost: (reader: MirrorReader) => PlannedWork;
  /** True if the action is useless while no bot runs: it would be executed at a time that nobody chose. */
  readonly needsBot: boolean;
}

/** The id of what was done before it was answered, and left no command: commands count from 1. */
export const DONE_AT_ONCE = 0;

/** Returns the author of a command, for locks and the journal. */
export function byText(name: string): string {
  return `${onOneLine(name)} (page)`.slice(0, LONGEST_BY);
}

/**
 * Turns what the page asks for into commands of the control database, the same ones that the command line
 * gives. Nothing here asks the exchange for anything.
 */
export class PostAction {
  private readonly folder: BotFolderReader;
  private readonly nowMs: () => number;

  constructor(folder: BotFolderReader, nowMs: () => number = Date.now) {
    this.folder = folder;
    this.nowMs = nowMs;
  }

  halt({ key, dryRun, reason }: z.output<typeof haltBody>): ActionReply {
    return this.carryOut({
      key,
      dryRun,
      command: { kind: 'halt', reason: onOneLine(reason), wholeAccount: false },
      cost: haltWork,
      needsBot: false,
    });
  }

  resume({ key, dryRun, strategy }: z.output<typeof resumeBody>): ActionReply {
    const command: ControlCommand =
      strategy === null
        ? { kind: 'resume' }
        : { kind: 'unlock', name: PAUSE, strategy, market: null, isAll: false };
    const text =
      strategy === null ? 'This ends the halt: the bot trades again.' : `This ends the pause of ${strategy}.`;
    return this.carryOut({ key, dryRun, command, cost: () => costlessWork(text), needsBot: false });
  }

  pause(body: z.output<typeof pauseBody>, by: string): ActionReply {
    const { key, dryRun, strategy, forMs, reason, entries } = body;
    const untilMs = forMs === null ? UNTIL_RESUMED_MS : Math.floor(this.nowMs() + forMs);
    const scope = { strategy, market: null };
    return this.carryOut({
      key,
      dryRun,
      command: {
        kind: 'lock',
        name: PAUSE,
        ...scope,
        reason: onOneLine(reason),
        untilMs,
        entries,
        pauses: true,
        by: byText(by),
      },
      cost: (reader) =>
        lockWork(reader, {
          ...scope,
          entries,
          text: `This pauses ${strategy}: it decides nothing, and its brackets go on protecting what it holds`,
        }),
      needsBot: false,
    });
  }

  lock(body: z.output<typeof lockBody>, by: string): ActionReply {
    const { key, dryRun, name, strategy, forMs, reason, entries } = body;
    const market = body.market === null ? null : askedMarket(body.market).symbol;
    const scope = { strategy, market };
    return this.carryOut({
      key,
      dryRun,
      command: {
        kind: 'lock',
        name,
        ...scope,
        reason: onOneLine(reason),
        untilMs: Math.floor(this.nowMs() + forMs),
        entries,
        by: byText(by),
      },
      cost: (reader) =>
        lockWork(reader, { ...scope, entries, text: 'This places no new risk there until the lock ends' }),
      needsBot: false,
    });
  }

  unlock({ key, dryRun, name, strategy, market }: z.output<typeof unlockBody>): ActionReply {
    const symbol = market === null ? null : askedMarket(market).symbol;
    return this.carryOut({
      key,
      dryRun,
      command: {
        kind: 'unlock',
        name,
        strategy,
        market: symbol,
        isAll: symbol === null && strategy === null,
      },
      cost: () => costlessWork('This ends locks before their time.'),
      needsBot: false,
    });
  }

  cancel(body: z.output<typeof cancelBody>, by: string): ActionReply {
    const { key, dryRun, order, strategy, isAll } = body;
    const market = body.market === null ? null : askedMarket(body.market).symbol;
    const isMany = strategy !== null || market !== null;
    if ([order !== null, isMany, isAll].filter(Boolean).length !== 1)
      throw new ApiError(
        'invalid-request',
        'expected an order, or a strategy and a market, or isAll: one of them',
        { field: 'order' },
      );
    const scope = { order, strategy, market };
    return this.carryOut({
      key,
      dryRun,
      command: { kind: 'cancel', key, ...scope, by: byText(by) },
      cost: (reader) => cancelWork(reader, scope),
      needsBot: true,
    });
  }

  close(body: z.output<typeof closeBody>, by: string): ActionReply {
    const { key, dryRun, strategy } = body;
    const market = body.market === null ? null : askedMarket(body.market).symbol;
    return this.carryOut({
      key,
      dryRun,
      command: { kind: 'close', key, strategy, market, by: byText(by) },
      cost: (reader) => closeWork(reader, { strategy, market }),
      needsBot: true,
    });
  }

  position(body: z.output<typeof positionBody>, by: string): ActionReply {
    const { key, dryRun, ...said } = body;
    const position = { ...said, market: askedMarket(body.market).symbol };
    return this.carryOut({
      key,
      dryRun,
      command: { kind: 'position', key, ...position, by: byText(by) },
      cost: () => costlessWork(positionText(position)),
      needsBot: true,
    });
  }

  order(body: z.output<typeof orderBody>, by: string): ActionReply {
    const { key, dryRun, strategy, side, amount, price, stopPrice } = body;
    const market = askedMarket(body.market).symbol;
    const order = { strategy, market, side, amount, price, stopPrice };
    return this.carryOut({
      key,
      dryRun,
      command: { kind: 'place', key, ...order, by: byText(by) },
      cost: () => placeWork(order),
      needsBot: true,
    });
  }

  /** Returns the progress of a command. Throws `ApiError` if none has that id. */
  stateOf(id: number): ActionStateReply {
    if (id === DONE_AT_ONCE) return { id, state: 'done', takenAtMs: null, progress: null, result: null };
    const state = this.folder.control((client) => client.look(id));
    if (state === null) throw new ApiError('not-found', sentence('not-an-action', { found: id }));
    const { takenAtMs, progress, result } = state;
    return {
      id,
      state: result === null ? (takenAtMs === null ? 'waiting' : 'taken') : result.ok ? 'done' : 'failed',
      takenAtMs,
      progress,
      result:
        result === null
          ? null
          : {
              ...result,
              message: english(result.message),
              messageFacts: sentenceFacts(result.message),
              left: [...result.left],
              placed: [...(result.placed ?? [])],
            },
    };
  }

  private carryOut({ key, dryRun, command, cost, needsBot }: Action): ActionReply {
    if (dryRun) return costOf(this.folder.mirror.read((reader) => cost(reader)));
    return this.folder.control((client) => {
      // A command that was given before is answered whether a bot runs or not.
      const isKnown = client.find(key) !== null;
      if (!isKnown && needsBot && this.folder.isTaken() === false)
        throw new ApiError('no-bot', 'no bot runs with this folder, so nothing was done');
      try {
        return { id: client.post(command, key), key };
      } catch (error) {
        if (error instanceof SarrafError && error.code === 'INVALID_OPTIONS')
          throw new ApiError(
            'key-taken',
            `expected the key ${key} for one command alone, it is that of another`,
            {
              field: 'key',
            },
          );
        throw error;
      }
    });
  }
}
