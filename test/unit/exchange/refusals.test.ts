import { describe, expect, it } from 'vitest';
import { ENDPOINTS } from '../../../src/exchange/endpoints/index.ts';
import { isDocumentedRefusal, normaliseCode, refusalTraits } from '../../../src/exchange/refusals.ts';

/** Typed from the code tables of the interface, not from the source. */
const DOCUMENTED = `
  InvalidOrderPrice BadPrice PriceConditionFailed OverValueOrder SmallOrder DuplicateOrder
  InvalidMarketPair MarketClosed TradingUnavailable FeatureUnavailable DuplicateClientOrderId NullIdAndClientOrderId
  UnexpectedMarketPrice TradeLimitation ParseError InvalidAmount SameDestination WalletNotFound
  InsufficientBalance -1 -2 -3 -4 -5
  -6 -7 -8 -9 -10 -11
  -21 -22 -23 -31 -32 -41
  BankAccountNotFound WithdrawUnavailable WithdrawAmountLimitation AmountTooLow AmountTooHigh WithdrawLimitReached
  WithdrawRequestNotFound CancellationFailed NotCancellable
`
  .trim()
  .split(/\s+/);

describe('refusals', () => {
  it.each(DOCUMENTED)('knows the documented code %s', (code) => {
    expect(isDocumentedRefusal(code)).toBe(true);
  });

  it('does not take a name of Object for a code', () => {
    expect(isDocumentedRefusal('constructor')).toBe(false);
    expect(refusalTraits('toString', { endpoint: ENDPOINTS.addOrder, httpStatus: 200 })).toEqual({
      retry: 'never',
      outcome: 'none',
    });
  });

  it('lets a closed market be tried again and a verified payment count as applied', () => {
    expect(refusalTraits('MarketClosed', { endpoint: ENDPOINTS.addOrder, httpStatus: 200 })).toEqual({
      retry: 'safe',
      outcome: 'none',
    });
    expect(refusalTraits('-32', { endpoint: ENDPOINTS.gatewayVerify, httpStatus: 200 }).outcome).toBe('applied');
  });

  it('leaves the outcome unknown where a write fails with a code that nobody documents', () => {
    expect(refusalTraits('Strange', { endpoint: ENDPOINTS.createWithdrawal, httpStatus: 200 }).outcome).toBe('unknown');
    expect(refusalTraits('Strange', { endpoint: ENDPOINTS.createWithdrawal, httpStatus: 400 }).outcome).toBe('none');
    expect(refusalTraits('Strange', { endpoint: ENDPOINTS.addOrder, httpStatus: 200 }).outcome).toBe('none');
    expect(refusalTraits('Strange', { endpoint: ENDPOINTS.ordersList, httpStatus: 200 }).outcome).toBe('none');
  });

  it('reads a gateway code with its minus at the end', () => {
    expect(normaliseCode('32-')).toBe('-32');
    expect(normaliseCode('-32')).toBe('-32');
    expect(normaliseCode('ParseError')).toBe('ParseError');
  });
});
