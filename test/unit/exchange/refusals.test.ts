import { describe, expect, it } from 'vitest';
import { ENDPOINTS } from '../../../src/exchange/endpoints.ts';
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

const outcome = (code: string, endpoint: keyof typeof ENDPOINTS): string =>
  refusalTraits(code, { endpoint: ENDPOINTS[endpoint] }).outcome;

describe('refusals', () => {
  it.each(DOCUMENTED)('knows the documented code %s', (code) => {
    expect(isDocumentedRefusal(code)).toBe(true);
  });

  it('does not take a name of Object for a code', () => {
    expect(isDocumentedRefusal('constructor')).toBe(false);
    expect(refusalTraits('toString', { endpoint: ENDPOINTS.addOrder })).toEqual({
      retry: 'never',
      outcome: 'unknown',
    });
  });

  it('lets a closed market be tried again and a verified payment count as applied', () => {
    expect(refusalTraits('MarketClosed', { endpoint: ENDPOINTS.addOrder })).toEqual({
      retry: 'safe',
      outcome: 'none',
    });
    expect(refusalTraits('-32', { endpoint: ENDPOINTS.gatewayVerify }).outcome).toBe('applied');
  });

  it('leaves the outcome of a write unknown where the code is not one of that very call, and that of a read is none', () => {
    expect(outcome('OverValueOrder', 'addOrder')).toBe('none');
    expect(outcome('ParseError', 'addOrder')).toBe('none');
    for (const code of [
      'Strange',
      'Failed',
      'BadRequest',
      'NotFound',
      'AmountTooLow',
      'NullIdAndClientOrderId',
      '-5',
    ]) {
      expect(outcome(code, 'addOrder'), code).toBe('unknown');
    }
    expect(outcome('AmountTooLow', 'createWithdrawal')).toBe('none');
    expect(outcome('OverValueOrder', 'createWithdrawal')).toBe('unknown');
    expect(outcome('BadRequest', 'createWithdrawal')).toBe('unknown');
    expect(outcome('NotFound', 'updateOrderStatus')).toBe('none');
    expect(outcome('OverValueOrder', 'updateOrderStatus')).toBe('unknown');
    expect(outcome('Strange', 'ordersList')).toBe('none');
  });

  it('reads a gateway code with its minus at the end', () => {
    expect(normaliseCode('32-')).toBe('-32');
    expect(normaliseCode('-32')).toBe('-32');
    expect(normaliseCode('ParseError')).toBe('ParseError');
  });
});
