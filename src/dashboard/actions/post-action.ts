import type { z } from 'zod';
import { SarrafError } from '../../domain/errors.ts';
import { english, sentence, sentenceFacts } from '../../language/sentence.ts';
import type { ControlCommand } from '../../engine/engine-event.ts';
import { PAUSE, UNTIL_RESUMED_MS } from '../../engine/lock.ts';
import { positionText } from '../../daemon/by-hand-text.ts';
import { LONGEST_BY } from '../../daemon/control-command.ts';
import type { Person } from '../access-store.ts';
import { ApiError, onOneLine } from '../api-error.ts';
import type { BotFolderReader } from '../folder/bot-folder-reader.ts';
import { askedMarket } from '../readers/market-replies.ts';
import type { ActionReply, ActionStateReply } from '../schema/action.ts';
import type { DASHBOARD_ENDPOINTS } from '../schema/endpoints.ts';
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
  readonly command: ControlCommand;
  readonly cost: (reader: MirrorReader) => PlannedWork;
  /** True if the action is useless while no bot runs: it would be executed at a time that nobody chose. */
  readonly needsBot?: true;
}

/** The id of what was done before it was answered, and left no command: commands count from 1. */
export const DONE_AT_ONCE = 0;

/** Returns the author of a command, for locks and the journal. */
export function byText(name: string): string {
  return `${onOneLine(name)} (page)`.slice(0, LONGEST_BY);
}

type ActionName =
  | 'halt'
  | 'resume'
  | 'pause'
  | 'lock'
  | 'unlock'
  | 'cancel'
  | 'close'
  | 'position'
  | 'placeOrder';
type BodyOf<Name extends ActionName> = z.output<(typeof DASHBOARD_ENDPOINTS)[Name]['body']>;

const symbolOf = (market: string | null): string | null =>
  market === null ? null : askedMarket(market).symbol;

/** Commands of the control database that the page gives; the command line gives the same ones. */
const ACTIONS: {
  readonly [Name in ActionName]: (
    body: BodyOf<Name>,
    of: { readonly by: string; readonly nowMs: number },
  ) => Action;
} = {
  halt: ({ reason }) => ({
    command: { kind: 'halt', reason: onOneLine(reason), wholeAccount: false },
    cost: haltWork,
  }),
  resume: ({ strategy }) =>
    strategy === null
      ? {
          command: { kind: 'resume' },
          cost: () => costlessWork('This ends the halt: the bot trades again.'),
        }
      : {
          command: { kind: 'unlock', name: PAUSE, strategy, market: null, isAll: false },
          cost: () => costlessWork(`This ends the pause of ${strategy}.`),
        },
  pause({ strategy, forMs, reason, entries }, { by, nowMs }) {
    const untilMs = forMs === null ? UNTIL_RESUMED_MS : Math.floor(nowMs + forMs);
    const lock = { strategy, market: null, entries };
    const text = `This pauses ${strategy}: it decides nothing, and its brackets go on protecting what it holds`;
    return {
      command: { kind: 'lock', name: PAUSE, ...lock, reason: onOneLine(reason), untilMs, pauses: true, by },
      cost: (reader) => lockWork(reader, { ...lock, text }),
    };
  },
  lock({ name, strategy, market, forMs, reason, entries }, { by, nowMs }) {
    const lock = { strategy, market: symbolOf(market), entries };
    const untilMs = Math.floor(nowMs + forMs);
    const text = 'This places no new risk there until the lock ends';
    return {
      command: { kind: 'lock', name, ...lock, reason: onOneLine(reason), untilMs, by },
      cost: (reader) => lockWork(reader, { ...lock, text }),
    };
  },
  unlock({ name, strategy, market }) {
    const symbol = symbolOf(market);
    const isAll = symbol === null && strategy === null;
    return {
      command: { kind: 'unlock', name, strategy, market: symbol, isAll },
      cost: () => costlessWork('This ends locks before their time.'),
    };
  },
  cancel({ key, order, strategy, market, isAll }, { by }) {
    const scope = { order, strategy, market: symbolOf(market) };
    const isMany = strategy !== null || market !== null;
    if ([order !== null, isMany, isAll].filter(Boolean).length !== 1)
      throw new ApiError(
        'invalid-request',
        'expected an order, or a strategy and a market, or isAll: one of them',
        { field: 'order' },
      );
    return {
      command: { kind: 'cancel', key, ...scope, by },
      cost: (reader) => cancelWork(reader, scope),
      needsBot: true,
    };
  },
  close({ key, strategy, market }, { by }) {
    const scope = { strategy, market: symbolOf(market) };
    return {
      command: { kind: 'close', key, ...scope, by },
      cost: (reader) => closeWork(reader, scope),
      needsBot: true,
    };
  },
  position({ key, dryRun: _dryRun, ...said }, { by }) {
    const position = { ...said, market: askedMarket(said.market).symbol };
    return {
      command: { kind: 'position', key, ...position, by },
      cost: () => costlessWork(positionText(position)),
      needsBot: true,
    };
  },
  placeOrder({ key, dryRun: _dryRun, ...placed }, { by }) {
    const order = { ...placed, market: askedMarket(placed.market).symbol };
    return { command: { kind: 'place', key, ...order, by }, cost: () => placeWork(order), needsBot: true };
  },
};

/** Posts the actions of the page. Nothing here asks the exchange for anything. */
export class PostAction {
  private readonly folder: BotFolderReader;
  private readonly nowMs: () => number;

  constructor(folder: BotFolderReader, nowMs: () => number = Date.now) {
    this.folder = folder;
    this.nowMs = nowMs;
  }

  /** The handler of an action, which says its cost or posts it. */
  handler<Name extends ActionName>(name: Name) {
    return (call: { readonly body: BodyOf<Name>; readonly person: Person }): ActionReply => {
      const { key, dryRun } = call.body;
      const {
        command,
        cost,
        needsBot = false,
      } = ACTIONS[name](call.body, {
        by: byText(call.person.name),
        nowMs: this.nowMs(),
      });
      if (dryRun) return costOf(this.folder.mirror.read((reader) => cost(reader)));
      return this.post(key, command, needsBot);
    };
  }

  /** Returns the progress of a command. Throws `ApiError` if none has that id. */
  stateOf(id: number): ActionStateReply {
    if (id === DONE_AT_ONCE) return { id, state: 'done', takenAtMs: null, progress: null, result: null };
    const state = this.folder.control((client) => client.read(id));
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

  private post(key: string, command: ControlCommand, needsBot: boolean): ActionReply {
    return this.folder.control((client) => {
      // A command that was given before is answered whether a bot runs or not.
      const isKnown = client.find(key) !== null;
      if (!isKnown && needsBot && this.folder.isInUse() === false)
        throw new ApiError('no-bot', 'no bot runs with this folder, so nothing was done');
      try {
        return { id: client.post(command, key), key };
      } catch (error) {
        if (error instanceof SarrafError && error.code === 'INVALID_OPTIONS')
          throw new ApiError(
            'key-taken',
            `expected the key ${key} for one command alone, it is that of another`,
            { field: 'key' },
          );
        throw error;
      }
    });
  }
}
