import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ExchangeClient } from '../../../src/exchange/client.ts';
import { inTurn, json } from './fake-transport.ts';

const merchant = { api: 'shop', apiSecret: 'very-secret' };

const setUp = (...replies: readonly ReturnType<typeof json>[]) => {
  const transport = inTurn(...replies);
  const client = new ExchangeClient({ transport, siteUrl: 'https://site.example' });
  return { gateway: client.gateway(merchant), transport };
};

const verified = (txHash: string) =>
  json({ status: 'success', amount: 250_000, cryptoAmount: 0.0123, txHash });

describe('PaymentGateway', () => {
  it('sends the key of the merchant and never the secret', async () => {
    const { gateway, transport } = setUp(json({ status: 'success', token: 't1' }));
    const sent = await gateway.send({ amount: 250_000, callbackURL: 'https://shop.example/back' });
    expect(sent).toEqual({ ok: true, value: { token: 't1' } });
    expect(JSON.parse(transport.sent[0]?.body ?? '')).toMatchObject({ api: 'shop', amount: 250_000 });
    expect(JSON.stringify(transport.sent)).not.toContain('very-secret');
  });

  it('accepts a payment whose hash fits token, amount and secret', async () => {
    const hash = createHash('md5').update('t1250000very-secret').digest('hex');
    const { gateway } = setUp(verified(hash), verified(hash.toUpperCase()));
    expect(await gateway.verify('t1')).toMatchObject({
      ok: true,
      value: { amount: '250000', cryptoAmount: '0.0123' },
    });
    expect(await gateway.verify('t1')).toMatchObject({ ok: true });
  });

  it('refuses a payment whose hash does not fit', async () => {
    const { gateway } = setUp(
      verified(createHash('md5').update('t2250000very-secret').digest('hex')),
      verified('short'),
    );
    expect(await gateway.verify('t1')).toMatchObject({ ok: false, code: 'HashMismatch', outcome: 'unknown' });
    expect(await gateway.verify('t1')).toMatchObject({ ok: false, code: 'HashMismatch' });
  });

  it.each(['-32', -32, '32-'])('reads the failure code %j', async (code) => {
    const { gateway } = setUp(json({ status: 'failed', code, message: 'Verified before' }));
    expect(await gateway.verify('t1')).toMatchObject({ ok: false, code: '-32', outcome: 'applied' });
  });

  it('knows the payment page and reads the return of the payer', () => {
    const { gateway } = setUp(json({}));
    expect(gateway.payPageUrl('a/b')).toBe('https://site.example/app/paygate/a%2Fb');
    expect(gateway.parseCallback('https://shop.example/back?status=1&token=t1')).toEqual({
      token: 't1',
      claimsSuccess: true,
    });
    expect(gateway.parseCallback('/back?status=0&token=t1')).toEqual({ token: 't1', claimsSuccess: false });
    expect(gateway.parseCallback('/back?status=1')).toBeNull();
  });
});
