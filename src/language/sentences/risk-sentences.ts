/**
 * Messages of pre-trade risk, and reasons an order does not fit its market or the amount that may be spent.
 */
export const RISK_SENTENCES = {
  'risk-order-size': 'the order of {amount:money} is above the limit of {limit:money} for one order',
  'risk-order-unpriced':
    'the order of {amount:money} has no price, and the book has none to value it with; one order may have at most {limit:money}',
  'risk-order-value':
    'the order of {amount:money} at {price:money} has a value of {value:money}, above the limit of {limit:money} for one order',
  'risk-order-rate': 'the limit is {limit:count} orders within {span:length}, and it is used up',
  'risk-order-rate-until':
    'the limit is {limit:count} orders within {span:length}, and it is used up; the next may follow in {wait:ms} ms',
  'risk-open-orders-of':
    'strategy {strategy:name} has {open:count} open orders and one more would exceed the limit of {limit:count}',
  'risk-open-orders':
    'the bot has {open:count} open orders and one more would exceed the limit of {limit:count}',
  'risk-no-book': 'no book of {market:name} is there to measure the price against',
  'risk-nobody': 'nobody {side:said} in the last book of {market:name}, and the order takes any price',
  'risk-collar-above':
    'the price of {price:money} is more than {bps:count} bps above {what:said} of {from:money}',
  'risk-collar-below':
    'the price of {price:money} is more than {bps:count} bps below {what:said} of {from:money}',
  'risk-passive-collar':
    'the order would wait at {price:money}, more than {bps:count} bps {direction:said} the best price of {best:money}',
  'risk-book-unread': 'no book of {market:name} was read yet, and it may be at most {limit:ms} ms old',
  'risk-book-old': 'the book of {market:name} was read {age:ms} ms ago, above the limit of {limit:ms} ms',
  'risk-book-old-there':
    'the exchange says that the book of {market:name} is {age:ms} ms old, above the limit of {limit:ms} ms',
  'risk-bar-late':
    'the bar of {market:name} that was due {age:ms} ms ago is missing, above the limit of {limit:ms} ms',
  'risk-daily-loss':
    'the loss of the day is {loss:money}, above the limit of {limit:money}; only orders that reduce the position pass until 00:00 UTC',
  'risk-drawdown':
    'the result has fallen by {fall:money} from its highest of {peak:money}, above the limit of {limit:money}; only orders that reduce the position pass',
  'risk-loss-cooldown':
    '{losses:count} round trips in a row lost money, the limit is {limit:count}; only orders that reduce the position pass for the next {wait:ms} ms',
  'risk-result-unknown':
    'the result in {quote:name} is not known: {assets:text} no price in {currency:name} before {market:name} was seen, so the bot has to follow it; only orders that reduce the position pass',
  'risk-self-crossing':
    'the {side:said} of {amount:money} at {price:price} could trade with the own {otherSide:said} {other:name} of strategy {strategy:name} at {otherPrice:price}',
  'risk-position':
    'the order of {amount:money} would make a position of {worst:money}, above the limit of {limit:money}',
  'risk-short-position':
    'the order of {amount:money} would make a short position of {worst:money}, above the limit of {limit:money}',
  'risk-position-unknown':
    'the order of {amount:money} would come on top of a live market order without a price, of which nobody knows how much {coin:name} it trades; the limit is {limit:money}: try again when that order has ended',
  'risk-market-exposure':
    'the order of {amount:money} would make an exposure of {exposure:money} in {market:name}, and the limit is {limit:money}',
  'risk-exposure-unpriced':
    'the order of {amount:money} has no price to value it with, and the limit is {limit:money}',
  'risk-total-exposure':
    'the order of {amount:money} would make an exposure of {exposure:money} in all, above the limit of {limit:money}',
  'risk-market-unpriced':
    '{market:name} has no price to value it with; the exposure of all markets may be at most {limit:money}',
  'no-such-orders': 'the exchange takes no {kind:name} orders',
  'post-only-terms': 'expected a limit price for postOnly, and no stopPrice',
  'post-only-crosses':
    'expected a price {direction:said} {best:decimal} for postOnly, was {price:decimal}, which would trade at once',
  'amount-below-step': 'expected an amount of at least one step of {step:decimal}, was {amount:decimal}',
  'price-below-step': 'expected a price of at least one step of {step:decimal}',
  'value-below-least': 'expected a value above {least:money}, was {value:decimal}',
  'price-needed': 'expected a price of {market:name} to turn a value into an amount, none is known yet',
  'equity-needed': 'expected a known equity in {currency:name}, a price is missing',
  'equity-positive': 'expected an equity above 0 {currency:name}, was {equity:decimal}',
  'size-missing': 'expected one of amount, value, equityShare, was none',
  'decimals-needed': 'expected positive decimals for amounts and prices',
  funds: 'expected at most {spendable:money} to be spent, was {needed:decimal}: {parts:said}',
  'funds-account': 'the account has {amount:decimal}',
  'funds-capital': 'the capital of {strategy:name} is {amount:decimal}',
  'funds-coins': '{strategy:name} owns {amount:decimal} by its purchases and its inventory',
  'funds-inventory':
    '{missing:decimal} are missing, and it sells no coins of the account that it was not given; this gives it more: {line:text}',
  'funds-others': "{amount:decimal} is held for what is not this bot's",
  'funds-gone': '{amount:decimal} has gone',
  'funds-unknown': '{strategy:name} has a market order that nobody knows the price of',
  'funds-reserved': '{strategy:name} has reserved {amount:decimal}',
  'funds-leaving': '{amount:decimal} may be on its way to the margin wallet',
  'funds-bought': 'other strategies own {amount:decimal}',
  'funds-margin':
    'expected at most {free:decimal} {currency:name}, which is free in the margin wallet, was {amount:decimal}',
} as const;

/** Checks of pre-trade risk, by their names. */
export const CHECK_SENTENCES = {
  'check-data-age': 'data-age',
  'check-order-size': 'order-size',
  'check-price-collar': 'price-collar',
  'check-order-value': 'order-value',
  'check-order-rate': 'order-rate',
  'check-open-orders': 'open-orders',
  'check-daily-loss': 'daily-loss',
  'check-drawdown': 'drawdown',
  'check-loss-cooldown': 'loss-cooldown',
  'check-self-crossing': 'self-crossing',
  'check-position-size': 'position-size',
  'check-market-exposure': 'market-exposure',
  'check-total-exposure': 'total-exposure',
} as const;
