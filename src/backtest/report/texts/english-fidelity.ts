/**
 * Description of how the fills of a run came about, rule by rule, and what that cannot know. The bare key of
 * a rule is its name. The keys below it are its possible settings, written as the setting itself.
 */
export const ENGLISH_FIDELITY = {
  'bars.arrival': 'orders arrive',
  'bars.arrival.next-open': 'as the first bar opens that begins no earlier than the order',
  'bars.arrival.this-close': 'at the close of the last bar',
  'bars.inside': 'orders that arrive inside a bar',
  'bars.inside.rule':
    'what takes does so at the open of that bar, while nothing newer is known: no close, no fill inside a bar, no signal; all else has part from the next bar on; a stop that was there as the bar began counts as touched before a cancel, a limit order only where something newer than the open is known',
  'bars.detail': 'finer bars inside a bar',
  'bars.detail.rule':
    'each bar is walked on those of {timeframe} that reach through it with the same open, high, low and close: for orders, timers and signals every rule here is about those, and strategies do not see them; a bar without them is walked whole',
  'bars.market': 'market orders',
  'bars.market.next-open': 'the open, as taker; what is left, at the opens that follow',
  'bars.market.this-close': 'the close, as taker; what is left, at the opens that follow',
  'bars.price': 'price of what takes',
  'bars.price.rule':
    'worse by half of a spread of {spread} bps, and {slippage}; rounded to the price step against the order, at least one step, and not held within the bar',
  'bars.slippage.bps': '{bps} bps of the price',
  'bars.slippage.range': "{share} % of the bar's high less low",
  'bars.band': 'market orders, bound',
  'bars.band.none': 'no bound; a buy ends where the free money of its moment does',
  'bars.band.exchange':
    'ends one percent beyond its stop price, or without one the last close that the bot was shown; a buy ends where the free money of its moment does',
  'bars.limit': 'limit orders',
  'bars.limit.through': 'their own price, as maker, once the bar trades beyond it',
  'bars.limit.touch': 'their own price, as maker, once the bar touches it',
  'bars.beyond': 'limit orders, already beyond their price as they arrive',
  'bars.beyond.through': 'as a market order, no worse than their own price, until an open is not beyond it',
  'bars.beyond.touch':
    'as a market order, at their very price too, no worse than their own price, until an open is not beyond it',
  'bars.gap': 'limit orders, gap',
  'bars.gap.open': 'the open, on a step against the order, as maker',
  'bars.gap.own-price': 'their own price, as maker',
  'bars.stops.through':
    'trigger when the bar reaches the stop price, at a gap at the open; then take at that price, a stop-limit order only where that is better than its limit and with costs no worse than that, else it rests',
  'bars.stops.touch':
    'trigger when the bar reaches the stop price, at a gap at the open; then take at that price, a stop-limit order only where that is no worse than its limit and with costs no worse than that, else it rests',
  'bars.oco': 'OCO',
  'bars.oco.rule': 'a fill of one leg, or the trigger of the stop, cancels the other',
  'bars.path': 'path inside a bar',
  'bars.path.worst-first':
    'worst first: of an OCO the stop comes before the limit leg wherever both could fill; a stop-limit order that rests after it triggered inside a bar fills in that bar only if the close is beyond its limit',
  'bars.path.open-high-low-close': 'open, high, low, close',
  'bars.path.open-low-high-close': 'open, low, high, close',
  'bars.path.nearest-first':
    'open, the extreme nearer to it (the low if both are as near), the other extreme, close',
  'bars.volume': 'volume',
  'bars.volume.none': 'no bound',
  'bars.volume.worst-first':
    'all orders of a market together at most {share} % of the volume of a bar; the rest stays open; first at the open, then stops, then limits, of which the older first',
  'bars.volume.by-path':
    'all orders of a market together at most {share} % of the volume of a bar; the rest stays open; first at the open, then as the path comes to them, at one price stops, then limits, of which the older first',
  'bars.seen': 'when the bot sees it',
  'bars.seen.rule':
    'fills at an open as the bar begins, all others a millisecond before it ends, each before the next; an order that answers one of them has part in the rest of the path, where none is assumed in the way to the close',
  'bars.age': 'age of prices',
  'bars.age.rule':
    'the open of the current bar, or the last close, counts as a fresh book until the next bar is due to close; in a gap it ages from then on',
  'bars.time': 'time of a fill',
  'bars.time.next-open': 'the bar begins, at an open; one millisecond before it ends, elsewhere',
  'bars.time.this-close':
    'the bar begins, at an open; the order does, at a close; one millisecond before it ends, elsewhere',

  'bars.unknown.order': 'A bar does not say in which order its prices came, nor what the book looked like.',
  'bars.unknown.impact':
    'Orders move no price: what was traded in a bar would have been traded without them too.',
  'bars.unknown.queue':
    'Nothing is known of the queue: a limit order fills as if it were first at its price.',
  'bars.unknown.delay':
    'There is no delay and no limit on requests: the bot sees each bar as it closes and its orders are there at once.',
  'bars.unknown.volume':
    'How much of an order fills at an open follows from the volume of the whole bar, which was not known then.',
  'bars.unknown.costs': 'What takes pays neither spread nor slippage: real fills are worse.',
  'bars.unknown.touch': 'A touched limit price counts as a fill, which is too good for most orders.',
  'bars.unknown.gap':
    'A resting limit order fills at the open of a gap, which is better than its own price; a real one fills at its own.',
  'bars.unknown.close':
    'Orders fill at the close on which they were decided, which is not possible in practice.',
  'bars.unknown.path': 'The path inside a bar is assumed; it can favour a stop and a limit order in one bar.',
  'bars.unknown.size': 'Orders of any size fill whole, whatever was traded.',
  'bars.unknown.band':
    'The exchange gives up a market order one percent beyond its price; here a gap of any size fills it.',

  stops: 'stop orders',
  fees: 'fees',
  'fees.rule': 'half-even, in the currency received, by the fill being maker or taker',

  'poll.bot': 'the bot',
  'poll.bot.rule': 'the live one: poll plan, budgets, risk checks and orders, in virtual time',
  'poll.changes': 'the market changes',
  'poll.changes.rule':
    'at the time that the exchange gave, else when it was seen; at the same time trades before books',
  'poll.bars': 'bars',
  'poll.bars.rule':
    'the recorded ones, from their close on; where none was recorded, made of trades, else of the middles of books',
  'poll.statistics': 'statistics',
  'poll.statistics.rule':
    'what was recorded last, from when it was seen; before the first, made of what went by',
  'poll.latency': 'latency',
  'poll.latency.constant': '{out} ms to the exchange, {back} ms back',
  'poll.latency.replayed': 'what each call of the session took; further ones are {further}',
  'poll.latency.drawn': 'drawn for each request from {trips}; half of it each way, seed {seed}',
  'poll.latency.drawnOfOrders':
    'drawn for each request from {trips}, for orders from {ofOrders}; half of it each way, seed {seed}',
  'poll.oneTrip': '{number} recorded round trip of {least} to {most} ms (median {median} ms)',
  'poll.trips': '{number} recorded round trips of {least} to {most} ms (median {median} ms)',
  'poll.lag': 'own trades are listed',
  'poll.lag.none': 'at once',
  'poll.lag.some': '{lag} ms late',
  'poll.takes': 'orders that take',
  'poll.takes.rule': 'what the last recorded book offers, level by level, less what was traded there since',
  'poll.taken': 'what was taken',
  'poll.taken.until-change': 'is missing until a recorded book shows another amount at that price',
  'poll.taken.next-book': 'is missing until the next recorded book',
  'poll.rests': 'orders that rest',
  'poll.rests.rule':
    '{queue}; forward only by recorded trades at that price, and never behind more than the book still shows there',
  'poll.queue.front': 'before all that the book shows at its price',
  'poll.queue.back': 'behind all that the book shows at its price',
  'poll.queue.share': 'behind {share} % of what the book shows at its price',
  'poll.unreached': 'orders that rest at a price the book did not reach',
  'poll.unreached.rule':
    'behind what it shows there once it does; until then only a trade beyond their price fills them',
  'poll.through': 'the market goes through a resting order',
  'poll.through.whole':
    'a recorded trade beyond its price, or a book whose other side reaches it, fills all of it at its own price',
  'poll.through.volume':
    'a recorded trade beyond its price, or a book whose other side reaches it, fills as much as was traded or offered, at its own price',
  'poll.stops.rule': 'trigger by the last recorded trade, then take as others do',
  'poll.own': 'the book that is polled',
  'poll.own.shown': 'the recorded one, less what we took, with our own orders in it',
  'poll.own.hidden': 'the recorded one: others do not see our orders',
  'poll.value': 'value of the account',
  'poll.value.rule': 'the last price at the exchange, whether the bot had seen it or not',

  'poll.unknown.reaction': 'The recorded market does not react: no quote moves because of our orders.',
  'poll.unknown.between':
    'Between two recorded books the book stands still; what came and went between them is not known.',
  'poll.unknown.canceled':
    'What stood before us and was canceled counts as still there, as long as the book shows as much.',
  'poll.unknown.recording':
    'The recording was itself made by asking: a change counts from when it was recorded to have been, which is late by up to one of its polls where the exchange gave no time.',
  'poll.unknown.faults':
    'Replies are never lost, and the exchange refuses nothing but by its rules; a run of the fuzzer does both.',
  'poll.unknown.whole':
    'An order that the market goes through fills whole, however little was traded beyond it.',

  'mirror.fills': 'fills, fees, orders',
  'mirror.fills.rule': 'those of the exchange, as the bot read them',
  'mirror.account': 'the account',
  'mirror.account.books':
    'its money by the books, and the coins of its strategies, less what each fill brought and took',
  'mirror.account.balances':
    'its money by the last balances, and the coins of its strategies, less what each fill brought and took',
  'mirror.account.capital':
    'the capital of its strategies and the coins that they own, less what each fill brought and took',
  'mirror.account.nothing': 'fills alone: the mirror has no balance, so that it begins with nothing',
  'mirror.prices': 'prices',
  'mirror.prices.rule':
    'the close of the last candle that the mirror has, or a trade or reading after it; before the first candle the price of a fill',
  'mirror.candles': 'candles',
  'mirror.candles.none': 'none',
  'mirror.candles.some': '{series}',
  'mirror.series': '{market} {timeframe}',
  'mirror.plots': 'plots',
  'mirror.plots.rule': 'the last value of each minute, as many as the bot keeps candles',
  'mirror.pauses': 'when the bot did not run',
  'mirror.pauses.rule':
    'from its last sign of life, which it writes every few seconds, to when strategies began again',

  'mirror.removed.fills': {
    one: 'Retention has removed {count} fill; the oldest that is left is of {time} UTC. Equity begins there, and what was bought before has no cost here.',
    other:
      'Retention has removed {count} fills; the oldest that is left is of {time} UTC. Equity begins there, and what was bought before has no cost here.',
  },
  'mirror.removed.orders': {
    one: 'Retention has removed {count} order; the oldest that is left is of {time} UTC.',
    other: 'Retention has removed {count} orders; the oldest that is left is of {time} UTC.',
  },
  'mirror.removed.intents': {
    one: 'Retention has removed {count} intent; the oldest that is left is of {time} UTC.',
    other: 'Retention has removed {count} intents; the oldest that is left is of {time} UTC.',
  },
  'mirror.removed.journal': {
    one: 'Retention has removed {count} line of the journal; the oldest that is left is of {time} UTC.',
    other: 'Retention has removed {count} lines of the journal; the oldest that is left is of {time} UTC.',
  },
  'mirror.moreFills': {
    one: '{count} older fill is left out, as a report has room for no more.',
    other: '{count} older fills are left out, as a report has room for no more.',
  },
  'mirror.moreOrders': {
    one: '{count} older order is left out, as a report has room for no more.',
    other: '{count} older orders are left out, as a report has room for no more.',
  },
  'mirror.unknown.candles':
    'The mirror has no candles: between its own fills the bot does not know what anything cost.',
  'mirror.unknown.candlesBefore':
    'Candles of {market} begin at {time} UTC: before it, its price is that of its fills.',
  'mirror.unknown.value':
    'The account has {currencies}, which no market of the session values: it counts for nothing.',
  'mirror.unknown.values':
    'The account has {currencies} and {more} more, which no market of the session values: it counts for nothing.',
  'mirror.unknown.transfers':
    'Deposits and withdrawals are no profit: the equity counts them as if they had been there from the beginning on.',
  'mirror.unknown.refused':
    'Intents that were refused before they became work (by the state of trading, the steps of the market, a malformed wish) and cancels are not in the mirror, only in the log of the bot; so intents and refusals may be fewer than those of a backtest.',
  'mirror.unknown.rest':
    'The equity is that at the closes of candles. Members of universes, readings (requests that are no order or cancel) and lockouts of request budgets are not in the mirror; "{command}" shows lockouts.',
  'mirror.unknown.params':
    'The mirror has no params of strategies: name the configuration with {option} to see them here.',

  'universe.survivorship':
    'Survivorship: universes choose among the {markets} markets of this data set. Those that the exchange has taken off since are missing if nobody recorded them, and the result looks better by that.',
  'universe.byStatistics': 'The markets of universes were ranked by the recorded statistics of each moment.',
  'universe.byBars':
    'The markets of universes were ranked by their bars of the last day before each moment, and not by the statistics of the exchange.',
  'universe.noSpread': 'Bars show no spread, so {setting} kept no market out.',
} as const;
