import type { BodyCase } from './body-case.ts';

const CREATED_MS = Date.UTC(2024, 2, 11, 9, 22, 35, 123);

const wallet = {
  id: 2693,
  currency: 'btc',
  balance: '10.2649975',
  blocked: '0.5',
  active: '9.7649975',
  rialBalance: '129338968500',
  rialBalanceSell: '129338968500',
  depositAddress: null,
  depositTag: null,
  depositInfo: { BTC: { address: null, tag: null } },
};

export const WALLET_BODIES: readonly BodyCase[] = [
  {
    endpoint: 'walletsList',
    form: 'the specified form',
    body: `{"status": "ok", "wallets": [{"id": 2693, "currency": "btc", "balance": "10.2649975000", "blockedBalance": "0.5",
      "activeBalance": "9.7649975", "rialBalance": 129338968500, "rialBalanceSell": 129338968500, "depositAddress": null,
      "depositTag": null, "depositInfo": {"BTC": {"address": null, "tag": null}}}]}`,
    value: [wallet],
  },
  {
    endpoint: 'walletsList',
    form: 'bare decimals, a tag and fields that are left out',
    request: { type: 'margin' },
    body: `{"status": "ok", "wallets": [{"id": 12, "currency": "rls", "balance": 123456789012345678.0123456789, "blockedBalance": "0E-10",
      "activeBalance": 0.1000000000000000055, "user": 3}, {"id": 13, "currency": "xrp", "balance": "1", "blockedBalance": "0",
      "activeBalance": "1", "rialBalance": 300000.5, "rialBalanceSell": 299999.50, "depositAddress": "rExample",
      "depositTag": "4711", "depositInfo": {"XRP": {"address": "rExample", "tag": "4711"}}}]}`,
    value: [
      {
        ...wallet,
        id: 12,
        currency: 'rls',
        balance: '123456789012345678.0123456789',
        blocked: '0',
        active: '0.1000000000000000055',
        rialBalance: null,
        rialBalanceSell: null,
        depositInfo: {},
      },
      {
        id: 13,
        currency: 'xrp',
        balance: '1',
        blocked: '0',
        active: '1',
        rialBalance: '300000.5',
        rialBalanceSell: '299999.5',
        depositAddress: 'rExample',
        depositTag: '4711',
        depositInfo: { XRP: { address: 'rExample', tag: '4711' } },
      },
    ],
  },
  {
    endpoint: 'wallets',
    form: 'the specified form, by upper-case currency',
    request: { currencies: 'rls,btc' },
    body: `{"status": "ok", "wallets": {"RLS": {"id": 133777, "balance": "0E-10", "blocked": "0"},
      "BTC": {"id": 133778, "balance": "0.0000005000", "blocked": 0.0000001, "active": "x"}}}`,
    value: [
      { currency: 'rls', id: 133777, balance: '0', blocked: '0' },
      { currency: 'btc', id: 133778, balance: '0.0000005', blocked: '0.0000001' },
    ],
  },
  {
    endpoint: 'walletBalance',
    form: 'the specified form',
    request: { currency: 'ltc' },
    body: '{"status": "ok", "balance": "10.2649975000"}',
    value: '10.2649975',
  },
  {
    endpoint: 'walletBalance',
    form: 'a bare number that a float would spoil',
    request: { currency: 'rls' },
    body: '{"balance": 123456789012345678.0123456789, "status": "ok"}',
    value: '123456789012345678.0123456789',
  },
  {
    endpoint: 'walletTransactions',
    form: 'the specified form',
    request: { wallet: 2693 },
    body: `{"status": "ok", "transactions": [{"id": 801, "currency": "rls", "created_at": "2024-03-11T09:22:35.123456+00:00",
      "calculatedFee": "0", "amount": "-12600.0000000000", "description": "Trade"}], "hasNext": true}`,
    value: {
      items: [
        {
          id: 801,
          currency: 'rls',
          createdAtMs: CREATED_MS,
          fee: '0',
          amount: '-12600',
          description: 'Trade',
        },
      ],
      hasNext: true,
    },
  },
  {
    endpoint: 'walletTransactions',
    form: 'a bare negative number and no hasNext',
    request: { wallet: 2693, page: 2 },
    body: '{"status": "ok", "transactions": [{"id": 802, "currency": "btc", "amount": -1e-6, "created_at": "2024-03-11T09:22:35.123+00:00"}]}',
    value: {
      items: [
        {
          id: 802,
          currency: 'btc',
          createdAtMs: CREATED_MS,
          fee: null,
          amount: '-0.000001',
          description: null,
        },
      ],
      hasNext: null,
    },
  },
];

const bareDeposit = {
  transactionHash: 'a',
  address: 'b',
  currencyName: 'Etherium',
  blockchainUrl: null,
  confirmations: null,
  requiredConfirmations: null,
  amount: '3',
};

export const DEPOSIT_BODIES: readonly BodyCase[] = [
  {
    endpoint: 'deposits',
    form: 'the specified form',
    request: { wallet: 'all' },
    body: `{"status": "ok", "deposits": [{"txHash": "c5d84268a0bf02307b5a0460a68b61987a9b3009d3a82a817e41558e619ec1d2",
      "address": "bc1qexampleexampleexample", "confirmed": true, "transaction": {"id": 10, "amount": "3", "currency": "btc",
      "description": "Deposit", "created_at": "2024-03-11T09:22:35.123456+00:00", "calculatedFee": "0"}, "currency": "Bitcoin",
      "blockchainUrl": "https://explorer.example.test/tx/c5d8", "confirmations": 2, "requiredConfirmations": 3,
      "amount": "3.0000000000"}], "hasNext": false}`,
    value: {
      items: [
        {
          transactionHash: 'c5d84268a0bf02307b5a0460a68b61987a9b3009d3a82a817e41558e619ec1d2',
          address: 'bc1qexampleexampleexample',
          confirmed: true,
          transaction: {
            id: 10,
            currency: 'btc',
            createdAtMs: CREATED_MS,
            fee: '0',
            amount: '3',
            description: 'Deposit',
          },
          currency: 'btc',
          currencyName: 'Bitcoin',
          blockchainUrl: 'https://explorer.example.test/tx/c5d8',
          confirmations: 2,
          requiredConfirmations: 3,
          amount: '3',
        },
      ],
      hasNext: false,
    },
  },
  {
    endpoint: 'deposits',
    form: 'one not yet booked, without a transaction',
    request: { wallet: '133778' },
    body: '{"status": "ok", "deposits": [{"txHash": null, "address": null, "confirmed": false, "transaction": null, "currency": "btc", "amount": 0.30}]}',
    value: {
      items: [
        {
          transactionHash: null,
          address: null,
          confirmed: false,
          transaction: null,
          currency: 'btc',
          currencyName: 'btc',
          blockchainUrl: null,
          confirmations: null,
          requiredConfirmations: null,
          amount: '0.3',
        },
      ],
      hasNext: null,
    },
  },
  {
    endpoint: 'deposits',
    form: 'a display name that is no symbol: the transaction says the currency, and without it nothing does',
    request: { wallet: 'all' },
    body: `{"status": "ok", "deposits": [{"txHash": "a", "address": "b", "confirmed": true, "transaction": {"id": 11, "amount": "3",
      "currency": "ETH", "description": "d", "created_at": "no date", "calculatedFee": "0"}, "currency": "Etherium", "amount": "3"},
      {"txHash": "a", "address": "b", "confirmed": false, "transaction": null, "currency": "Etherium", "amount": "3"}], "hasNext": false}`,
    value: {
      items: [
        {
          ...bareDeposit,
          confirmed: true,
          transaction: {
            id: 11,
            currency: 'eth',
            createdAtMs: null,
            fee: '0',
            amount: '3',
            description: 'd',
          },
          currency: 'eth',
        },
        { ...bareDeposit, confirmed: false, transaction: null, currency: null },
      ],
      hasNext: false,
    },
  },
];
