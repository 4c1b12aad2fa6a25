import { HOUR_MS, MINUTE_MS } from '../domain/time-text.ts';
import {
  PROMOTION_ACTS,
  type ByHandCommand,
  type ControlCommand,
  type LockCommand,
  type SignalCommand,
} from '../engine/engine-event.ts';
import { PAUSE, UNTIL_RESUMED_MS } from '../engine/lock.ts';
import { readOrderName } from '../engine/order-names.ts';
import type { SignalReply } from '../engine/signal-intake.ts';
import { parseMarket } from '../exchange/market-names.ts';
import { hasListener, INSTANCE } from './bot-engine.ts';
import { present } from '../domain/errors.ts';
import { Dice } from './dice.ts';
import { LISTENER } from './workload/roamer.ts';
import type { FuzzWorld } from './world.ts';

/** The world that people act in, and their access to the bot. */
interface Hands {
  readonly world: FuzzWorld;
  readonly control: (command: ControlCommand) => void;
  /** Returns the keys of the bot's open orders. */
  readonly openOrders: () => readonly string[];
  /** Returns the ids of the entries that wait for a person. */
  readonly waitingEntries: () => readonly string[];
  /** Called when somebody else has canceled an order of the bot, by its id at the exchange. */
  readonly onApplied: (id: number) => void;
}

/** An act of a person at a time of a run. It returns its name, or null if nothing was done. */
interface Act {
  readonly atMs: number;
  readonly act: (hands: Hands) => string | null;
}

interface Run {
  readonly seed: number;
  readonly runMs: number;
  readonly markets: readonly string[];
}

/** Shares of the seeds with an operator who locks or reloads, and with a person who trades or moves coins. */
const LOCKED_SHARE = 0.6;
const HANDED_SHARE = 0.7;
const MOVED_SHARE = 0.35;
const RELOADED_SHARE = 0.5;

/** Ranges of the mean time between two acts in ms; an operator who locks often does so every few minutes. */
const LOCKED_MEAN_MS = [10 * MINUTE_MS, HOUR_MS] as const;
const HANDED_MEAN_MS = [4 * MINUTE_MS, 20 * MINUTE_MS] as const;
const MOVED_MEAN_MS = [8 * MINUTE_MS, 40 * MINUTE_MS] as const;
const SIGNAL_MEAN_MS = [20_000, 300_000] as const;

/** Share of commands that are repeated with their key, as after two taps, and range of the delay. */
interface Again {
  readonly share: number;
  readonly afterMs: readonly [least: number, most: number];
}

const HANDED_AGAIN: Again = { share: 0.6, afterMs: [1_000, 20 * MINUTE_MS] };
const MOVED_AGAIN: Again = { share: 0.5, afterMs: [1_000, 10 * MINUTE_MS] };
const SIGNAL_AGAIN: Again = { share: 0.5, afterMs: [1, 20 * MINUTE_MS] };

/** Share of the manual locks that are removed before their end. */
const UNDONE = 0.3;

const REASON = 'the fuzzer said so';

/** Returns the times of a command, which is mostly sent again. */
function timesOf(dice: Dice, atMs: number, again: Again): readonly number[] {
  const times = [Math.round(atMs)];
  if (dice.happens(again.share)) times.push(Math.round(atMs + dice.logUniform(...again.afterMs)));
  return times;
}

const strategyOf = (dice: Dice, markets: readonly string[]): string =>
  `chaos-${dice.integer(0, markets.length - 1)}`;

function t({ control }: Hands, command: ControlCommand): string {
  control(command);
  const isDryRun = command.kind === 'place' && command.isDryRun === true;
  return `control ${isDryRun ? 'dry run' : 'pauses' in command ? 'pause' : command.kind}`;
}

/** Returns an operator's locks and unlocks in a run. */
export function locksByHandOf({ seed, runMs, markets }: Run): readonly Act[] {
  const dice = Dice.of(seed, 'locks by hand');
  if (!dice.happens(LOCKED_SHARE)) return [];
  const acts: Act[] = [];
  for (const atMs of dice.moments(runMs, dice.logUniform(...LOCKED_MEAN_MS))) {
    const market = dice.happens(0.3) ? null : dice.pick(markets);
    const strategy = dice.happens(0.7) ? null : strategyOf(dice, markets);
    const name = dice.happens(0.8) ? 'hand' : 'news';
    const forMs = Math.round(dice.logUniform(0.2, 40) * MINUTE_MS);
    const entries = dice.happens(0.7) ? 'cancel' : 'keep';
    const isUnlock = dice.happens(0.25);
    const unlock: LockCommand = { kind: 'unlock', name: null, strategy, market, isAll: dice.happens(0.5) };
    const lock = { kind: 'lock', name, strategy, market, reason: REASON } as const;
    // Mostly a lock runs out by itself.
    if (!isUnlock && dice.happens(UNDONE))
      acts.push({
        atMs: Math.round(atMs + forMs * dice.between(0.1, 0.9)),
        act: (hands) => t(hands, unlock),
      });
    acts.push({
      atMs: Math.round(atMs),
      act: (hands) =>
        t(hands, isUnlock ? unlock : { ...lock, untilMs: hands.world.time.now() + forMs, entries }),
    });
  }
  return acts;
}

/** Returns the times at which a person loads a strategy anew, whatever it is doing. */
export function reloadsOf({ seed, runMs, markets }: Run): readonly Act[] {
  const dice = Dice.of(seed, 'reloads');
  if (!dice.happens(RELOADED_SHARE)) return [];
  return [...dice.moments(runMs, dice.logUniform(...LOCKED_MEAN_MS))].map((atMs): Act => {
    const strategy = strategyOf(dice, markets);
    return { atMs: Math.round(atMs), act: (hands) => t(hands, { kind: 'reload', strategy }) };
  });
}

/** Returns the times at which a person promotes a shadow or undoes it, whatever its strategy is doing. */
export function promotionsOf({ seed, runMs, markets }: Run): readonly Act[] {
  const dice = Dice.of(seed, 'promotions');
  if (!dice.happens(RELOADED_SHARE)) return [];
  return [...dice.moments(runMs, dice.logUniform(...LOCKED_MEAN_MS))].map((atMs): Act => {
    const strategy = strategyOf(dice, markets);
    const act = present(dice.pick(PROMOTION_ACTS), 'an act');
    const command = { kind: 'promote', act, strategy, shadow: `${strategy}-2`, setups: '' } as const;
    return { atMs: Math.round(atMs), act: (hands) => t(hands, command) };
  });
}

/** Returns the pauses, cancels, closes and orders of a person in a run, some of them twice. */
export function actsByHandOf({ seed, runMs, markets }: Run): readonly Act[] {
  const dice = Dice.of(seed, 'by hand');
  if (!dice.happens(HANDED_SHARE)) return [];
  const acts: Act[] = [];
  let index = 0;
  for (const atMs of dice.moments(runMs, dice.logUniform(...HANDED_MEAN_MS))) {
    index += 1;
    if (dice.happens(0.3)) {
      acts.push(...pauseOf(dice, markets, atMs));
      continue;
    }
    const commandNow = commandOf(dice, markets, index);
    const act: Act['act'] = (hands) => t(hands, commandNow(hands));
    acts.push(...timesOf(dice, atMs, HANDED_AGAIN).map((timeMs) => ({ atMs: timeMs, act })));
  }
  return acts;
}

/** First number of the amounts of dry runs: no manual order has one of them. */
const FIRST_DRY_RUN = 5_000;

/** Share of notes that are removed, and number of the purchases that have notes. */
const REMOVED = 0.2;
const NOTED = 3;

/** Returns a person's notes on purchases and dry runs of orders in a run, some of them twice. */
export function notesByHandOf({ seed, runMs, markets }: Run): readonly Act[] {
  const dice = Dice.of(seed, 'notes');
  if (!dice.happens(HANDED_SHARE)) return [];
  const acts: Act[] = [];
  for (const atMs of dice.moments(runMs, dice.logUniform(...HANDED_MEAN_MS))) {
    const key = `note-${acts.length}`;
    const command = dice.happens(0.5) ? noteOf(dice, key) : dryRunOf(dice, markets, key);
    const act: Act['act'] = (hands) => t(hands, command);
    acts.push(...timesOf(dice, atMs, HANDED_AGAIN).map((timeMs) => ({ atMs: timeMs, act })));
  }
  return acts;
}

function noteOf(dice: Dice, key: string): ByHandCommand {
  const entry = `purchase-${dice.integer(1, NOTED)}`;
  return { kind: 'note', key, entry, text: dice.happens(REMOVED) ? '' : `said in ${key}`, tags: [] };
}

function dryRunOf(dice: Dice, markets: readonly string[], key: string): ByHandCommand {
  const index = dice.integer(0, markets.length - 1);
  const market = present(markets[index], 'a market');
  const amount = amountOf(parseMarket(market).base, FIRST_DRY_RUN + Number(key.slice('note-'.length)));
  const side = dice.happens(0.5) ? 'buy' : 'sell';
  const order = { strategy: `chaos-${index}`, market, side, amount, price: null, stopPrice: null } as const;
  return { kind: 'place', key, ...order, isDryRun: true };
}

/** Mean time between two looks of a person at the entries that wait, in ms. */
const APPROVAL_MEAN_MS = [10_000, 5 * MINUTE_MS] as const;

/** Share of the entries that a person approves, of those that are seen at all. */
const APPROVED = 0.75;

/** Returns a person's decisions on entries that wait: some twice, some of entries that wait no more. */
export function approvalsOf({ seed, runMs }: Run): readonly Act[] {
  const dice = Dice.of(seed, 'approvals');
  const acts: Act[] = [];
  // A tap on a message of before.
  let seen: string | null = null;
  for (const atMs of dice.moments(runMs, dice.logUniform(...APPROVAL_MEAN_MS))) {
    const kind = dice.happens(APPROVED) ? 'approve' : 'decline';
    const [share, isOld] = [dice.share(), dice.happens(0.1)];
    let command: ByHandCommand | null = null;
    const key = `approval-${acts.length}`;
    const act = (hands: Hands): string | null => {
      const ids = hands.waitingEntries();
      const intent: string | null = isOld ? seen : (ids[Math.floor(share * ids.length)] ?? null);
      if (intent === null) return null;
      seen = intent;
      command ??= { kind, key, intent, by: 'fuzzer' };
      return t(hands, command);
    };
    acts.push(...timesOf(dice, atMs, HANDED_AGAIN).map((timeMs) => ({ atMs: timeMs, act })));
  }
  return acts;
}

/** Returns a pause, and mostly its end: by itself or by a person. */
function pauseOf(dice: Dice, markets: readonly string[], atMs: number): readonly Act[] {
  const strategy = strategyOf(dice, markets);
  const forMs = Math.round(dice.logUniform(0.3, 15) * MINUTE_MS);
  const endsByItself = dice.happens(0.5);
  const entries = dice.happens(0.7) ? 'cancel' : 'keep';
  const of = { name: PAUSE, strategy, market: null } as const;
  const begins: Act = {
    atMs: Math.round(atMs),
    act(hands) {
      const untilMs = endsByItself ? hands.world.time.now() + forMs : UNTIL_RESUMED_MS;
      return t(hands, { kind: 'lock', ...of, reason: REASON, pauses: true, entries, untilMs });
    },
  };
  if (endsByItself) return [begins];
  const resume: Act['act'] = (hands) => t(hands, { kind: 'unlock', ...of, isAll: false });
  return [begins, { atMs: Math.round(atMs + forMs), act: resume }];
}

function commandOf(dice: Dice, markets: readonly string[], index: number): (hands: Hands) => ByHandCommand {
  const strategy = strategyOf(dice, markets);
  const market = dice.pick(markets) ?? 'BTCUSDT';
  const key = `by-hand-${index}`;
  const kind = dice.pick(['cancel', 'close', 'place'] as const) ?? 'close';
  const isWhole = dice.happens(0.5);
  const share = dice.between(0, 1);
  const draw = dice.integer(0, 3);
  if (kind === 'close') return () => ({ kind, key, strategy, market: null });
  if (kind === 'place') {
    const own = markets[Number(strategy.slice(-1))] ?? market;
    const side = isWhole ? 'buy' : 'sell';
    const amount = amountOf(parseMarket(own).base, index);
    return () => ({ kind, key, strategy, market: own, side, amount, price: null, stopPrice: null });
  }
  return ({ openOrders }) => {
    const keys = openOrders();
    const order = draw === 0 ? (keys[Math.floor(share * keys.length)] ?? null) : null;
    if (order !== null) return { kind, key, order, strategy: null, market: null };
    const of = { strategy: draw === 1 ? null : strategy, market: isWhole ? null : market };
    return { kind, key, order: null, ...of };
  };
}

/** Returns the amount of a manual order in units of the coin; no two orders have the same amount. */
const amountOf = (coin: string, index: number): string =>
  coin === 'btc' ? (0.001 + index * 0.000_001).toFixed(6) : (25 + index * 0.01).toFixed(2);

/** Range of the delay until a person reports what became of a position, in ms. */
const SIGNAL_AFTER_MS = [20_000, 15 * MINUTE_MS] as const;

interface ConsumedLevel {
  strategy: string;
  market: string;
}

/**
 * Returns a person's acts on positions: cancels of the bot's exits, mostly with a withdrawal of their coins,
 * later reports on these positions, and sometimes older coins given to strategies. They have their own dice.
 */
export function movesByHandOf({ seed, runMs }: Run): readonly Act[] {
  const dice = Dice.of(seed, 'positions by hand');
  if (!dice.happens(MOVED_SHARE)) return [];
  const moves: Act[] = [];
  for (const atMs of dice.moments(runMs, dice.logUniform(...MOVED_MEAN_MS))) {
    const index = moves.length;
    const drawn = Dice.of(seed, `position by hand ${index}`);
    const moved: ConsumedLevel = { strategy: '', market: '' };
    const moveAtMs = atMs + drawn.logUniform(...SIGNAL_AFTER_MS);
    const report = reportOf(drawn, `position-${index}`, moved);
    moves.push({ atMs: Math.round(atMs), act: (hands) => apply(hands, drawn, moved) });
    moves.push(...timesOf(dice, moveAtMs, MOVED_AGAIN).map((timeMs) => ({ atMs: timeMs, act: report })));
  }
  return moves;
}

function apply({ world, onApplied }: Hands, dice: Dice, taken: ConsumedLevel): string | null {
  const { accounts, trading } = world.exchange;
  const timeMs = world.advance();
  const sales = [...world.bot.open.values()].filter(
    ({ side, clientOrderId }) => side === 'sell' && clientOrderId?.startsWith(`${INSTANCE}-chaos-`) === true,
  );
  const order = dice.pick(sales);
  const name = readOrderName(order?.clientOrderId ?? null);
  if (order === null || name === null) return null;
  const { held, payingWallet } = order;
  if (!trading.cancel(order, timeMs)) return null;
  onApplied(order.id);
  Object.assign(taken, { strategy: name.strategy, market: order.market.rules.symbol });
  const units = held < payingWallet.free ? held : payingWallet.free;
  if (units === 0n || dice.happens(0.4)) return 'exit taken by hand';
  accounts.post(payingWallet, 'outside', { units: -units, description: 'Withdrawal', timeMs });
  return 'position taken by hand';
}

function reportOf(dice: Dice, key: string, taken: ConsumedLevel): Act['act'] {
  const kind = dice.pick(['adopt', 'write-off', 'move', 'adopt more'] as const) ?? 'adopt';
  const other = `chaos-${dice.integer(0, 2)}`;
  const act = kind === 'adopt more' ? 'adopt' : kind;
  return ({ control }) => {
    const { strategy, market } = taken;
    if (strategy === '') return null;
    // Of coins that were there before, in units of the coin.
    const amount = kind === 'adopt more' ? (market.startsWith('BTC') ? '0.003' : '40') : null;
    const to = kind === 'move' ? other : null;
    control({ kind: 'position', key, act, strategy, to, market, amount, price: null });
    return `position ${act}`;
  };
}

/** Shares of the signals that are wrong, that lead to no order, and that come in a crowd. */
const WRONG = 0.1;
const SILENT = 0.5;
const CROWDED = 0.03;
const MOST_AT_ONCE = 40;

/** A signal that is sent at a time of a run. */
interface SentSignal {
  readonly atMs: number;
  readonly command: SignalCommand;
}

/** Returns the signals sent in a run, some of them twice, not always in the order of their times. */
export function sentSignalsOf({ seed, runMs }: Run): readonly SentSignal[] {
  if (!hasListener(seed)) return [];
  const dice = Dice.of(seed, 'signals');
  const sent: SentSignal[] = [];
  for (const atMs of dice.moments(runMs, dice.logUniform(...SIGNAL_MEAN_MS))) {
    const count = dice.happens(CROWDED) ? dice.integer(2, MOST_AT_ONCE) : 1;
    for (let one = 0; one < count; one += 1) {
      const command = signalOf(dice, `s${sent.length}`);
      sent.push(...timesOf(dice, atMs, SIGNAL_AGAIN).map((timeMs) => ({ atMs: timeMs, command })));
    }
  }
  return sent;
}

function signalOf(dice: Dice, id: string): SignalCommand {
  const share = dice.happens(SILENT) ? null : dice.between(0, 1);
  const payload = dice.happens(WRONG) ? { share: 'all' } : { share };
  const { name: strategy } = LISTENER;
  return { kind: 'signal', strategy, name: 'alert', id, payload, sentAtMs: null, source: 'fuzzer' };
}

/** Signals without an answer: the control database keeps them, whatever happens to the bot. */
export class SignalDesk {
  /** Ids posted again: each posting has its own answer, and its sender may read the previous one. */
  readonly repeated = new Set<string>();
  private readonly posted = new Set<string>();
  private readonly waiting = new Map<
    string,
    { readonly command: SignalCommand; readonly sentAtMs: number }
  >();
  private readonly onReply: (command: SignalCommand, reply: SignalReply) => void;

  constructor(onReply: (command: SignalCommand, reply: SignalReply) => void) {
    this.onReply = onReply;
  }

  post(command: SignalCommand, nowMs: number): void {
    if (this.posted.has(command.id)) this.repeated.add(command.id);
    this.posted.add(command.id);
    if (!this.waiting.has(command.id)) this.waiting.set(command.id, { command, sentAtMs: nowMs });
  }

  /** Returns the commands for a life that begins, or a single one by id, each with its age by then. */
  commands(nowMs: number, id?: string): readonly SignalCommand[] {
    return [...this.waiting.values()]
      .filter(({ command }) => id === undefined || command.id === id)
      .map(({ command, sentAtMs }) => ({ ...command, ageMs: nowMs - sentAtMs }));
  }

  /** Collects the answers, once their steps are on the disk. */
  settle(replyTo: (command: SignalCommand) => SignalReply | null): void {
    for (const [id, { command }] of this.waiting) {
      const reply = replyTo(command);
      if (reply === null) continue;
      this.waiting.delete(id);
      this.onReply(command, reply);
    }
  }

  get isEmpty(): boolean {
    return this.waiting.size === 0;
  }

  /** Returns the ids that never had an answer. */
  unanswered(): readonly string[] {
    return [...this.waiting.keys()];
  }
}
