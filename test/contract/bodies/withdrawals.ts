import type { BodyCase } from './body-case.ts';

const CREATED_MS = Date.UTC(2024, 2, 11, 9, 22, 35, 123);

const RESULT_TEXT = `{"status": "ok", "result": {"id": "CW430542", "createdAt": "2024-03-11T09:22:35.123456+00:00", "status": "New",
  "amount": "5000000.0000000000", "fee": "40000", "fulfilledAmount": "0E-10", "bankAccountId": 4710,
  "bankAccountInfo": {"bank": "Melli", "number": "0123456789"}, "isCancelable": true, "records": [
  {"amount": 4960000.10, "bankReferenceNumber": null, "status": "Pending", "estimatedSettleAt": null,
   "providerUpdatedAt": "2024-03-11T12:52:35.123+03:30", "transferType": "paya"},
  {"amount": "1", "bankReferenceNumber": "0099", "status": "Transferred", "estimatedSettleAt": "2024-03-11T09:22:35.123Z",
   "providerUpdatedAt": "2024-03-11T09:22:35.123Z", "transferType": "satna"}]}}`;

const result = {
  id: 'CW430542',
  createdAtMs: CREATED_MS,
  status: 'New',
  amount: '5000000',
  fee: '40000',
  fulfilledAmount: '0',
  bankAccountId: 4710,
  bankAccountInfo: { bank: 'Melli', number: '0123456789' },
  isCancelable: true,
  payments: [
    {
      amount: '4960000.1',
      bankReferenceNumber: null,
      status: 'Pending',
      estimatedSettleAtMs: null,
      providerUpdatedAtMs: CREATED_MS,
      transferType: 'paya',
    },
    {
      amount: '1',
      bankReferenceNumber: '0099',
      status: 'Transferred',
      estimatedSettleAtMs: CREATED_MS,
      providerUpdatedAtMs: CREATED_MS,
      transferType: 'satna',
    },
  ],
};

const CREATE = { destinationBankAccountId: 4710, amount: '5000000' };
const CREATE_CODES = [
  'FeatureUnavailable',
  'ParseError',
  'BankAccountNotFound',
  'WithdrawUnavailable',
  'WithdrawAmountLimitation',
  'InsufficientBalance',
  'AmountTooLow',
  'AmountTooHigh',
  'WithdrawLimitReached',
];
const CANCEL_CODES = ['WithdrawRequestNotFound', 'CancellationFailed', 'NotCancellable'];

const refusal = (endpoint: string, request: BodyCase['request'] & object, code: string): BodyCase => ({
  endpoint,
  form: `the refusal ${code}`,
  request,
  body: `{"status": "failed", "code": "${code}", "message": "No"}`,
  refused: { code },
});

export const WITHDRAWAL_BODIES: readonly BodyCase[] = [
  {
    endpoint: 'createWithdrawal',
    form: 'the whole record',
    request: CREATE,
    body: RESULT_TEXT,
    value: result,
  },
  {
    endpoint: 'withdrawal',
    form: 'the whole record',
    request: { id: 'CW430542' },
    body: RESULT_TEXT,
    value: result,
  },
  {
    endpoint: 'withdrawal',
    form: 'a record of which little is there, with an unknown status',
    request: { id: 'CW430542' },
    body: '{"status": "ok", "result": {"id": "CW430542", "status": "Vaporised", "amount": 5000000.0}}',
    value: {
      id: 'CW430542',
      createdAtMs: null,
      status: 'Vaporised',
      amount: '5000000',
      fee: null,
      fulfilledAmount: null,
      bankAccountId: null,
      bankAccountInfo: null,
      isCancelable: null,
      payments: [],
    },
  },
  {
    endpoint: 'cancelWithdrawal',
    form: 'a status and no more',
    request: { id: 'CW430542' },
    body: '{"status": "ok"}',
    value: null,
  },
  {
    endpoint: 'cancelWithdrawal',
    form: 'the whole record',
    request: { id: 'CW430542' },
    body: RESULT_TEXT.replace('"New"', '"Canceled"'),
    value: { ...result, status: 'Canceled' },
  },
  {
    endpoint: 'withdrawals',
    form: 'withdrawals of both kinds in one list',
    body: `{"status": "ok", "withdraws": [
      {"id": "CW430542", "createdAt": "2024-03-11T09:22:35.123456+00:00", "status": "New", "amount": "5000000", "currency": "rls",
       "wallet_id": 133777, "is_cancelable": true, "address": "IR060170000000000123456789", "fee": "40000"},
      {"id": 77, "createdAt": "2024-03-11T09:22:35.123456+00:00", "status": "Done", "amount": "0.0010000000", "currency": "btc"}],
      "hasNext": false}`,
    value: {
      items: [
        {
          id: 'CW430542',
          status: 'New',
          amount: '5000000',
          fee: '40000',
          currency: 'rls',
          address: 'IR060170000000000123456789',
          createdAtMs: CREATED_MS,
          walletId: 133777,
          isCancelable: true,
        },
        {
          id: '77',
          status: 'Done',
          amount: '0.001',
          fee: null,
          currency: 'btc',
          address: null,
          createdAtMs: CREATED_MS,
          walletId: null,
          isCancelable: null,
        },
      ],
      hasNext: false,
    },
  },
  ...CREATE_CODES.map((code) => refusal('createWithdrawal', CREATE, code)),
  ...CANCEL_CODES.map((code) => refusal('cancelWithdrawal', { id: 'CW430542' }, code)),
];
