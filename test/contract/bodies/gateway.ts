import type { BodyCase } from './body-case.ts';

const SEND = { api: 'merchant-1', amount: 250000, callbackURL: 'https://shop.example.test/back' };
const VERIFY = { api: 'merchant-1', token: 'tok-4711' };

/** The secret that the tests give their client. */
export const GATEWAY_SECRET = 'between-us';

/** md5 of `tok-4711`, `250000` and `between-us`, computed beforehand with another program. */
const HASH = '9b5598b52c77f0486d0f2cca20668085';

const codeCases = (endpoint: string, request: object, codes: readonly number[]): readonly BodyCase[] =>
  codes.flatMap((code) =>
    [`"${code}"`, `${code}`, `"${-code}-"`].map((written): BodyCase => ({
      endpoint,
      form: `the refusal ${code} written ${written}`,
      request: request as Record<string, unknown>,
      body: `{"status": "failed", "code": ${written}, "message": "No"}`,
      refused: { code: String(code), message: 'No' },
    })),
  );

export const GATEWAY_BODIES: readonly BodyCase[] = [
  {
    endpoint: 'gatewaySend',
    form: 'the specified form',
    request: SEND,
    body: '{"status": "success", "token": "tok-4711"}',
    value: { token: 'tok-4711' },
  },
  {
    endpoint: 'gatewayVerify',
    form: 'the specified form with a float that is kept exact',
    request: VERIFY,
    body: `{"status": "success", "amount": 250000, "cryptoAmount": 0.00001984126984126984, "txHash": "${HASH}",
      "factorNumber": "F-1", "mobile": "09120000000", "description": "Two books"}`,
    value: {
      amount: '250000',
      cryptoAmount: '0.00001984126984126984',
      transactionHash: HASH,
      factorNumber: 'F-1',
      mobile: '09120000000',
      description: 'Two books',
    },
  },
  {
    endpoint: 'gatewayVerify',
    form: 'none of the optional texts and an amount in text',
    request: VERIFY,
    body: `{"status": "success", "amount": "250000", "cryptoAmount": "0.00002", "txHash": "${HASH}"}`,
    value: {
      amount: '250000',
      cryptoAmount: '0.00002',
      transactionHash: HASH,
      factorNumber: null,
      mobile: null,
      description: null,
    },
  },
  ...codeCases('gatewaySend', SEND, [-1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11, -41]),
  ...codeCases('gatewayVerify', VERIFY, [-21, -22, -23, -31, -32]),
];
