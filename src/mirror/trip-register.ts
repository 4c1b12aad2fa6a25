import { parseMarket } from '../exchange/market-names.ts';
import { NO_UNITS, parseUnits, type Units } from '../domain/money.ts';
import { venueTradeId, type ExitKind, type Side } from '../domain/order.ts';
import { EMPTY_FILL, type FillRecord } from '../records/fill.ts';
import {
  TripBooks,
  valueAt,
  type LabelledTrip,
  type RoundTrip,
  type TripMarket,
} from '../portfolio/round-trips.ts';
import type { PositionMoveRecord } from '../engine/mirror-change.ts';
import type { MirrorReader } from './mirror-reader.ts';
import { positionMovesOf } from './read-statement-rows.ts';
import { FILL_ROWS, NOTE_ROWS } from './record-tables.ts';

/** Round trip of a strategy, with what its orders say about it. */
export interface ListedTrip extends LabelledTrip {
  readonly strategy: string;
  /** Key of what a note on it belongs to: its purchase, or the command that moved its coins. */
  readonly entry: string | null;
  readonly note: string;
  /** First stop price of its bracket; null without a stop. */
  readonly firstStop: Units | null;
}

interface OrderLabels {
  readonly key: string;
  readonly intentId: string;
  readonly tag: string | null;
  readonly exit: ExitKind | null;
}

/** Content of the fills up to an id: a change of one that was read before changes it. */
const CONTENT = `SELECT group_concat(part) FROM (
  SELECT strategy || count(*) || ' ' || total(cursor) || ' ' || total(amount) AS part
  FROM fills WHERE id <= ? GROUP BY strategy)`;

/** Place up to which a mirror was read. */
interface Place {
  readonly lastId: number;
  readonly lastMs: number;
  readonly content: string;
  readonly moves: number;
}

const NOTHING: Place = { lastId: 0, lastMs: 0, content: '', moves: 0 };

/**
 * All round trips of the strategies in a mirror. Fills that were read are not read again, unless one of them
 * has changed: a trade has replaced a placeholder, another order owns it, or the oldest were removed.
 */
export class TripRegister {
  readonly #reader: MirrorReader;
  readonly #markets = new Map<string, TripMarket>();
  readonly #labels = new Map<string, OrderLabels>();
  readonly #firstStops = new Map<string, Units>();
  /** Keys of the commands that moved coins, by the strategy that got them, the market and the time. */
  readonly #moved = new Map<string, string>();
  #lastOrderId = 0;
  #books = new TripBooks(this.#markets);
  #place = NOTHING;

  constructor(reader: MirrorReader) {
    this.#reader = reader;
  }

  /**
   * Returns the trips as of now; those that are open come last. `priceOf`: last price of a market; null makes
   * what is open worth nothing.
   */
  trips(priceOf: (market: string) => Units | null): readonly ListedTrip[] {
    this.#readMarkets(priceOf);
    if (!this.#readFills()) {
      // Labels of orders whose fills were removed go too: a bot runs for months.
      this.#labels.clear();
      this.#firstStops.clear();
      this.#lastOrderId = 0;
      this.#books = new TripBooks(this.#markets);
      this.#place = NOTHING;
      this.#readFills();
    }
    this.#readStops();
    const notes = NOTE_ROWS.select(this.#reader.database, '')();
    const noteOf = new Map(notes.map(({ entry, text, tags }) => [entry, { note: text, tags }]));
    return this.#books.trips().trips.map((trip) => this.#listed(trip, noteOf));
  }

  #readMarkets(priceOf: (market: string) => Units | null): void {
    for (const { symbol, amountStep, minOrderValue } of this.#reader.markets.versions())
      this.#markets.set(symbol, {
        base: parseMarket(symbol).base,
        amountStep: parseUnits(amountStep),
        minOrderValue: parseUnits(minOrderValue),
        lastPrice: priceOf(symbol) ?? NO_UNITS,
      });
  }

  /** Adds the new fills; returns false if old ones have changed, or a new one is older than one of them. */
  #readFills(): boolean {
    const { database } = this.#reader;
    const contentTo = (id: number): string =>
      database.prepare<[number], string>(CONTENT).pluck().get(id) ?? '';
    const { lastId, lastMs, content, moves } = this.#place;
    if (contentTo(lastId) !== content) return false;
    const all = positionMovesOf(database);
    const fills = [
      ...FILL_ROWS.select(database, 'WHERE id > ? AND strategy IS NOT NULL ORDER BY at_ms, id')(lastId),
      ...all.slice(moves).flatMap((move) => fillsOfMove(move)),
    ].toSorted((left, right) => left.atMs - right.atMs);
    if ((fills[0]?.atMs ?? lastMs) < lastMs) return false;
    this.#readLabels(fills);
    for (const fill of fills) this.#books.add(fill);
    for (const { to, market, atMs, key } of all) this.#moved.set(`${to} ${market} ${atMs}`, key);
    const newestId = database.prepare<[], number>('SELECT ifnull(max(id), 0) FROM fills').pluck().get() ?? 0;
    this.#place = {
      lastId: newestId,
      lastMs: fills.at(-1)?.atMs ?? lastMs,
      content: contentTo(newestId),
      moves: all.length,
    };
    return true;
  }

  #readLabels(fills: readonly FillRecord[]): void {
    const keys = new Set(fills.map(({ orderKey }) => orderKey).filter((key) => key !== null));
    const rows = this.#reader.database
      .prepare<[string], OrderLabels>(
        `SELECT order_key AS key, intent_id AS intentId, tag, exit_kind AS exit FROM orders
         WHERE order_key IN (SELECT value FROM json_each(?))`,
      )
      .all(JSON.stringify([...keys]));
    for (const row of rows) this.#labels.set(row.key, row);
  }

  /** Reads the first stop of each intent: later ones may have been moved. */
  #readStops(): void {
    const rows = this.#reader.database
      .prepare<[number], { readonly id: number; readonly intentId: string; readonly price: string }>(
        `SELECT id, intent_id AS intentId, stop_price AS price FROM orders
         WHERE id > ? AND exit_kind = 'stop-loss' AND stop_price IS NOT NULL ORDER BY id`,
      )
      .all(this.#lastOrderId);
    for (const { id, intentId, price } of rows) {
      if (!this.#firstStops.has(intentId)) this.#firstStops.set(intentId, parseUnits(price));
      this.#lastOrderId = id;
    }
  }

  #listed(
    trip: RoundTrip,
    noteOf: ReadonlyMap<string, { readonly note: string; readonly tags: string }>,
  ): ListedTrip {
    const entry = this.#labels.get(trip.entryOrder ?? '');
    const exit = this.#labels.get(trip.exitOrder ?? '');
    const { strategy, market, openedAtMs } = trip;
    const key = trip.entryOrder ?? this.#moved.get(`${strategy} ${market} ${openedAtMs}`) ?? null;
    const { note = '', tags = '[]' } = noteOf.get(key ?? '') ?? {};
    return {
      ...trip,
      strategy: strategy ?? '',
      entry: key,
      note,
      tags: JSON.parse(tags) as string[],
      entryTag: entry?.tag ?? null,
      exitTag: exit?.tag ?? null,
      exit: exit?.exit ?? null,
      firstStop: this.#firstStops.get(entry?.intentId ?? '') ?? null,
    };
  }
}

/** True if something was bought by this order, or came with this command: a note can belong to it. */
export function isEntry({ database }: MirrorReader, entry: string): boolean {
  const buy = database.prepare("SELECT 1 FROM fills WHERE order_key = ? AND side = 'buy'").get(entry);
  return buy !== undefined || positionMovesOf(database).some(({ key, to }) => key === entry && to !== null);
}

/** Returns coins that a person moved between books as a sale and a purchase without an order. */
function fillsOfMove({ key, atMs, from, to, amount, price, market }: PositionMoveRecord): FillRecord[] {
  const units = { amount: parseUnits(amount), price: parseUnits(price) };
  const fill = {
    ...EMPTY_FILL,
    ...units,
    tradeId: venueTradeId(key),
    cursor: 0,
    market,
    atMs,
    fee: NO_UNITS,
  };
  const total = valueAt(units.price, units.amount);
  const part = (side: Side, strategy: string | null): FillRecord[] =>
    strategy === null ? [] : [{ ...fill, side, strategy, total }];
  return [...part('sell', from), ...part('buy', to)];
}
