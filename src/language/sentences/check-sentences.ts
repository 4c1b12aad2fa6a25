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
