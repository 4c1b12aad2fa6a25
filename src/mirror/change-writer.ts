import type Database from 'better-sqlite3';
import { formatUnits } from '../domain/money.ts';
import type { MirrorChange } from '../engine/mirror-change.ts';
import type { WalletTransaction } from '../venues/port.ts';
import {
  FILL_ROWS,
  ORDER_ROWS,
  INTENT_ROWS,
  ALGORITHM_ROWS,
  STRATEGY_ROWS,
  BALANCE_ROWS,
} from './record-tables.ts';

type Statement = Database.Statement<[object]>;

/** Writes one change as rows. Every statement is prepared once. */
export class ChangeWriter {
  private readonly journal: Statement;
  private readonly order: Statement;
  private readonly fill: Statement;
  private readonly fillGone: Statement;
  private readonly intent: Statement;
  private readonly algorithm: Statement;
  private readonly algorithmEnd: Statement;
  private readonly strategy: Statement;
  private readonly market: Statement;
  private readonly wallet: Statement;
  private readonly transaction: Statement;
  private readonly book: Statement;
  private readonly stats: Statement;
  private readonly candle: Statement;
  private readonly publicTrade: Statement;
  private readonly retained: Statement;
  private readonly figure: Statement;
  private readonly reply: Statement;
  private readonly move: Statement;

  constructor(database: Database.Database) {
    const prepare = (sql: string): Statement => database.prepare<[object]>(sql);
    this.journal = prepare(
      'INSERT INTO journal (at_ms, kind, subject, json) VALUES (@atMs, @kind, @subject, @json)',
    );
    this.order = prepare(ORDER_ROWS.upsert('order_key', { atMs: 'updated_at_ms' }));
    this.fill = prepare(FILL_ROWS.upsert("trade_id, ifnull(venue_order_id, ''), side"));
    this.fillGone = prepare(
      "DELETE FROM fills WHERE trade_id = @tradeId AND ifnull(venue_order_id, '') = ifnull(@venueOrderId, '') AND side = @side",
    );
    this.intent = prepare(INTENT_ROWS.upsert('intent_id'));
    this.algorithm = prepare(ALGORITHM_ROWS.upsert('intent_id'));
    this.algorithmEnd = prepare('DELETE FROM algorithms WHERE intent_id = @intentId');
    this.strategy = prepare(STRATEGY_ROWS.upsert('name'));
    this.market = prepare(
      'INSERT OR REPLACE INTO market_versions VALUES (@symbol, @version, @fromMs, @priceStep, @amountStep, @minOrderValue)',
    );
    this.wallet = prepare(BALANCE_ROWS.upsert('currency'));
    this.transaction = prepare(`
      INSERT INTO transactions (currency, id, at_ms, amount, description)
      VALUES (@currency, @id, @atMs, @amount, @description)
      ON CONFLICT (currency, id) DO UPDATE SET at_ms = @atMs, amount = @amount, description = @description`);
    this.book = prepare('INSERT OR REPLACE INTO books VALUES (@market, @bids, @asks, @updatedAtMs, @atMs)');
    this.stats = prepare(`
      INSERT OR REPLACE INTO stats (market, is_closed, closed_reason, best_sell, best_buy, base_volume, quote_volume, latest, mark, day_low,
        day_high, day_open, day_close, day_change, seen_at_ms)
      VALUES (@market, @isClosed, @closedReason, @bestSell, @bestBuy, @baseVolume, @quoteVolume, @latest, @mark, @dayLow,
        @dayHigh, @dayOpen, @dayClose, @dayChange, @atMs)`);
    this.candle = prepare(
      'INSERT OR REPLACE INTO candles VALUES (@market, @timeframe, @openTimeMs, @open, @high, @low, @close, @volume)',
    );
    this.publicTrade = prepare(`
      INSERT INTO public_trades VALUES (@market, (SELECT ifnull(max(ordinal), 0) + 1 FROM public_trades WHERE market = @market),
        @timeMs, @price, @amount, @side)`);
    this.retained = prepare('INSERT OR REPLACE INTO kept VALUES (@name, @json, @atMs)');
    this.figure = prepare('INSERT OR REPLACE INTO figures VALUES (@name, @atMs, @value)');
    this.reply = prepare(
      'INSERT OR REPLACE INTO replies VALUES (@orderKey, @step, @problem IS NULL, @atMs, @endpoint, @httpStatus, @body, @bodyLength, @problem)',
    );
    this.move = prepare(`
      INSERT INTO position_moves (key, act, at_ms, from_strategy, to_strategy, asset, amount, price, market, by)
      VALUES (@key, @act, @atMs, @from, @to, @asset, @amount, @price, @market, @by)`);
  }

  /** `atMs`: when it was decided or seen. */

  write(change: MirrorChange, atMs: number): void {
    switch (change.kind) {
      case 'journal':
        this.journal.run({ ...change.entry, atMs });
        return;
      case 'order':
        this.order.run({ ...ORDER_ROWS.stored(change.order), atMs });
        return;
      case 'fill':
        this.fill.run(FILL_ROWS.stored(change.fill));
        return;
      case 'fill-gone':
        this.fillGone.run(FILL_ROWS.stored(change.fill));
        return;
      case 'intent':
        this.intent.run(change.intent);
        return;
      case 'algorithm':
        this.algorithm.run(change.algorithm);
        return;
      case 'algorithm-end':
        this.algorithmEnd.run({ intentId: change.intentId });
        return;
      case 'strategy':
        this.strategy.run(change.strategy);
        return;
      case 'kept':
        this.retained.run({ name: change.name, json: change.json, atMs });
        return;
      case 'figure':
        this.figure.run(change.figure);
        return;
      case 'reply':
        this.reply.run(change.reply);
        return;
      case 'position-move':
        this.move.run(change.move);
        return;
      case 'market':
      case 'wallet':
      case 'transaction':
      case 'book':
      case 'stats':
      case 'candle':
      case 'public-trades':
        this.writeSeen(change, atMs);
    }
  }

  /** Writes the exchange's data on markets and wallets. */
  private writeSeen(
    change: Extract<
      MirrorChange,
      { kind: 'market' | 'wallet' | 'transaction' | 'book' | 'stats' | 'candle' | 'public-trades' }
    >,
    atMs: number,
  ): void {
    switch (change.kind) {
      case 'market':
        this.market.run(change.market);
        return;
      case 'wallet':
        this.wallet.run(BALANCE_ROWS.stored({ ...change.wallet, seenAtMs: atMs }));
        return;
      case 'transaction':
        this.transaction.run(storedTransaction(change.transaction));
        return;
      case 'book': {
        const { bids, asks, updatedAtMs } = change.book;
        this.book.run({
          market: change.market,
          bids: JSON.stringify(bids),
          asks: JSON.stringify(asks),
          updatedAtMs,
          atMs,
        });
        return;
      }
      case 'stats': {
        const { market, isClosed, ...numbers } = change.stats;
        this.stats.run({ ...numbers, market: market.symbol, isClosed: isClosed ? 1 : 0, atMs });
        return;
      }
      case 'candle':
        this.candle.run({ market: change.market, timeframe: change.timeframe, ...change.candle });
        return;
      case 'public-trades':
        for (const trade of change.trades) this.publicTrade.run({ market: change.market, ...trade });
    }
  }
}

function storedTransaction({ currency, id, atMs, amount, description }: WalletTransaction): object {
  return { currency, id, atMs, amount: formatUnits(amount), description };
}
