import type { TimeWriter } from './rows.ts';
import type { SpotAccount, SpotMarket, SpotOrder } from './state.ts';
import type { SpotEngine } from './engine.ts';
import type { OrderCount } from './limits.ts';
import type { Parameters, SentParameters, ValuesOf } from './parameters.ts';
import type { SpotSettings } from './settings.ts';

/** Everything that a handler may use. */
export interface CallContext {
  readonly settings: SpotSettings;
  readonly engine: SpotEngine;
  readonly nowMs: number;
  /** Time of which orders and trades are read: earlier than now for a read that is behind. */
  readonly asOfMs: number;
  readonly time: TimeWriter;
  /** Returns a market; refuses an unknown symbol. */
  readonly market: (symbol: string) => SpotMarket;
  /** Makes a client id of 22 characters. */
  readonly newId: () => string;
  /** Returns an order as it is read: null if it is not there yet. */
  readonly read: (order: SpotOrder) => SpotOrder | null;
}

/** Context of a call with a key. */
export interface AccountContext extends CallContext {
  readonly account: SpotAccount;
  readonly orderCount: OrderCount;
}

/** Reply of a handler with another status than 200. */
export class SpotAnswer {
  readonly body: unknown;
  readonly status: number;

  constructor(body: unknown, status: number) {
    this.body = body;
    this.status = status;
  }
}

type Weight = number | ((sent: SentParameters['values'], symbols: number) => number);

/** One endpoint: everything that the exchange knows of it. */
export interface SpotEndpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path after `/api/v3/`. */
  readonly path: string;
  readonly security: 'NONE' | 'USER_DATA' | 'TRADE';
  /** Weight, by the sent parameters and the number of markets. */
  readonly weight: Weight;
  /** True if a success costs no weight. */
  readonly isFreeOnSuccess: boolean;
  /** Orders that a success adds to the count of unfilled ones; `own` if the handler counts them. */
  readonly orders: number | 'own';
  readonly parameters: Parameters;
  readonly handle: (context: never, values: never) => unknown;
  /** Checks of parameters beside each other, before the signature. */
  readonly check?: (values: never, settings: SpotSettings) => void;
}

interface PublicDeclaration<Declared extends Parameters> {
  readonly weight: Weight;
  readonly parameters: Declared;
  readonly check?: (values: ValuesOf<Declared>, settings: SpotSettings) => void;
  readonly handle: (context: CallContext, values: ValuesOf<Declared>) => unknown;
}

interface SignedDeclaration<Declared extends Parameters> {
  readonly weight: Weight;
  readonly orders?: number | 'own';
  readonly parameters: Declared;
  readonly check?: (values: ValuesOf<Declared>, settings: SpotSettings) => void;
  readonly handle: (context: AccountContext, values: ValuesOf<Declared>) => unknown;
}

const COMMON = { isFreeOnSuccess: false, orders: 0 };

/** Declares a read of market data. */
export const publicGet = <Declared extends Parameters>(
  path: string,
  of: PublicDeclaration<Declared>,
): SpotEndpoint => ({ ...COMMON, ...of, method: 'GET', path, security: 'NONE' });

/** Declares a read of an account. */
export const accountGet = <Declared extends Parameters>(
  path: string,
  of: SignedDeclaration<Declared>,
): SpotEndpoint => ({ ...COMMON, ...of, method: 'GET', path, security: 'USER_DATA' });

/** Declares a call that places or cancels; `isFreeOnSuccess` follows the interface's list of them. */
export const trade = <Declared extends Parameters>(
  method: 'POST' | 'PUT' | 'DELETE',
  path: string,
  of: SignedDeclaration<Declared> & { readonly isFreeOnSuccess?: boolean },
): SpotEndpoint => ({ ...COMMON, isFreeOnSuccess: true, ...of, method, path, security: 'TRADE' });
