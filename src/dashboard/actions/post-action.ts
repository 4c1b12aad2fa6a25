import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import { SarrafError } from '../../domain/errors.ts';
import { english, sentence, sentenceFacts } from '../../language/sentence.ts';
import { formatUnits } from '../../domain/money.ts';
import { entryAmount } from '../../mirror/strategy-status.ts';
import type {
  ApprovalCommand,
  ControlCommand,
  NoteCommand,
  PlaceCommand,
} from '../../engine/engine-event.ts';
import { readShadowNotes } from '../../daemon/shadow-note.ts';
import { PAUSE, UNTIL_RESUMED_MS, reaches } from '../../engine/lock.ts';
import {
  approvalText,
  noteText,
  positionText,
  cancelManyText,
  cancelOneText,
  closeText,
  holdsText,
  placeByHandText,
  cancelNeed,
  cancelNeedText,
} from '../../daemon/by-hand-text.ts';
import type { ControlResult } from '../../daemon/control-command.ts';
import { LONGEST_BY } from '../../engine/engine-event.ts';
import type { Person } from '../access-store.ts';
import { ApiError, onOneLine } from '../api-error.ts';
import { asApiError, type BotFolderReader } from '../folder/bot-folder-reader.ts';
import { askedMarket, bookReplyOf, placeFee } from '../readers/market-replies.ts';
import type { ActionReply, ActionStateReply, CostReply } from '../schema/action.ts';
import type { ActionName, DASHBOARD_ENDPOINTS } from '../schema/endpoints.ts';
import type { MirrorReader } from '../../mirror/mirror-reader.ts';
import { isEntry } from '../../mirror/trip-register.ts';
import { Decimal } from 'decimal.js';
import { readFigures } from '../../engine/strategy-instance-record.ts';
import { MARKET_NAMES, parseMarket } from '../../exchange/market-names.ts';
import { exitsAmong } from '../../engine/exits.ts';
import type { OrderRecord, OrderWith, BY_HAND_ORDER } from '../../records/order.ts';
import { positionItems } from '../readers/strategy-items.ts';

interface Action {
  readonly command: ControlCommand;
  readonly cost: (reader: MirrorReader) => PlannedWork;
  /** True if the action needs a running bot: otherwise it would be executed at an unexpected time. */
  readonly needsBot?: true;
  /** True if its subject must be in the mirror: the bot cannot check that. */
  readonly isChecked?: true;
}

/** Id of an action that was done at once and left no command; ids of commands begin at 1. */
export const DONE_AT_ONCE = 0;

/** Returns the author of a command, for locks and the journal. */
export function byText(name: string): string {
  return `${onOneLine(name)} (page)`.slice(0, LONGEST_BY);
}

/** Actions that are commands to the bot. */
type PostedName = Exclude<ActionName, 'acknowledge'>;
type BodyOf<Name extends PostedName> = z.output<(typeof DASHBOARD_ENDPOINTS)[Name]['body']>;

const symbolOf = (market: string | null): string | null =>
  market === null ? null : askedMarket(market).symbol;

/** Commands of the control database that the page may give; the command line gives the same ones. */
const ACTIONS: {
  readonly [Name in PostedName]: (
    body: BodyOf<Name>,
    of: {
      readonly by: string;
      readonly nowMs: number;
      /** Returns the strategy of a shadow. Throws `ApiError` if there is no such shadow. */
      readonly strategyOf: (shadow: string) => string;
    },
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
  reload: ({ strategy }, { by }) => ({
    command: { kind: 'reload', strategy, by },
    cost: () =>
      costlessWork(
        `This loads ${strategy} anew. What does not fit changes nothing; orders and holdings stay.`,
      ),
    needsBot: true,
  }),
  promote({ shadow, isUndone }, { by, strategyOf }) {
    const strategy = strategyOf(shadow);
    const act = isUndone ? 'undo' : 'promote';
    return {
      command: { kind: 'promote', act, shadow, strategy, setups: '', by },
      cost: () =>
        costlessWork(
          `This exchanges the code and params of ${strategy} and ${shadow}. Orders and holdings of ${strategy} stay.`,
        ),
      needsBot: true,
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
    const cost = (reader: MirrorReader): PlannedWork => placeWork(reader, order);
    return { command: { kind: 'place', key, ...order, by }, cost, needsBot: true };
  },
  approve: (body, { by }) => approvalAction('approve', body, by),
  decline: (body, { by }) => approvalAction('decline', body, by),
  note: ({ key, dryRun: _dryRun, ...note }, { by }) => ({
    command: { kind: 'note', key, ...note, by },
    cost: (reader) => noteWork(reader, note),
    needsBot: true,
    isChecked: true,
  }),
};

function approvalAction(
  kind: ApprovalCommand['kind'],
  { key, entry: intent }: BodyOf<'approve'>,
  by: string,
): Action {
  const cost = (reader: MirrorReader): PlannedWork => approvalWork(reader, kind, intent);
  return { command: { kind, key, intent, by }, cost, needsBot: true };
}

/** Posts the actions of the page to the bot. It sends nothing to the exchange. */
export class PostAction {
  private readonly folder: BotFolderReader;
  private readonly nowMs: () => number;

  constructor(folder: BotFolderReader, nowMs: () => number = Date.now) {
    this.folder = folder;
    this.nowMs = nowMs;
  }

  /** Handlers of all commands, by the names of their endpoints. */
  readonly handlers = Object.fromEntries(
    Object.keys(ACTIONS).map((name) => [name, this.handler(name as PostedName)]),
  ) as { readonly [Name in PostedName]: ReturnType<typeof this.handler<Name>> };

  /** Returns the handler of an action, which estimates its cost or posts it. */
  private handler<Name extends PostedName>(name: Name) {
    return async (call: { readonly body: BodyOf<Name>; readonly person: Person }): Promise<ActionReply> => {
      const { key, dryRun } = call.body;
      const {
        command,
        cost,
        needsBot = false,
        isChecked = false,
      } = ACTIONS[name](call.body, {
        by: byText(call.person.name),
        nowMs: this.nowMs(),
        strategyOf: (shadow) => this.strategyOf(shadow),
      });
      const reply = dryRun || isChecked ? costOf(this.folder.mirror.read((reader) => cost(reader))) : null;
      if (reply === null || !dryRun) return this.post(key, command, needsBot);
      return command.kind === 'place' ? { ...reply, checks: await this.checksOf(command) } : reply;
    };
  }

  /** Asks the bot what its checks say to an order; null if no bot answers in time. */
  private async checksOf(command: PlaceCommand): Promise<CostReply['checks']> {
    if (this.folder.isInUse() === false) return null;
    const untilMs = performance.now() + CHECKED_WITHIN_MS;
    const dryRun = { ...command, key: `check-${randomUUID()}`, isDryRun: true };
    const id = this.folder.control((client) => client.post(dryRun));
    try {
      const isOver = (): boolean => performance.now() > untilMs;
      const { result } = await this.folder.control((client) => client.follow({ id, isOver }));
      return result === null ? null : { ok: result.ok, ...messageOf(result) };
    } catch (error) {
      throw asApiError(error);
    } finally {
      this.folder.control((client) => client.forget(id));
    }
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
              ...messageOf(result),
              left: [...result.left],
              placed: [...(result.placed ?? [])],
            },
    };
  }

  private strategyOf(shadow: string): string {
    const note = readShadowNotes(this.folder.dataFolder).get(shadow);
    if (note === undefined)
      throw new ApiError('not-found', `expected the name of a shadow, was ${JSON.stringify(shadow)}`, {
        field: 'shadow',
      });
    return note.of;
  }

  private post(key: string, command: ControlCommand, needsBot: boolean): ActionReply {
    return this.folder.control((client) => {
      // A command that was posted before gets its reply even if no bot runs.
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

/** Longest wait for the bot to check an order, in ms; it accepts a command within 250 ms. */
const CHECKED_WITHIN_MS = 2_000;

function messageOf({
  message,
}: ControlResult): Pick<NonNullable<CostReply['checks']>, 'message' | 'messageFacts'> {
  return { message: english(message), messageFacts: sentenceFacts(message) };
}

/** Maximum number of counted orders; no account has as many. */
const MOST_COUNTED = 100_000;
const MOST_NAMED = 500;

type Place = CostReply['places'][number];

/** Planned changes of orders, to be shown to the person before they confirm. */
interface PlannedWork {
  readonly cancels: readonly OrderRecord[];
  readonly places: readonly Place[];
  /** Effect as a sentence. */
  readonly text: string;
}

/** Returns the cost of planned work, counted and worded as on the command line. */
export function costOf({ cancels, places, text }: PlannedWork): CostReply {
  const count = cancels.length;
  const { limit, windowMs, needMs } = cancelNeed(count);
  return {
    dryRun: true,
    cancels: cancels.slice(0, MOST_NAMED).map(({ key }) => key),
    cancelCount: count,
    places: [...places],
    requests: count + places.length,
    limit: count === 0 ? null : limit,
    windowMs: count === 0 ? null : windowMs,
    seconds: Math.ceil(needMs / 1_000),
    text,
    checks: null,
  };
}

const openOrders = (reader: MirrorReader): readonly OrderRecord[] =>
  reader.orders({ state: 'open', strategy: null, market: null, last: MOST_COUNTED });

/** Returns planned work that only has a text, and needs no request to the exchange. */
export function costlessWork(text: string): PlannedWork {
  return { cancels: [], places: [], text };
}

function haltWork(reader: MirrorReader): PlannedWork {
  const cancels = openOrders(reader);
  return {
    cancels,
    places: [],
    text: `This stops trading until it is resumed, and cancels the orders of the bot; ${cancelNeedText(cancels.length)}.`,
  };
}

interface CancelScope {
  readonly order: string | null;
  readonly strategy: string | null;
  readonly market: string | null;
}

function cancelWork(reader: MirrorReader, scope: CancelScope): PlannedWork {
  const { order, strategy, market } = scope;
  if (order === null) {
    const cancels = openOrders(reader).filter(
      (one) => (strategy === null || one.strategy === strategy) && (market === null || one.market === market),
    );
    return {
      cancels,
      places: [],
      text: cancelManyText(cancelNeedText(cancels.length)),
    };
  }
  const cancels = openOrders(reader).filter(({ key, venueId }) => key === order || venueId === order);
  if (cancels.length === 0)
    throw new ApiError('not-found', sentence('not-an-open-order', { found: JSON.stringify(order) }), {
      field: 'order',
    });
  return { cancels, places: [], text: cancelOneText(order) };
}

/** Plans to sell a holding, after canceling the orders of its coin in all markets, as the bot does. */
function closeWork(
  reader: MirrorReader,
  { strategy, market }: { readonly strategy: string; readonly market: string | null },
): PlannedWork {
  const coin = market === null ? null : parseMarket(market).base;
  const isThere = (base: string): boolean => coin === null || base === coin;
  const own = openOrders(reader).filter((order) => order.strategy === strategy);
  const cancels = own.filter((order) => isThere(parseMarket(order.market).base));
  const held = positionItems(reader, own).filter(
    (position) => position.strategy === strategy && isThere(position.asset),
  );
  const places = held.map(({ market: own, asset, currency, amount, value }) => {
    const isOwed = amount.startsWith('-');
    return withFee(reader, {
      market: market ?? own ?? asset,
      side: isOwed ? 'buy' : 'sell',
      amount: isOwed ? amount.slice(1) : amount,
      isReduceOnly: true,
      value: value === null ? null : value.replace('-', ''),
      currency,
    });
  });
  const holds = holdsText(
    strategy,
    held.map(({ asset, amount }) => [asset, amount]),
  );
  return {
    cancels,
    places,
    text: closeText({ strategy, market, holds, need: cancelNeedText(cancels.length) }),
  };
}

/** Plans a lock: cancels the orders in its scope that add risk, unless they are to be kept. */
function lockWork(
  reader: MirrorReader,
  lock: {
    readonly strategy: string | null;
    readonly market: string | null;
    readonly entries: 'cancel' | 'keep';
    readonly text: string;
  },
): PlannedWork {
  const cancels = lock.entries === 'keep' ? [] : entriesWithin(reader, lock);
  const need = cancels.length === 0 ? 'no order has to be canceled' : cancelNeedText(cancels.length);
  return { cancels, places: [], text: `${lock.text}; ${need}.` };
}

function entriesWithin(
  reader: MirrorReader,
  scope: { readonly strategy: string | null; readonly market: string | null },
): readonly OrderRecord[] {
  const open = openOrders(reader);
  const ledgers = new Map(
    reader.strategies().map((record) => [record.name, readFigures(record, MARKET_NAMES).ledger]),
  );
  const exits = exitsAmong(
    open,
    (strategy, asset) => ledgers.get(strategy)?.state.holdings.get(asset)?.held ?? NOTHING,
    MARKET_NAMES,
  );
  return open.filter(({ key, strategy, market }) => reaches(scope, strategy, market) && !exits.has(key));
}

/** Plans to begin an entry that waits, or to drop it. */
function approvalWork(reader: MirrorReader, kind: ApprovalCommand['kind'], id: string): PlannedWork {
  const entry = reader.intent(id);
  if (entry?.approval !== 'waiting')
    throw new ApiError('not-found', sentence('approval-unknown', { intent: id }), { field: 'entry' });
  const { market, value } = entry;
  const amount = kind === 'approve' ? entryAmount(entry) : null;
  const places: Place[] =
    amount !== null && market !== null && value !== null
      ? [
          withFee(reader, {
            market,
            side: 'buy',
            amount: formatUnits(amount),
            isReduceOnly: false,
            value: formatUnits(value),
            currency: parseMarket(market).quote,
          }),
        ]
      : [];
  return { cancels: [], places, text: approvalText(kind, entry) };
}

function noteWork(reader: MirrorReader, note: Omit<NoteCommand, 'kind' | 'key' | 'by'>): PlannedWork {
  if (isEntry(reader, note.entry)) return costlessWork(noteText(note));
  throw new ApiError('not-found', sentence('not-a-trade', { found: JSON.stringify(note.entry) }), {
    field: 'entry',
  });
}

const NOTHING = 0n as OrderRecord['amount'];

const withFee = (reader: MirrorReader, place: Omit<Place, 'fee'>): Place => ({
  ...place,
  fee: placeFee(reader, place),
});

function placeWork(
  reader: MirrorReader,
  order: Pick<OrderWith<string>, (typeof BY_HAND_ORDER)[number]>,
): PlannedWork {
  const { market, side, amount, price, stopPrice } = order;
  const { bids, asks } = bookReplyOf(reader, market, 1);
  const [best] = side === 'buy' ? asks : bids;
  const at = price ?? stopPrice ?? best?.[0] ?? null;
  const value = at === null ? null : new Decimal(amount).times(at).toFixed();
  const { quote } = parseMarket(market);
  const worth =
    value === null || (price === null && stopPrice === null)
      ? 'It has no price: it fills at whatever the market gives.'
      : `It is worth ${value} ${quote}.`;
  return {
    cancels: [],
    places: [withFee(reader, { market, side, amount, isReduceOnly: false, value, currency: quote })],
    text: placeByHandText(order, worth),
  };
}
