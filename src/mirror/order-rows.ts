import type Database from 'better-sqlite3';

/** An order as the mirror keeps it. Decimals are canonical texts. */
export interface OrderRow {
  readonly clientOrderId: string;
  readonly venueId: number | null;
  readonly strategy: string;
  readonly market: string;
  readonly side: string;
  readonly execution: string;
  readonly price: string;
  readonly amount: string;
  readonly matched: string;
  readonly stage: string;
  readonly status: string | null;
  readonly plannedAtMs: number;
}

export interface TradeRow {
  readonly venueId: number;
  readonly clientOrderId: string;
  readonly market: string;
  readonly side: string;
  readonly atMs: number;
  readonly price: string;
  readonly amount: string;
  readonly total: string;
  readonly fee: string;
}

/** Our orders, every change of them, and our trades. */
export class OrderRows {
  private readonly upsert: Database.Statement<[OrderRow]>;
  private readonly change: Database.Statement<
    [Pick<OrderRow, 'clientOrderId' | 'stage' | 'status' | 'matched'> & { atMs: number }]
  >;
  private readonly insertTrade: Database.Statement<[TradeRow]>;
  private readonly selectOrders: Database.Statement<[], OrderRow>;
  private readonly selectTrades: Database.Statement<[], TradeRow>;

  constructor(database: Database.Database) {
    this.upsert = database.prepare(`
      INSERT INTO orders VALUES (@clientOrderId, @venueId, @strategy, @market, @side, @execution, @price, @amount, @matched, @stage, @status, @plannedAtMs)
      ON CONFLICT (client_order_id) DO UPDATE SET venue_id = @venueId, matched = @matched, stage = @stage, status = @status`);
    this.change = database.prepare(`
      INSERT INTO order_changes (client_order_id, at_ms, stage, status, matched) VALUES (@clientOrderId, @atMs, @stage, @status, @matched)`);
    this.insertTrade = database.prepare(`
      INSERT INTO trades VALUES (@venueId, @clientOrderId, @market, @side, @atMs, @price, @amount, @total, @fee)`);
    this.selectOrders = database.prepare(`
      SELECT client_order_id AS clientOrderId, venue_id AS venueId, strategy, market, side, execution, price, amount, matched, stage, status,
        planned_at_ms AS plannedAtMs
      FROM orders ORDER BY planned_at_ms, client_order_id`);
    this.selectTrades = database.prepare(`
      SELECT venue_id AS venueId, client_order_id AS clientOrderId, market, side, at_ms AS atMs, price, amount, total, fee
      FROM trades ORDER BY venue_id, client_order_id`);
  }

  /** Writes an order as it now is, and the change that led there. */
  save(order: OrderRow, atMs: number): void {
    const { clientOrderId, stage, status, matched } = order;
    this.upsert.run(order);
    this.change.run({ clientOrderId, atMs, stage, status, matched });
  }

  /** Writes a trade. Throws when it is there already: each is read once. */
  addTrade(trade: TradeRow): void {
    this.insertTrade.run(trade);
  }

  all(): readonly OrderRow[] {
    return this.selectOrders.all();
  }

  trades(): readonly TradeRow[] {
    return this.selectTrades.all();
  }
}
