import type { z } from 'zod';
import type { User } from '../../../simulator/user.ts';
import type { MarketState, SimulatedOrder } from '../../../simulator/market-state.ts';
import { parseMarket } from '../../../exchange/market-names.ts';
import type { Simulation, WorldClock } from '../../simulation.ts';

/** Parts that an administrator's command works with. */
export interface AdminContext {
  readonly simulation: Simulation;
  readonly clock: WorldClock;
  /** Advances the world to the clock's time and returns it. */
  readonly tick: () => number;
}

/** A command of the administrator. */
export interface AdminCommand<Schema extends z.ZodObject = z.ZodObject> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path after `/_sim`. */
  readonly path: string;
  /** Description for the list of commands, one sentence. */
  readonly summary: string;
  readonly input: Schema;
  /** Runs the command; returns the reply for JSON, with bigints written as text. Throws `AdminRefusal`. */
  run(context: AdminContext, input: z.output<Schema>): unknown;
}

/** Returns a command unchanged; it only infers the type of the input. */
export const adminCommand = <Schema extends z.ZodObject>(command: AdminCommand<Schema>): AdminCommand =>
  command;

/** A command that failed: says what was expected and what was found. Nothing was changed. */
export class AdminRefusal extends Error {
  override readonly name = 'AdminRefusal';
  readonly status: 404 | 409;

  constructor(message: string, status: 404 | 409 = 409) {
    super(message);
    this.status = status;
  }
}

/** Returns a user by name or id. */
export function userOf(context: AdminContext, name: string | number): User {
  const { users } = context.simulation.exchange.services;
  const user = users.findByName(String(name)) ?? users.find(Number(name));
  if (user !== undefined) return user;
  const known = [...users.all()].map(({ username }) => username).slice(0, 20);
  throw new AdminRefusal(`expected a user, one of ${known.join(', ')}, was "${name}"`, 404);
}

export function marketOf(context: AdminContext, spelling: string): MarketState {
  const { markets } = context.simulation.exchange;
  let market: MarketState | undefined;
  try {
    market = markets.get(parseMarket(spelling).symbol);
  } catch {
    market = undefined;
  }
  if (market !== undefined) return market;
  throw new AdminRefusal(
    `expected a market, one of ${[...markets.keys()].join(', ')}, was "${spelling}"`,
    404,
  );
}

/** Returns an order of any user. */
export function adminOrderOf(context: AdminContext, id: number): SimulatedOrder {
  const { trading } = context.simulation.exchange;
  for (const trader of trading.allTraders()) {
    const order = trading.find(trader.userId, { id, clientOrderId: null });
    if (order !== undefined) return order;
  }
  throw new AdminRefusal(`expected the id of an order, was ${id}`, 404);
}
