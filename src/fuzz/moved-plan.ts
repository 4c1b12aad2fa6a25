import { MINUTE_MS } from '../domain/time-text.ts';
import type { ControlCommand, PositionCommand } from '../engine/engine-event.ts';
import { readOrderName } from '../engine/order-names.ts';
import { INSTANCE } from './bot-engine.ts';
import { Dice } from './dice.ts';
import type { FuzzWorld } from './world.ts';

/** Share of the seeds with a person who moves positions by hand. */
const MOVED_SHARE = 0.35;

const SHORTEST_MEAN_MS = 8 * MINUTE_MS;
const LONGEST_MEAN_MS = 40 * MINUTE_MS;
/** Range of the delay until the person reports what became of the position. */
const SAID_AFTER_MS = [20_000, 15 * MINUTE_MS] as const;
/** Share of the commands that are repeated, with their keys, and the range of the delay. */
const REPEATED = 0.5;
const REPEATED_AFTER_MS = [1_000, 10 * MINUTE_MS] as const;
/** Of coins that were there before, in units of the coin. */
const ADOPTED: Readonly<Record<string, string>> = { btc: '0.003', usdt: '40' };

/** Action of a person at a time of a run, and its name. */
interface MoveByHand {
  readonly atMs: number;
  readonly act: (of: {
    readonly world: FuzzWorld;
    readonly control: (command: ControlCommand) => void;
    /** An order of the bot was canceled by somebody else, by its id at the exchange. */
    readonly onTaken: (id: number) => void;
  }) => string | null;
}

interface Taken {
  strategy: string;
  market: string;
}

/**
 * A person takes exits of the bot away, and mostly their coins, says later what became of the position, and
 * at times gives strategies coins that were there before. Of dice of their own.
 */
export function movesByHandOf(seed: number, runMs: number): readonly MoveByHand[] {
  const dice = Dice.of(seed, 'positions by hand');
  if (!dice.happens(MOVED_SHARE)) return [];
  const moves: MoveByHand[] = [];
  const meanMs = dice.logUniform(SHORTEST_MEAN_MS, LONGEST_MEAN_MS);
  for (let atMs = dice.exponential(meanMs); atMs < runMs; atMs += dice.exponential(meanMs)) {
    const drawn = Dice.of(seed, `position by hand ${moves.length}`);
    const taken: Taken = { strategy: '', market: '' };
    const saidAtMs = atMs + drawn.logUniform(...SAID_AFTER_MS);
    const command = commandOf(drawn, `position-${moves.length}`, taken);
    const say: MoveByHand['act'] = ({ control }) => {
      if (taken.strategy === '') return null;
      control(command());
      return `position ${command().act}`;
    };
    moves.push({
      atMs: Math.round(atMs),
      act: ({ world, onTaken }) => take({ world, dice: drawn, onTaken, taken }),
    });
    moves.push({ atMs: Math.round(saidAtMs), act: say });
    if (dice.happens(REPEATED))
      moves.push({ atMs: Math.round(saidAtMs + dice.logUniform(...REPEATED_AFTER_MS)), act: say });
  }
  return moves;
}

function take(of: {
  readonly world: FuzzWorld;
  readonly dice: Dice;
  readonly onTaken: (id: number) => void;
  readonly taken: Taken;
}): string | null {
  const { world, dice, onTaken, taken } = of;
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
  onTaken(order.id);
  Object.assign(taken, { strategy: name.strategy, market: order.market.rules.symbol });
  const units = held < payingWallet.free ? held : payingWallet.free;
  if (units === 0n || dice.happens(0.4)) return 'exit taken by hand';
  accounts.post(payingWallet, 'outside', { units: -units, description: 'Withdrawal', timeMs });
  return 'position taken by hand';
}

function commandOf(dice: Dice, key: string, taken: Taken): () => PositionCommand {
  const kind = dice.pick(['adopt', 'write-off', 'move', 'adopt more'] as const) ?? 'adopt';
  const other = `chaos-${dice.integer(0, 2)}`;
  return () => {
    const { strategy, market } = taken;
    const coin = market.startsWith('BTC') ? 'btc' : 'usdt';
    return {
      kind: 'position',
      key,
      act: kind === 'adopt more' ? 'adopt' : kind,
      strategy,
      to: kind === 'move' ? other : null,
      market,
      amount: kind === 'adopt more' ? (ADOPTED[coin] ?? null) : null,
      price: null,
    };
  };
}
