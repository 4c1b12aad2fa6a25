import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Tables } from './tables.ts';

// Lets the clients of others call the exchange binance-spot, and compares what they read with its own tables:
// main.ts FOLDER, in which run.sh beside this file has installed them.

const [folder = ''] = process.argv.slice(2);
const tables = new Tables();
const S = 'BTC/USDT';
const ID = 'BTCUSDT';

// oxlint-disable-next-line typescript/no-explicit-any -- replies of clients that are not part of this project
type Any = any;

const importFrom = async (path: string): Promise<Any> =>
  import(pathToFileURL(join(folder, 'node_modules', path)).href);

const close = (one: number, other: number): void =>
  assert(Math.abs(one - other) < 1e-7, `${one} is not ${other}`);

const ids = (rows: readonly Any[]): readonly number[] => rows.map(({ id }) => Number(id));

/** Compares an order of ccxt with the one of the exchange. */
function sameOrder(order: Any): void {
  const own = tables.order(ID, order.id);
  const words: Record<string, string> = {
    NEW: 'open',
    PARTIALLY_FILLED: 'open',
    FILLED: 'closed',
    CANCELED: 'canceled',
    EXPIRED: 'expired',
  };
  assert.equal(order.status, words[own.status]);
  assert.deepEqual([order.side, order.amount, order.filled], [own.side, own.amount, own.filled]);
  close(order.cost, own.cost);
  assert.equal(order.clientOrderId, own.clientOrderId);
  if (own.price > 0) assert.equal(order.price, own.price);
}

/** Every method of ccxt that this exchange can answer. */
async function callCcxt(): Promise<void> {
  const { default: ccxt } = await importFrom('ccxt/js/ccxt.js');
  const client = new ccxt.binance({
    apiKey: tables.key.key,
    secret: tables.key.secret,
    enableRateLimit: false,
    options: {
      fetchMarkets: { types: ['spot'] },
      fetchCurrencies: false,
      fetchMargins: false,
      warnOnFetchOpenOrdersWithoutSymbol: false,
    },
  });
  for (const name of ['public', 'private']) client.urls.api[name] = `${tables.address}/api/v3`;
  const check = (name: string, act: () => Promise<void>): Promise<void> => tables.check(`ccxt ${name}`, act);

  await check('loadMarkets', async () => {
    const markets = await client.loadMarkets();
    assert.deepEqual(
      Object.values<Any>(markets)
        .map(({ id }): string => id)
        .toSorted(),
      [...tables.core.markets.keys()].toSorted(),
    );
    const { settings } = tables.market(ID).rules;
    const { precision, limits } = markets[S];
    assert.deepEqual(
      [precision.price, precision.amount, limits.amount.min, limits.amount.max, limits.cost.min],
      [settings.tickSize, settings.stepSize, settings.minQty, settings.maxQty, settings.minNotional].map(
        Number,
      ),
    );
  });
  await check('fetchOrderBook', async () => {
    const book = await client.fetchOrderBook(S, 10);
    assert.deepEqual(book.bids, tables.levels(ID, 'buy', 10));
    assert.deepEqual(book.asks, tables.levels(ID, 'sell', 10));
    assert.equal(book.nonce, tables.market(ID).updateId);
  });
  await check('fetchOHLCV', async () => {
    const candles = await client.fetchOHLCV(S, '1m', undefined, 20);
    const { rules, minutes } = tables.market(ID);
    const own = new Map(minutes.map((bar) => [bar.openMs, bar]));
    assert.equal(candles.length, 20);
    for (const [openMs, open, high, low, last, volume] of candles) {
      const bar = own.get(openMs);
      if (bar === undefined) assert.equal(volume, 0);
      else {
        assert.deepEqual(
          [open, high, low, last],
          [bar.open, bar.high, bar.low, bar.close].map((price) => Number(rules.priceText(price))),
        );
        assert.equal(volume, Number(rules.amountText(bar.volume)));
      }
    }
  });
  await check('fetchTrades', async () => {
    const trades = await client.fetchTrades(S, undefined, 50, { fetchTradesMethod: 'publicGetTrades' });
    assert.deepEqual(
      trades.map(({ id }: Any) => Number(id)),
      tables
        .market(ID)
        .trades.slice(-50)
        .map(({ id }) => id),
    );
  });
  await check('fetchTicker and fetchTickers', async () => {
    const ticker = await client.fetchTicker(S);
    const [[bid = 0] = []] = tables.levels(ID, 'buy', 1);
    const [[ask = 0] = []] = tables.levels(ID, 'sell', 1);
    assert.deepEqual([ticker.bid, ticker.ask, ticker.last], [bid, ask, tables.lastPrice(ID)]);
    assert.equal(Object.keys(await client.fetchTickers()).length, tables.core.markets.size);
    assert.equal((await client.fetchTickers([S, 'ETH/BTC']))['ETH/BTC'].last, tables.lastPrice('ETHBTC'));
    assert.equal((await client.fetchBidsAsks())[S].bid, bid);
    assert.equal((await client.fetchLastPrices())[S].price, tables.lastPrice(ID));
  });
  const sameMoney = async (): Promise<void> => {
    const balance = await client.fetchBalance();
    for (const asset of ['USDT', 'BTC', 'BNB', 'TRY'])
      for (const field of ['free', 'used', 'total'] as const)
        close(balance[asset][field], tables.money(asset)[field]);
  };
  await check('fetchBalance', sameMoney);

  const last = tables.lastPrice(ID);
  const [low, high] = [Math.round(last * 0.9), Math.round(last * 1.1)];
  const orders: readonly (readonly [string, string, string, number, number | undefined, object])[] = [
    ['limit', 'limit', 'buy', 0.001, low, {}],
    ['limit that takes', 'limit', 'buy', 0.001, high, {}],
    ['market', 'market', 'buy', 0.001, undefined, {}],
    ['market', 'market', 'sell', 0.001, undefined, {}],
    ['post-only', 'limit', 'sell', 0.001, high, { postOnly: true }],
    ['immediate or cancel', 'limit', 'buy', 0.001, low, { timeInForce: 'IOC' }],
    ['fill or kill', 'limit', 'buy', 0.001, high, { timeInForce: 'FOK' }],
    ['stop loss', 'market', 'sell', 0.001, undefined, { stopLossPrice: low }],
    ['stop loss limit', 'limit', 'sell', 0.001, low - 1, { stopLossPrice: low }],
    ['take profit limit', 'limit', 'sell', 0.001, high, { takeProfitPrice: high }],
    ['with a client id', 'limit', 'buy', 0.001, low, { clientOrderId: 'sarraf-1' }],
  ];
  for (const [name, type, side, amount, price, params] of orders)
    await check(`createOrder: ${name} ${side}`, async () => {
      const order = await client.createOrder(S, type, side, amount, price, params);
      sameOrder(order);
      sameOrder(await client.fetchOrder(order.id, S));
      await sameMoney();
    });
  await check('createMarketBuyOrderWithCost and …SellOrderWithCost', async () => {
    sameOrder(await client.createMarketBuyOrderWithCost(S, 50));
    sameOrder(await client.createMarketSellOrderWithCost(S, 50));
  });
  await check('createOrder: test', async () => {
    const before = tables.orderIds(ID).length;
    await client.createOrder(S, 'limit', 'buy', 0.001, low, { test: true });
    assert.equal(tables.orderIds(ID).length, before);
  });
  await check('fetchOpenOrders, fetchOrders, fetchClosedOrders', async () => {
    assert.deepEqual(ids(await client.fetchOpenOrders(S)), tables.openIds(ID));
    assert.deepEqual(ids(await client.fetchOpenOrders()), tables.openIds(ID));
    const all = await client.fetchOrders(S);
    assert.deepEqual(ids(all), tables.orderIds(ID));
    for (const order of all) sameOrder(order);
    const closed = await client.fetchClosedOrders(S);
    assert.deepEqual(
      ids(closed),
      tables.orderIds(ID).filter((id) => tables.order(ID, id).status === 'FILLED'),
    );
  });
  await check('fetchMyTrades and fetchOrderTrades', async () => {
    const trades = await client.fetchMyTrades(S);
    assert.deepEqual(
      trades.map((trade: Any) => ({
        id: Number(trade.id),
        order: Number(trade.order),
        price: trade.price,
        amount: trade.amount,
        fee: trade.fee.cost,
        asset: trade.fee.currency,
        isMaker: trade.takerOrMaker === 'maker',
      })),
      tables.fills(ID),
    );
    const [first] = tables.fills(ID);
    const ofOrder = tables.fills(ID).filter(({ order }) => order === first?.order);
    assert.equal((await client.fetchOrderTrades(String(first?.order), S)).length, ofOrder.length);
  });
  await check('editOrder', async () => {
    const [id] = tables.openIds(ID);
    const order = await client.editOrder(String(id), S, 'limit', 'buy', 0.002, low + 10);
    sameOrder(order);
    assert.equal(tables.order(ID, id ?? 0).status, 'CANCELED');
  });
  await check('cancelOrder, and its refusal', async () => {
    const [id] = tables.openIds(ID);
    // The reply names the cancel where other replies name the order.
    sameOrder({
      ...(await client.cancelOrder(String(id), S)),
      clientOrderId: tables.order(ID, id ?? 0).clientOrderId,
    });
    await assert.rejects(client.cancelOrder(String(id), S), { name: 'OrderNotFound' });
    await assert.rejects(client.fetchOrder('999999', S), { name: 'OrderNotFound' });
    await assert.rejects(client.createOrder(S, 'limit', 'buy', 1, low), { name: 'InsufficientFunds' });
    await assert.rejects(client.createOrder(S, 'limit', 'buy', 0.001, high, { postOnly: true }), {
      name: 'OrderImmediatelyFillable',
    });
  });
  await check('cancelAllOrders', async () => {
    await client.cancelAllOrders(S);
    assert.deepEqual(tables.openIds(ID), []);
    await sameMoney();
  });
  await check('fees of a market', async () => {
    const { standardCommission } = await client.privateGetAccountCommission({ symbol: ID });
    assert.equal(Number(standardCommission.maker), Number(tables.account.settings.standardCommission.maker));
  });
}

/** Parameters of an OCO around the last price. */
const ocoParams = () => {
  const last = Math.round(tables.lastPrice(ID));
  return {
    aboveType: 'LIMIT_MAKER',
    abovePrice: last + 9_000,
    belowType: 'STOP_LOSS',
    belowStopPrice: last - 9_000,
  };
};

/** Calls of the two official connectors: one signs in its query with an empty body, one by another path. */
async function callConnectors(): Promise<void> {
  const { Spot } = await importFrom('@binance/connector/src/index.js');
  const old = new Spot(tables.key.key, tables.key.secret, { baseURL: tables.address });
  const low = Math.round(tables.lastPrice(ID) * 0.9);
  const check = (name: string, act: () => Promise<void>): Promise<void> =>
    tables.check(`connector ${name}`, act);
  await check('public reads', async () => {
    const calls = [
      old.ping(),
      old.time(),
      old.exchangeInfo({ symbol: ID }),
      old.trades(ID),
      old.historicalTrades(ID, { fromId: 3 }),
      old.aggTrades(ID),
      old.klines(ID, '1h'),
      old.uiklines(ID, '1h'),
      old.avgPrice(ID),
      old.ticker24hr('', [ID, 'ETHUSDT']),
      old.tickerPrice(ID),
      old.bookTicker(ID),
      old.rollingWindowTicker(ID, [], { windowSize: '2h' }),
    ];
    for (const { status } of await Promise.all(calls)) assert.equal(status, 200);
    const { data } = await old.depth(ID, { limit: 5 });
    assert.deepEqual(
      data.bids.map((row: readonly string[]) => row.map(Number)),
      tables.levels(ID, 'buy', 5),
    );
  });
  await check('orders', async () => {
    const params = { quantity: '0.001', price: String(low), timeInForce: 'GTC' };
    const { data } = await old.newOrder(ID, 'BUY', 'LIMIT', params);
    assert.equal(tables.order(ID, data.orderId).status, 'NEW');
    await old.newOrderTest(ID, 'BUY', 'LIMIT', params);
    assert.equal((await old.getOrder(ID, { orderId: data.orderId })).data.status, 'NEW');
    const replaced = await old.cancelAndReplace(ID, 'BUY', 'LIMIT', 'STOP_ON_FAILURE', {
      ...params,
      cancelOrderId: data.orderId,
    });
    assert.equal(tables.order(ID, replaced.data.newOrderResponse.orderId).status, 'NEW');
    await old.cancelOrder(ID, { orderId: replaced.data.newOrderResponse.orderId });
    await old.newOrder(ID, 'BUY', 'LIMIT', params);
    assert.equal((await old.cancelOpenOrders(ID)).data.length, 1);
    assert.deepEqual(
      (await old.allOrders(ID)).data.map(({ orderId }: Any) => orderId),
      tables.orderIds(ID),
    );
  });
  await check('lists', async () => {
    const { aboveType, belowType, ...prices } = ocoParams();
    const { data } = await old.newOCOOrder(ID, 'SELL', '0.001', aboveType, belowType, prices);
    assert.equal(
      (await old.getOCOOrder({ orderListId: data.orderListId })).data.listOrderStatus,
      'EXECUTING',
    );
    assert.equal((await old.getOpenOCOOrders()).data.length, 1);
    await old.cancelOCOOrder(ID, { orderListId: data.orderListId });
    assert.equal((await old.getOCOOrders()).data[0].listOrderStatus, 'ALL_DONE');
  });
  await check('account', async () => {
    const { data } = await old.account();
    const usdt = data.balances.find(({ asset }: Any) => asset === 'USDT');
    close(Number(usdt.free), tables.money('USDT').free);
    assert.equal((await old.myTrades(ID)).data.length, tables.fills(ID).length);
    assert.equal((await old.orderCount()).status, 200);
  });

  const modular = await importFrom('@binance/spot/dist/index.mjs');
  const configurationRestAPI = {
    apiKey: tables.key.key,
    apiSecret: tables.key.secret,
    basePath: tables.address,
  };
  const { restAPI } = new modular.Spot({ configurationRestAPI });
  const call = async (name: string, params: object = {}): Promise<Any> =>
    (await restAPI[name](params)).data();
  await tables.check('modular connector', async () => {
    const info = await call('exchangeInfo', { symbols: [ID, 'ETHUSDT'] });
    assert.deepEqual(
      info.symbols.map(({ symbol }: Any) => symbol),
      [ID, 'ETHUSDT'],
    );
    const order = await call('newOrder', {
      symbol: ID,
      side: 'BUY',
      type: 'LIMIT',
      timeInForce: 'GTC',
      quantity: 0.003,
      price: low,
    });
    assert.equal(tables.order(ID, Number(order.orderId)).amount, 0.003);
    const amended = await call('orderAmendKeepPriority', {
      symbol: ID,
      orderId: order.orderId,
      newQty: 0.002,
    });
    assert.equal(Number(amended.amendedOrder.qty), 0.002);
    await call('deleteOrder', { symbol: ID, orderId: order.orderId });
    const list = await call('orderListOco', { symbol: ID, side: 'SELL', quantity: 0.001, ...ocoParams() });
    await call('deleteOrderList', { symbol: ID, orderListId: list.orderListId });
    for (const [name, params] of [
      ['getAccount', { omitZeroBalances: true }],
      ['accountCommission', { symbol: ID }],
      ['rateLimitOrder', {}],
      ['myPreventedMatches', { symbol: ID, orderId: order.orderId }],
      ['myAllocations', { symbol: ID }],
      ['allOrderList', {}],
      ['openOrderList', {}],
      ['tickerTradingDay', { symbol: ID }],
      ['klines', { symbol: ID, interval: '1m', timeZone: '5:45' }],
    ] as const)
      assert.notEqual(await call(name, params), undefined);
  });
}

/** Calls of ccxt for Python, which prints what it read. */
async function callPython(): Promise<void> {
  await tables.check('ccxt for Python', async () => {
    const script = join(import.meta.dirname, 'ccxt_client.py');
    const { stdout } = await promisify(execFile)(join(folder, 'venv/bin/python'), [
      script,
      tables.address,
      tables.key.key,
      tables.key.secret,
    ]);
    const read: Any = JSON.parse(stdout);
    assert.deepEqual(read.markets.toSorted(), [...tables.core.markets.keys()].toSorted());
    assert.equal(tables.order(ID, read.bought).status, 'FILLED');
    assert.equal(tables.order(ID, read.canceled).status, 'CANCELED');
    assert.deepEqual(read.orders, tables.orderIds(ID));
    assert.deepEqual(
      read.trades,
      tables.fills(ID).map(({ id }) => id),
    );
    close(read.usdt, tables.money('USDT').total);
  });
}

await tables.open();
try {
  await callCcxt();
  await callConnectors();
  await callPython();
} finally {
  await tables.close();
}
console.log(`${tables.passed.length} checks by clients of others passed`);
