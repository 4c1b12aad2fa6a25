/** Reasons an order was not sent or placed. */
export const ORDER_SENTENCES = {
  'order-cancelled': 'Cancelled',
  'order-restarted': 'Restarted',
  'order-halted': 'Halted',
  'order-ending': 'Ending',
  'order-never-arrived': 'NeverArrived',
  'order-canceled-by-others': 'CanceledByOthers',
  'order-not-sent': 'NotSent: {reason:said}',
  'order-risk': 'Risk: {reason:said}',
  'order-lock': 'lock {lock:name}: {reason:said}',
  'order-post-only': 'PostOnly: {reason:said}',
  'rejected-limit':
    '{order:name}: {reason:said}: {side:side} {amount:decimal} in {market:symbol} at {price:decimal}',
  'rejected-limit-once':
    '{order:name}: {reason:said}: {side:side} {amount:decimal} in {market:symbol} at {price:decimal} once {stop:decimal} is reached',
  'rejected-market':
    '{order:name}: {reason:said}: {side:side} {amount:decimal} in {market:symbol} at the market',
  'rejected-market-once':
    '{order:name}: {reason:said}: {side:side} {amount:decimal} in {market:symbol} at the market once {stop:decimal} is reached',
  'rejected-bound':
    '{order:name}: {reason:said}: {side:side} {amount:decimal} in {market:symbol} at the market, no worse than {price:decimal}',
  'rejected-bound-once':
    '{order:name}: {reason:said}: {side:side} {amount:decimal} in {market:symbol} at the market, no worse than {price:decimal} once {stop:decimal} is reached',
  'order-identical':
    '{code:name}: {other:name} has the same terms, and was sent so lately that the exchange would take this one for its repetition; waited {waited:ms} ms, the limit is {limit:ms} ms; it may be repeated {free:said}; with allowIdentical it goes at once',
  'identical-free-in': 'in {wait:ms} ms, at {at:count}',
  'identical-free-after': '{wait:ms} ms after it is known what became of that',
  expired: 'expired',
  'locked-out': 'locked out',
  'credential-refused': 'credential refused',
  'machine-too-slow': 'this machine is too slow',
  'machine-slow':
    'nothing but cancels leaves: this machine takes too long to get to each request once it is in the ledger, and then it is not sent; see what loads the machine',
  'disk-slow':
    'a commit took {took:length}: {orders:count} open orders could not be canceled within drain.within, {within:length}',
  'mirror-unwritable': 'the mirror can not be written',
  'disk-full': 'the disk is full',
  'orders-used-up': 'the limit for orders is used up for {seconds:count} s more',
  'orders-locked-out': 'the exchange has locked orders out, for {seconds:count} s more',
  'orders-stuck': 'orders do not leave, and are tried again in {seconds:count} s: {reason:said}',
} as const;
